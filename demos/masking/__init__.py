"""Sequences, masks and what comes of them, for the mask demo."""

"""What pages that are proofread must hold to besides the grammar: numbers that are checked, rules of text."""

"""A tiny decoder that says one sentence, run as in training and as in inference."""

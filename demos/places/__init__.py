"""What positions do to scores, to outputs and to embeddings, for the demo of positions."""

"""Models that demos run: their weights lie beside the code that loads them."""

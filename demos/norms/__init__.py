"""Parts of the demo of layer, RMS and batch norm."""

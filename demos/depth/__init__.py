"""Deep random networks whose Jacobians are measured layer by layer."""

"""Speed of the training loop by phases, against the machine's matmul peak and against peers."""

"""Speed: the phases of the training loop timed apart, against the machine's ceiling and peers."""

"""What a run stores in its folder: description, checkpoints, networks and metrics."""

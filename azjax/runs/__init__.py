"""Runs: the outside world, with its folders, configuration, checkpoints and metrics."""

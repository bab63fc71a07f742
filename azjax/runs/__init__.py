"""Runs: sessions of training, and what they store: checkpoints, networks and metrics."""

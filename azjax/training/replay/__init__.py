"""Replay: the ring of the last moves, its value targets, and samples from it."""

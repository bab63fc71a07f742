"""Faults that `faults.py` injects into small trainings."""

"""Campaigns of engineering: faults and load, and what `accelerator.py` measures."""

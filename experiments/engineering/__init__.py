"""Campaigns of engineering: faults and load, and what is measured of trained agents."""

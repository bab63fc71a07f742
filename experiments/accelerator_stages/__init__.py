"""The stages of accelerator.py: speed, trained agents, their figures, and the report."""

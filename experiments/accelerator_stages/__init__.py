"""The stages of accelerator.py: speed, trained agents, and measurements of them."""

"""What a run shows: its progress in the terminal, and its learning curves."""

"""Sweeps: hyperparameters drawn by Optuna, tried in populations, the best kept as a preset."""

"""Sweeps search hyperparameters with Optuna, train trials in populations, and keep the best."""

"""The view of trainings: all runs as they go on, their curves, and how they start and stop."""

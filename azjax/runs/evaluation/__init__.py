"""What is measured of a run, and what follows from it: gates, rounds, the end."""

"""The view of studies and sweeps: what they do now, their tables and their figures."""

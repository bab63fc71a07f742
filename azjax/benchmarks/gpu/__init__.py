"""The program that XLA compiles for a GPU, read on a machine that has none."""

"""Convolutions written as matrix products, which are faster on CPU than XLA's own."""

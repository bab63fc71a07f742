"""Exact truth: solved games and positions, and how players do on them."""

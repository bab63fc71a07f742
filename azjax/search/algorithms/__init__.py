"""The searches: how each selects in a tree, and chooses at its root."""

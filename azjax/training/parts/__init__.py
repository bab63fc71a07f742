"""Optional techniques of training, one a file; each owns its options, its numbers and its hooks."""

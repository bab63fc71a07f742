"""The learning algorithms: what each records, what its targets are, and what its loss is."""

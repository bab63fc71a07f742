"""Files: atomic and bounded, in JSON lines and tables, locked and owned."""

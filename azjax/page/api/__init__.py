"""The page's functions for programs, as JSON."""

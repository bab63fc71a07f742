"""Several processes that train together: process 0 leads, and the others take its steps."""

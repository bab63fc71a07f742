"""Studies: configurations compared over many seeds, with intervals, as tables, figures, report."""

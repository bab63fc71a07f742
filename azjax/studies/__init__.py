"""Studies compare configurations over several seeds, and write tables, figures and a report."""

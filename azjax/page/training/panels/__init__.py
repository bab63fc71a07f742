"""What the view is made of: the form, the table of runs, and the cards and curves of some."""

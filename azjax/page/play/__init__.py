"""The view in which one plays, and watches the search."""

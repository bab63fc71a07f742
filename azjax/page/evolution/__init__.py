"""The view of a run's evolution: the games of its networks, its opening, and its ratings."""

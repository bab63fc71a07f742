"""What a study writes: its verdict, its figures and its report."""

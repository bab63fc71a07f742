"""Helpers that several packages need; they import nothing else of azjax."""

"""Searches for the page: positions, players by a visitor's name, and searches to look into."""

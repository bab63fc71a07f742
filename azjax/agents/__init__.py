"""Agents and players by name: a run, a file, a shipped agent, a built-in player."""

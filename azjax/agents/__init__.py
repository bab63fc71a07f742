"""Agents and players by name: runs, agent files, shipped agents, built-in players."""

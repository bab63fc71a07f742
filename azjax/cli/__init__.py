"""The command line: each command parses, calls, and prints."""

from azjax.cli.main import main

__all__ = ["main"]

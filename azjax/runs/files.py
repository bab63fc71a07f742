"""Files that are there whole or not at all, whoever is killed and whoever else writes them."""

import os
import pathlib


def write_whole(path: pathlib.Path, text: str) -> None:
    """Writes a text file in one step, over what was there before."""
    whole = path.with_name(f".{path.name}.{os.getpid()}")  # other workers may write it too
    whole.write_text(text, encoding="utf-8", newline="")
    whole.replace(path)

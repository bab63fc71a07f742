"""The report of a study or a sweep."""

import pathlib

from azjax.support.files.reading import read_text

_FILE = "report.md"
_MOST_CHARACTERS = 50_000


def read_report(folder: pathlib.Path) -> str:
    """Returns the report as text, without its figures; empty if there is none."""
    file = folder / _FILE
    if file.is_symlink():
        return ""
    try:
        text = read_text(file)
    except (OSError, ValueError):
        return ""
    shown = "\n".join(line for line in text.splitlines() if not line.startswith("!["))
    if len(shown) <= _MOST_CHARACTERS:
        return shown
    return f"{shown[:_MOST_CHARACTERS]}...\n\nThe rest is in {_FILE}."

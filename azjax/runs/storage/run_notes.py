"""The name and the notes that people give a run, in a file of its folder."""

import pathlib
from typing import NamedTuple

from azjax.support.errors import InputError, writing_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_text

_FILE = "notes.md"
_HEADING = "# "  # begins the line of the name
_LONGEST_NAME, _LONGEST = 80, 20_000  # characters


class RunNotes(NamedTuple):
    """A name, and a text of some lines; both may be empty."""

    name: str = ""
    text: str = ""


def read_notes(folder: pathlib.Path) -> RunNotes:
    """Returns the notes on the run in a folder: none if they cannot be read, or are a link."""
    path = folder / _FILE
    try:
        text = "" if path.is_symlink() else read_text(path).strip()
    except (OSError, ValueError):
        text = ""
    first, _, rest = text.partition("\n")
    if not first.startswith(_HEADING):
        return RunNotes("", text[:_LONGEST])
    return RunNotes(first.removeprefix(_HEADING)[:_LONGEST_NAME], rest.strip()[:_LONGEST])


def write_notes(folder: pathlib.Path, notes: RunNotes) -> None:
    """Writes the notes on the run in a folder.

    Raises:
      InputError: They are too long, or the file cannot be written.
    """
    if len(notes.name) > _LONGEST_NAME or len(notes.text) > _LONGEST:
        raise InputError(
            f"a name has at most {_LONGEST_NAME} characters, and notes have at most {_LONGEST:,}"
        )
    heading = f"{_HEADING}{' '.join(notes.name.split())}"
    with writing_errors(folder / _FILE):
        write_text_atomically(folder / _FILE, f"{heading}\n\n{notes.text.strip()}\n")

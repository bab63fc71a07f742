"""Errors whose text is one line that names the file."""

import errno
import pathlib

import pytest

from azjax.support.errors import InputError, one_line, reading_errors


def test_a_text_of_an_error_is_one_line_and_not_endless():
    assert one_line(InputError("a\n b: must be\tc")) == "a b: must be c"
    line = one_line(InputError(f"file, line 3: move {'[' * 100_000} is none"))
    assert line == "file, line 3: move ..."


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "a.json"), "Permission denied"),
        (KeyError("players"), "it has no 'players'"),
        (ValueError("line 3: it is no JSON"), "line 3: it is no JSON"),
    ],
)
def test_what_reading_raises_names_the_file_once(error, reason):
    with pytest.raises(InputError) as refusal, reading_errors(pathlib.Path("a.json"), "; delete"):
        raise error
    assert str(refusal.value) == f"a.json cannot be read: {reason}; delete"

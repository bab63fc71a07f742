"""Errors whose text is one line that names the file."""

from azjax.support.errors import InputError, one_line


def test_a_text_of_an_error_is_one_line_and_not_endless():
    assert one_line(InputError("a\n b: must be\tc")) == "a b: must be c"
    line = one_line(InputError(f"file, line 3: move {'[' * 100_000} is none"))
    assert line == "file, line 3: move ..."

"""Files of JSON lines: what follows the last newline is not written yet."""

import threading

import pytest

from azjax.support.files.file_locks import lock
from azjax.support.files.json_lines import append_json_line, json_lines, read_json_lines

ROWS = [{"a": 1}, {"a": "ü"}]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "rows"


def test_rows_are_read_as_they_are_written_or_appended_and_empty_lines_are_none(file):
    file.write_text(json_lines(ROWS))
    assert read_json_lines(file) == ROWS
    with file.open("a") as opened:
        opened.write(" \n\n")  # as an editor does
    append_json_line(file, {"a": 3})
    assert read_json_lines(file) == [*ROWS, {"a": 3}]


@pytest.mark.parametrize("end", [b'{"a": 3}', b'{"a', "ü".encode()[:1]])
def test_a_row_that_was_cut_in_writing_is_left_out_and_replaced(file, end):
    file.write_text(json_lines(ROWS))
    with file.open("ab") as opened:
        opened.write(end)
    append_json_line(file, {"a": 4})
    assert read_json_lines(file) == [*ROWS, {"a": 4}]


def test_a_row_that_another_process_is_writing_is_not_replaced(file):
    with file.open("a") as other:  # a lock excludes other openings of the file, of any process
        assert lock(other.fileno())
        print('{"a": 1', end="", file=other, flush=True)
        thread = threading.Thread(target=append_json_line, args=(file, {"a": 2}))
        thread.start()
        thread.join(0.2)
        print("}", file=other)
    thread.join()
    assert read_json_lines(file) == [{"a": 1}, {"a": 2}]


def test_any_other_line_that_is_no_json_is_damage(file):
    file.write_text('{"a": 1}\n{"a"\n{"a": 3}\n')
    with pytest.raises(ValueError, match="line 2: it is no JSON"):
        read_json_lines(file)

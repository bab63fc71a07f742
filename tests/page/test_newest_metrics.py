import pytest

from azjax.page import newest_metrics
from azjax.page.newest_metrics import NOTHING, NewestMetrics, parse_row

from .made_runs import make_line


@pytest.fixture
def file(tmp_path):
    return tmp_path / "metrics.jsonl"


def test_without_a_file_there_is_nothing(file):
    assert NewestMetrics().read(file) == NOTHING
    assert NOTHING.iteration == 0


def test_the_newest_row_and_the_newest_evaluation_are_read(file):
    file.write_text(
        make_line(1, accuracy_search=0.5) + make_line(2, accuracy_search=0.6) + make_line(3)
    )
    newest = NewestMetrics().read(file)
    assert (newest.iteration, newest.evaluation["iteration"]) == (3, 2)
    assert newest.changed_at == file.stat().st_mtime


def test_what_is_appended_is_seen(file):
    newest = NewestMetrics()
    file.write_text(make_line(1))
    assert newest.read(file) is newest.read(file)
    file.write_text(make_line(1) + make_line(2))
    assert newest.read(file).iteration == 2


def test_damaged_and_incomplete_lines_are_left_out(file):
    file.write_text(make_line(1, accuracy_search=0.5) + "damage\n" + make_line(2)[:9])
    newest = NewestMetrics().read(file)
    assert (newest.iteration, newest.evaluation["iteration"]) == (1, 1)


def test_an_evaluation_far_from_the_end_is_remembered(file, monkeypatch):
    monkeypatch.setattr(newest_metrics, "_MOST_BYTES", 100)
    newest = NewestMetrics()
    file.write_text(make_line(1, accuracy_search=0.5))
    newest.read(file)
    file.write_text(make_line(1, accuracy_search=0.5) + "".join(make_line(i) for i in range(2, 9)))
    assert newest.read(file).evaluation["iteration"] == 1
    assert NewestMetrics().read(file).evaluation == {}


def test_an_evaluation_that_was_dropped_is_forgotten(file):
    newest = NewestMetrics()
    file.write_text(make_line(1) + make_line(2, accuracy_search=0.5))
    newest.read(file)
    file.write_text(make_line(1))
    assert newest.read(file).evaluation == {}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"[1]",
        b"\xff",
        b'{"iteration": 2}',
        b'{"iteration": true, "seconds": 1}',
        b'{"iteration": 2, "seconds": "1"}',
        b'{"iteration": 2, "seconds": 1, "loss": []}',
        b"[" * 5000,
    ],
)
def test_a_damaged_line_is_no_row(damage):
    assert parse_row(damage) is None

import itertools
import json

import pytest

from azjax.runs.reporting.growing_metrics import MOST_POINTS, Curve, MetricsTail, Point, read_newest


def make_line(iteration, **columns):
    """Returns a line of metrics.jsonl with few columns."""
    return json.dumps({"iteration": iteration, "seconds": 6.0 * iteration, **columns}) + "\n"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "metrics.jsonl"


def append(file, text):
    with file.open("a") as opened:
        opened.write(text)


def values(metrics, column):
    return [(point.iteration, point.value) for point in metrics.curves.get(column, ())]


def test_each_reading_adds_what_was_appended(file):
    tail = MetricsTail(file)
    size = {"positions": 100, "simulations_per_move": 8.0}
    file.write_text(make_line(1, loss=2.0, **size) + make_line(2, loss=1.0, draws=None))
    assert values(tail.read(), "loss") == [(1, 2.0), (2, 1.0)]
    size = {"positions": 300, "simulations_per_move": 2.0}
    append(file, make_line(3, loss=0.5, reply_loss=0.1, **size))
    metrics = tail.read()
    assert values(metrics, "loss") == [(1, 2.0), (2, 1.0), (3, 0.5)]
    assert values(metrics, "reply_loss") == [(3, 0.1)]
    assert "draws" not in metrics.curves
    assert metrics.curves["loss"][-1] == pytest.approx((0.5, 3, 0.3, 300, 1200))


def test_an_incomplete_last_line_is_read_when_it_is_complete(file):
    tail = MetricsTail(file)
    whole = make_line(2, loss=1.0)
    file.write_text(make_line(1, loss=2.0) + whole[:9])
    assert values(tail.read(), "loss") == [(1, 2.0)]
    append(file, whole[9:])
    metrics = tail.read()
    assert values(metrics, "loss") == [(1, 2.0), (2, 1.0)]
    assert metrics.error == ""


def test_a_file_that_was_replaced_by_a_longer_one_is_read_anew(file):
    tail = MetricsTail(file)
    file.write_text(make_line(1, loss=2.0) + make_line(2, loss=1.0))
    tail.read()
    other = file.with_name("other")
    other.write_text("".join(make_line(i, loss=7.0) for i in range(1, 6)))
    other.replace(file)
    assert values(tail.read(), "loss") == [(i, 7.0) for i in range(1, 6)]


@pytest.mark.parametrize(
    "damage", [b"no json", b"\xff", b'{"iteration": 2, "seconds": 1, "loss": []}', b"[" * 5000]
)
def test_a_damaged_line_is_told_and_left_out(file, damage):
    lines = make_line(1, loss=2.0).encode(), damage + b"\n", make_line(3, loss=1.0).encode()
    file.write_bytes(b"".join(lines))
    metrics = MetricsTail(file).read()
    assert values(metrics, "loss") == [(1, 2.0), (3, 1.0)]
    assert metrics.error == "line 2 of metrics.jsonl is damaged and left out"


def point(iteration):
    return Point(float(iteration), iteration, iteration / 60)


@pytest.mark.parametrize("count", [0, MOST_POINTS, 9_999])
def test_a_curve_keeps_its_first_and_newest_points_and_not_too_many(count):
    curve = Curve()
    for i in range(1, count + 1):
        curve.add(point(i))
    kept = [one.iteration for one in curve.points()]
    assert kept == sorted(set(kept))
    assert kept[:1] == [1][:count]
    assert kept[-1:] == ([count] if count else [])
    assert min(count, MOST_POINTS // 2) <= len(kept) <= MOST_POINTS
    gaps = {b - a for a, b in itertools.pairwise(kept[:-1])}
    assert len(gaps) <= 1  # all but the last are evenly spaced


def test_the_newest_row_and_the_newest_evaluation_are_read(file):
    file.write_text(
        make_line(1, accuracy_search=0.5) + make_line(2, accuracy_search=0.6) + make_line(3)
    )
    newest = read_newest(file)
    assert (newest.iteration, newest.evaluation["iteration"]) == (3, 2)
    assert newest.changed_at == file.stat().st_mtime


def test_an_evaluation_that_was_dropped_is_forgotten(file):
    file.write_text(make_line(1) + make_line(2, accuracy_search=0.5))
    read_newest(file)
    file.write_text(make_line(1))
    assert read_newest(file).evaluation == {}

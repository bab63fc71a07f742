import pathlib

import pytest

from azjax.page.training.runs.monitor import WatchedRun
from azjax.page.training.runs.run_phrases import can_stop, describe_stop, short_names
from azjax.support.files.ownership import Owner


def trained(pid, num_together, since=0.0, state="training"):
    """Returns a run of a process that trains so many."""
    owner = Owner("laptop", pid, since)
    return WatchedRun("run", pathlib.Path(), state, owner, num_together=num_together)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([trained(1, 1)], "Stop"),
        ([trained(1, 4)], "Stop all 4 runs"),
        ([trained(1, 4), trained(1, 4, since=1.0)], "Stop all 4 runs"),
        ([trained(1, 4), trained(2, 1)], "Stop all 5 runs"),
        ([trained(1, 4, state="stopping")], "Stopping"),
        ([trained(1, 4, state="stopping"), trained(2, 1)], "Stop"),
    ],
)
def test_the_button_says_how_many_runs_end_with_their_process(runs, words):
    assert describe_stop(runs) == words
    assert can_stop(runs) == (words != "Stopping")


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([], []),
        (["a/b"], ["b"]),
        (["a", "a/b"], ["a", "a/b"]),
        (["x/runs/a/seed=0", "x/runs/a/seed=1"], ["seed=0", "seed=1"]),
        (["x/runs/a/seed=0", "x/runs/b/seed=0"], ["a/seed=0", "b/seed=0"]),
        (["x/ab", "x/ac/d"], ["ab", "ac/d"]),
    ],
)
def test_the_folders_that_all_runs_are_in_are_left_out(names, short):
    assert short_names(names) == dict(zip(names, short, strict=True))

import pytest

from azjax.page.training.words import short_names


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

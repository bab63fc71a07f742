import pytest

from azjax.page.safe_paths import name_below, path_below
from azjax.support.errors import InputError


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../x",
        "a/../b",
        "/etc",
        "a//b",
        "a/",
        "./a",
        "a\\b",
        "a\nb",
        "a\0b",
        "x" * 300,
        "\u00e9" * 150,
    ],
)
def test_a_name_that_is_no_plain_path_below_the_folder_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="is no name below the folder of runs"):
        path_below(tmp_path, name)


def test_a_link_out_of_the_folder_is_refused_and_a_folder_within_is_not(tmp_path):
    runs = tmp_path / "runs"
    (runs / "population" / "seed=0").mkdir(parents=True)
    (runs / "link").symlink_to(tmp_path)
    with pytest.raises(InputError, match="leads out"):
        path_below(runs, "link")
    with pytest.raises(InputError, match="leads out"):
        path_below(runs, "link/secret")
    path = path_below(runs, "population/seed=0")
    assert path == runs / "population" / "seed=0"
    assert name_below(runs, path) == "population/seed=0"

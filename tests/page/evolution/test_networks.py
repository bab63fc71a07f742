import sys
import types

import pytest

from azjax.page.evolution.networks import RunNetworks, read_networks
from azjax.runs.storage.restore import spread_evenly
from azjax.support.errors import InputError

from ..made_runs import add_network, add_plugin, make_run


@pytest.mark.parametrize(
    ("iterations", "chosen"),
    [
        ([7], [7]),
        ([0, 5, 10], [0, 5, 10]),
        (range(0, 1001, 10), [0, 330, 670, 1000]),
        ([0, 1, 2, 3, 1000], [0, 3, 1000]),
    ],
)
def test_networks_are_spread_over_the_run(iterations, chosen):
    assert spread_evenly(iterations, 4) == chosen


def test_the_networks_of_a_run_are_those_of_its_history(tmp_path):
    run = make_run(tmp_path / "pop" / "seed=0")
    for iteration in (0, 5):
        add_network(run, iteration)
    networks = read_networks(tmp_path, "pop/seed=0")
    expected = RunNetworks("pop/seed=0", run.path, "tic_tac_toe", (0, 5))
    assert networks == expected
    assert networks.final == 5
    assert networks.player(0) == "runs/pop/seed=0@0"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../secret", "is no name below"),
        ("none", "^none holds no run"),
        ("empty", "^empty has kept no network yet"),
        ("damaged", "cannot be read"),
    ],
)
def test_a_run_without_networks_is_told(tmp_path, name, words):
    make_run(tmp_path / "empty")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "run.json").write_text("{")
    with pytest.raises(InputError, match=words) as refusal:
        read_networks(tmp_path, name)
    assert str(tmp_path) not in str(refusal.value)


def test_a_run_is_opened_with_the_plugins_of_the_page_alone(tmp_path, monkeypatch):
    run = make_run(tmp_path / "one")
    add_network(run, 0)
    add_plugin(run, "own_game")
    with pytest.raises(InputError, match=r"^one needs .* start azjax serve --plugin own_game$"):
        read_networks(tmp_path, "one")
    monkeypatch.setitem(sys.modules, "own_game", types.ModuleType("own_game"))
    assert read_networks(tmp_path, "one").iterations == (0,)

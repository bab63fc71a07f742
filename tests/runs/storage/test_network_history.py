import json

import jax
import numpy as np
import pytest

from azjax.agents.agent import load_agent
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.restore import past_iterations
from azjax.support.errors import InputError
from azjax.training import make_game_and_network


@pytest.fixture
def history(run):
    opened = NetworkHistory(run.history)
    yield opened
    opened.close()


@pytest.fixture
def network(tiny_config):
    return make_game_and_network(tiny_config)[1]


def same(one, other):
    return all(
        np.array_equal(x, y) for x, y in zip(*map(jax.tree.leaves, (one, other)), strict=True)
    )


def times(state, factor):
    return jax.tree.map(lambda x: factor * x, state.actor)


def test_restored_networks_are_the_saved_ones(history, network, state_at):
    for iteration in (2, 4):
        history.save(iteration, times(state_at(0), iteration))
    assert history.iterations() == [2, 4]
    for iteration in (2, 4):
        assert same(history.restore(network, iteration), times(state_at(0), iteration))


def test_a_resumed_run_overwrites_its_networks(history, network, state_at):
    for factor in (1, 3):
        history.save(2, times(state_at(0), factor))
    assert history.iterations() == [2]
    assert same(history.restore(network, 2), times(state_at(0), 3))


def test_an_agent_comes_from_history_or_from_a_checkpoint(run, history, state_at):
    history.save(2, times(state_at(0), 2))
    store = Checkpoints(run.checkpoints)
    store.save(state_at(4), None)
    store.close()
    assert past_iterations(run) == [2, 4]
    old, new = (load_agent(f"{run.path}@{i}", simulations=2) for i in (2, 4))
    assert (old.iteration, new.iteration) == (2, 4)
    assert same(old.variables, times(state_at(0), 2))
    assert same(new.variables, state_at(4).actor)


def cut(path):
    path.write_bytes(path.read_bytes()[:10])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def change_fingerprint(path):
    stored = json.loads(path.read_text())
    path.write_text(json.dumps(stored | {"sha256": stored["sha256"][::-1]}))


@pytest.mark.parametrize(
    ("damage", "files"),
    [
        (cut, "network/**/d/*"),
        (flip, "network/**/d/*"),
        (change_fingerprint, "fingerprint/metadata"),
    ],
    ids=["cut", "flipped", "fingerprint"],
)
def test_a_damaged_network_is_reported_in_one_line(run, history, state_at, damage, files):
    history.save(2, state_at(0).actor)
    paths = list((run.history / "2").glob(files))
    assert paths
    for path in paths:
        damage(path)
    with pytest.raises(InputError, match=r"holds a damaged network of iteration 2 \(.*\)$"):
        load_agent(f"{run.path}@2", simulations=2)

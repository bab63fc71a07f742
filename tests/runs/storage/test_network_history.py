import jax
import numpy as np
import pytest

from azjax.agents.agent import load_agent
from azjax.runs.storage.checkpoints import Checkpoints, past_iterations
from azjax.runs.storage.network_history import NetworkHistory
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


def test_restored_networks_are_those_saved_last(history, network, state_at):
    for iteration, factor in [(2, 1), (4, 4), (2, 3)]:  # a resumed run saves again
        history.save(iteration, times(state_at(0), factor))
    assert history.iterations() == [2, 4]
    for iteration, factor in [(2, 3), (4, 4)]:
        assert same(history.restore(network, iteration), times(state_at(0), factor))


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


def test_a_damaged_network_is_reported_in_one_line(run, history, state_at):
    history.save(2, state_at(0).actor)
    paths = list((run.history / "2").glob("network/**/d/*"))
    assert paths
    for path in paths:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)
    with pytest.raises(InputError, match=r"holds a damaged network of iteration 2 \(.*\)$"):
        load_agent(f"{run.path}@2", simulations=2)

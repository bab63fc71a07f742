import jax
import numpy as np
import pytest
from trees import leaves

from azjax.evaluation import MatchResult
from azjax.runs.evaluation.gating import Gate
from azjax.training import Gating, make_context


@pytest.fixture
def gate(tiny_config):
    return Gate(make_context(tiny_config), Gating(games=20), num_devices=2)


@pytest.fixture
def state(state_at):
    """Returns a state whose EMA variables differ from those of its best network."""
    fresh = state_at(6)
    ema_variables = jax.tree.map(lambda x: x + 1, fresh.learner.ema_variables)
    return fresh._replace(
        learner=fresh.learner._replace(ema_variables=ema_variables),
        best=fresh.learner.ema_variables,
    )


@pytest.fixture
def wins(monkeypatch):
    """Returns `wins(n)`: the next challenger wins n pairs of twenty and loses the others."""

    def give(count):
        rewards = np.where(np.arange(20) < count, 1, -1).astype(np.int8)
        result = MatchResult(np.stack([rewards, rewards], axis=1))
        monkeypatch.setattr("azjax.runs.evaluation.gating.play_match", lambda *_, **__: result)

    return give


def test_the_best_network_stays_up_to_a_score_of_55_percent(gate, state, wins):
    wins(11)
    after, found = gate(state)
    assert found["gate_score"] == pytest.approx(11 / 20)
    assert after is state


def test_above_it_a_copy_of_the_ema_variables_replaces_it(gate, state, wins):
    wins(12)
    after, _ = gate(state)
    assert leaves(after.best) == leaves(state.learner.ema_variables)
    assert after.learner is state.learner
    pairs = zip(*map(jax.tree.leaves, (after.best, state.learner.ema_variables)), strict=True)
    for new, old in pairs:
        assert new.unsafe_buffer_pointer() != old.unsafe_buffer_pointer()
        assert new.sharding == old.sharding


def test_the_challenger_is_the_ema_network_and_the_iteration_is_the_seed(gate, state, monkeypatch):
    asked = []

    def play_match(game, challenger, best, settings):
        asked.append((settings.num_games, settings.seed, settings.num_devices))
        assert challenger.parameters.variables is state.learner.ema_variables
        assert best.parameters.variables is state.best
        assert challenger.act == best.act
        return MatchResult(np.zeros((10, 2), np.int8))

    monkeypatch.setattr("azjax.runs.evaluation.gating.play_match", play_match)
    gate(state)
    assert asked == [(20, 6, 2)]

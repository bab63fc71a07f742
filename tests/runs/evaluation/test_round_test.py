"""The test that ends a round: exact play where the game is solved, else a match."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from trees import leaves

from azjax.evaluation import MatchResult, solve
from azjax.networks import MLPConfig
from azjax.runs.evaluation import gating
from azjax.runs.evaluation.gating import Gate
from azjax.search import PolicyRollouts
from azjax.training import (
    Opponent,
    PolicyGradient,
    TrainConfig,
    init_train_state,
    make_context,
    make_game_and_network,
)

COINS = TrainConfig(
    "coins",
    network=MLPConfig(channels=4, blocks=1, value_head="none"),
    search=PolicyRollouts(num_simulations=20),
    algorithm=PolicyGradient(rounds=4),
    num_games=2,
    num_moves=2,
    replay_moves=2,
    batch_size=2,
)
FOUR_IN_A_ROW = dataclasses.replace(COINS, game="connect_four")


def make_round_test(config):
    return Gate(make_context(config), config.algorithm, num_devices=1)


@functools.cache
def state_of(config, passed=0):
    state = jax.jit(init_train_state)(config, jax.random.key(0))
    newest = jax.tree.map(lambda x: x + 1, state.learner.ema_variables)
    return state._replace(
        learner=state.learner._replace(ema_variables=newest),
        opponent=Opponent(state.opponent.variables, np.int32(passed)),
    )


@pytest.fixture
def plays(monkeypatch):
    """Returns `plays(actions)`: the policy's actions in all positions of the coin game."""

    def give(actions):
        monkeypatch.setattr(gating, "choose_actions", lambda *_: actions)

    return give


def best_actions():
    solution = solve(make_game_and_network(COINS)[0])
    return solution.action_values.argmax(axis=1)[~solution.states.terminated]


def test_a_policy_that_loses_nothing_to_exact_play_updates_the_opponent(plays):
    plays(best_actions())
    state = state_of(COINS, passed=1)
    after, row = make_round_test(COINS)(state)
    assert row == {"gate_score": 1.0, "rounds_passed": 2}
    assert int(after.opponent.num_updates) == 2
    assert leaves(after.opponent.variables) == leaves(state.learner.ema_variables)
    assert after.learner is state.learner
    networks = after.opponent.variables, state.learner.ema_variables
    pairs = zip(*map(jax.tree.leaves, networks), strict=True)
    assert all(x.unsafe_buffer_pointer() != y.unsafe_buffer_pointer() for x, y in pairs)


def test_a_policy_that_can_be_beaten_does_not(plays):
    plays(np.zeros_like(best_actions()))  # one coin, always
    state = state_of(COINS)
    after, row = make_round_test(COINS)(state)
    assert row["rounds_passed"] == 0
    assert row["gate_score"] < 1
    assert after is state


@pytest.mark.parametrize(("wins", "passed"), [(220, 0), (222, 1)])
def test_elsewhere_it_must_score_above_55_percent_against_the_round_s_search(
    monkeypatch, wins, passed
):
    asked = []

    def play_match(game, policy, opponent, settings):
        asked.append(opponent.parameters.search)
        rewards = np.where(np.arange(400) < wins, 1, -1).astype(np.int8)
        return MatchResult(rewards.reshape(200, 2))

    monkeypatch.setattr(gating, "play_match", play_match)
    after, row = make_round_test(FOUR_IN_A_ROW)(state_of(FOUR_IN_A_ROW))
    assert row == {"gate_score": wins / 400, "rounds_passed": passed}
    assert int(after.opponent.num_updates) == passed
    [search] = asked
    assert search.num_simulations == 5  # of 20 in the last of four rounds
    assert search.prior_weight == pytest.approx(0.5)

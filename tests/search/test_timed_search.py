"""Searches that stop by the clock."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.games import make
from azjax.search import MAX_SIMULATIONS, Evaluation, TimedSearch, mask_illegal, pieces, rules_model
from azjax.support.component import get_component

GAME = make("tic_tac_toe")
PARAMS = ()


def evaluate_alike(parameters, keys, states):
    legal = jax.vmap(GAME.legal_action_mask)(states)
    return Evaluation(mask_illegal(jnp.zeros(legal.shape), legal), jnp.zeros(len(legal)))


class Timed:
    """A timed search without noise, by name."""

    def __init__(self, algorithm, seconds):
        self.config = get_component("search", algorithm)().without_noise()
        self.search = TimedSearch(rules_model(GAME, evaluate_alike), self.config, seconds)
        self.arguments = self.config, PARAMS, keys(), states()

    def prepare(self):
        self.search.prepare(*self.arguments)

    def plan_size(self):
        return self.search._plan_size(*self.arguments)


def keys():
    return jax.random.split(jax.random.key(0), 1)


def states(text="XX./OO./... X"):
    return jax.tree.map(lambda x: np.asarray(x)[None], GAME.parse_state(text))


def run(timed, most_seconds, *arguments):
    """Returns the number of simulations and the best move of a search within its time."""
    for _ in range(5):  # this process may have to wait for others
        start = time.perf_counter()
        result = timed.search(*timed.arguments, *arguments)
        if time.perf_counter() - start < most_seconds:
            break
    else:
        pytest.fail(f"no search ended within {most_seconds} seconds")
    simulations = int(result.tree.summary().visit_counts.sum())
    return simulations, GAME.format_action(int(result.action[0]))


@pytest.fixture(scope="module")
def puct():
    timed = Timed("puct", 0.3)
    timed.prepare()
    return timed


@pytest.mark.slow
def test_an_anytime_search_ends_with_its_time_or_with_less_that_it_is_given(puct):
    simulations, action = run(puct, 0.55, 60)  # it takes no more than its own
    assert simulations > 20
    assert action == "c1"
    run(puct, 0.25, 0.05)
    assert run(puct, 60, 0)[0] == 1


@pytest.mark.slow
def test_gumbel_makes_no_more_simulations_than_planned_and_ends_with_its_time():
    timed = Timed("gumbel", 0.3)
    timed.prepare()
    simulations, action = run(timed, 0.55)
    assert 20 < simulations <= timed.search._prepared.num_simulations
    assert action == "c1"


@pytest.fixture
def size_of(monkeypatch):
    """Returns `size_of(algorithm)`: the tree for 8 seconds at 100 simulations a second."""

    def size_of(algorithm, speed=100.0):
        timing = pieces._Timing(64, speed, finish_seconds=0.0)
        monkeypatch.setattr(pieces, "_measure", lambda *arguments: timing)
        return Timed(algorithm, 8.0).plan_size()

    return size_of


def test_gumbel_plans_a_little_less_than_the_measured_speed_allows(size_of):
    assert size_of("gumbel") == 704  # 0.9 * 100 * 8, rounded down


@pytest.mark.parametrize(("algorithm", "most"), [("uct", MAX_SIMULATIONS), ("gumbel", 2**16)])
def test_a_tree_has_no_more_simulations_than_a_search_may_have(size_of, algorithm, most):
    assert size_of(algorithm, speed=1e9) == most


def test_a_tree_has_the_size_that_the_memory_allows(size_of, monkeypatch):
    monkeypatch.setattr(pieces, "_MOST_BYTES", 8000)
    assert 4 <= size_of("uct") <= 40


def test_a_search_that_has_no_pieces_is_refused():
    message = r"^search.name='policy': seconds need a TreeSearch.* give simulations"
    with pytest.raises(ValueError, match=message):
        Timed("policy", 1.0)


@pytest.mark.parametrize("seconds", [0.0, float("nan")])
def test_seconds_are_above_0_and_finite(seconds):
    with pytest.raises(ValueError, match=r"seconds=.*: must be above 0, and finite"):
        Timed("puct", seconds)

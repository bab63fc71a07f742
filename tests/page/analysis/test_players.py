import asyncio
import os
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from azjax.evaluation import solve
from azjax.evaluation.truth.solution import keeps_value, plays_best
from azjax.page.analysis.players import Agent, PlayerCache, full_name, list_agents, load_page_player
from azjax.page.analysis.rules import make_rules
from azjax.support.errors import InputError

from ..made_runs import add_checkpoint, add_plugin, make_run


def test_simulations_and_search_are_those_of_the_name_or_else_those_given(tmp_path):
    def load(name):
        return load_page_player(tmp_path, full_name(name, 30, "puct"), "tic_tac_toe").search

    assert (load("mcts").num_simulations, load("mcts").name) == (30, "puct")
    named = load("mcts:simulations=7,search=uct")
    assert (named.num_simulations, named.name) == (7, "uct")
    assert load("random") is None


@pytest.mark.parametrize(
    ("name", "game", "message"),
    [
        ("gtp:gnugo --mode gtp", "go_9", "no player 'gtp'"),
        ("runs/../secret", "hex", "no name below the folder of runs"),
        ("mcts:simulations=10001", "hex", "at most 10,000 simulations"),
        ("mcts:simulations=10,kept=9991", "hex", "at most 10,000 simulations, with the nodes"),
        ("mcts:seconds=1", "hex", "leave out seconds"),
        ("minimax:depth=4", "gomoku_9", "so at most 3"),
    ],
)
def test_what_leads_elsewhere_or_takes_too_long_is_refused(tmp_path, name, game, message):
    with pytest.raises(InputError, match=message) as refused:
        load_page_player(tmp_path, full_name(name), game)
    assert str(tmp_path) not in str(refused.value)


@pytest.mark.parametrize("name", ["one", "one@best", "odd@name"])
def test_no_plugin_of_a_run_is_imported(tmp_path, name):
    for folder in ("one", "odd@name"):
        add_plugin(make_run(tmp_path / folder), "own_game")
    with pytest.raises(InputError, match="start azjax serve --plugin own_game"):
        load_page_player(tmp_path, f"runs/{name}")


@pytest.fixture
def runs(tmp_path):
    """Returns a folder with no agent but those that a test adds; the shipped ones are known."""
    list_agents(tmp_path)
    folder = tmp_path / "runs"
    folder.mkdir()
    return folder


def own(runs):
    return [agent for agent in list_agents(runs) if agent.kind != "shipped"]


def test_a_damaged_run_is_no_agent_even_if_it_has_a_checkpoint(runs):
    for name in ("right", "damaged", "new"):
        make_run(runs / name)
    for name in ("right", "damaged"):
        add_checkpoint(runs / name)
    (runs / "damaged" / "run.json").write_text("{")
    assert own(runs) == [Agent("runs/right", "tic_tac_toe", "run")]


PLAYER = SimpleNamespace(name="a player")


class FakeWorker:
    """Loads what a test gives, in order."""

    def __init__(self, *results):
        self.results = list(results)

    async def load(self, function, *arguments):
        return self.results.pop(0)

    async def access_files(self, function, *arguments):
        return function(*arguments)


@pytest.mark.parametrize("changed", ["mine.npz", "one", "one/checkpoints", "one/history"])
def test_a_player_is_loaded_again_when_its_file_or_its_run_has_changed(tmp_path, changed):
    """Each alone, as in a run that keeps no checkpoints."""
    path = tmp_path / changed
    path.mkdir(parents=True)

    async def get_before_and_after():
        cache = PlayerCache(tmp_path, FakeWorker(PLAYER, "the newer one"))
        name = f"runs/{changed.partition('/')[0]}:simulations=2"
        before = [await cache.get(name), await cache.get(name)]
        os.utime(path, ns=(1, 1))
        return [*before, await cache.get(name)]

    assert asyncio.run(get_before_and_after()) == [PLAYER, PLAYER, "the newer one"]


def test_exact_play_of_a_won_position_shortens_the_game_where_positions_recur(tmp_path):
    rules = make_rules("quixo_3")
    player, solution = load_page_player(tmp_path, "truth", "quixo_3"), solve(rules.game)
    keeps = keeps_value(solution.action_values) & (solution.children >= 0)
    delays = keeps & ~plays_best(solution)
    index = int(delays.sum(axis=1).argmax())
    state = jax.tree.map(lambda x: x[index], solution.states)
    position = rules.parse(rules.game.format_state(state))
    chosen = [player.choose_move(position, seed) for seed in range(10)]
    assert np.flatnonzero(delays[index]).size >= 4
    assert not delays[index, chosen].any()
    other = make_rules("coins:coins=5")
    player = load_page_player(tmp_path, "truth", other.game.name)
    with pytest.raises(InputError, match="no play of coins"):
        player.choose_move(other.parse("5 O"), 0)

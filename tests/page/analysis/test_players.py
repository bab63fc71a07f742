import asyncio
import os
import shutil
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from azjax.agents.agent_file import shipped_agents
from azjax.evaluation import solve
from azjax.evaluation.truth.solution import keeps_value, plays_best
from azjax.page.analysis import players as catalogue
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


def test_equal_players_have_equal_full_names():
    assert full_name("connect_four") == "connect_four"
    assert full_name("connect_four", 64) == full_name("connect_four:simulations=64")
    assert full_name("mcts:search=puct", 30) == full_name("mcts:simulations=30", None, "puct")
    assert full_name("mcts") != full_name("mcts", 64)
    assert full_name("minimax:depth=2", 30, "puct") == "minimax:depth=2"


@pytest.mark.parametrize(
    ("name", "game", "message"),
    [
        ("gtp:gnugo --mode gtp", "go_9", "no player 'gtp'"),
        ("runs/../secret", "hex", "no name below the folder of runs"),
        ("mcts:simulations=10001", "hex", "at most 10,000 simulations"),
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


def test_an_agents_file_is_read_again_only_when_it_has_changed(runs, monkeypatch):
    read, paths = catalogue.read_agent_file, []

    def counted(path):
        paths.append(path)
        return read(path)

    monkeypatch.setattr(catalogue, "read_agent_file", counted)
    file = runs / "mine.npz"
    shutil.copy(shipped_agents()["mnk_6_6_4"], file)
    expected = [Agent("runs/mine.npz", "mnk_6_6_4", "file")]
    assert own(runs) == own(runs) == expected
    assert paths == [file]
    os.utime(file, ns=(1, 1))
    assert own(runs) == expected
    assert paths == [file] * 2


PLAYER = SimpleNamespace(name="a player")


class FakeWorker:
    """Ends what is to be loaded by the results that a test gives, in order."""

    def __init__(self, *results):
        self.results, self.num_loads = list(results), 0

    async def load(self, function, *arguments):
        self.num_loads += 1
        await asyncio.sleep(0)
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    async def access_files(self, function, *arguments):
        return function(*arguments)


def test_who_waited_for_a_failure_drops_no_later_player(tmp_path):
    """Two wait for the first try; one of them has begun another before the other has failed."""

    async def get_in_turn():
        worker = FakeWorker(OSError("disk"), PLAYER, "a second one")
        cache = PlayerCache(tmp_path, worker)

        async def get_until_there():
            try:
                return await cache.get("random")
            except OSError:
                return await cache.get("random")

        found = await asyncio.gather(get_until_there(), get_until_there())
        return [*found, await cache.get("random")], worker.num_loads

    assert asyncio.run(get_in_turn()) == ([PLAYER] * 3, 2)


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


@pytest.mark.parametrize("name", ["truth", "minimax"])
def test_exact_play_of_a_won_position_shortens_the_game_where_positions_recur(tmp_path, name):
    rules = make_rules("quixo_3")
    player, solution = load_page_player(tmp_path, name, "quixo_3"), solve(rules.game)
    keeps = keeps_value(solution.action_values) & (solution.children >= 0)
    delays = keeps & ~plays_best(solution)
    index = int(delays.sum(axis=1).argmax())
    state = jax.tree.map(lambda x: x[index], solution.states)
    position = rules.parse(rules.game.format_state(state))
    chosen = [player.choose_move(position, seed) for seed in range(10)]
    assert np.flatnonzero(delays[index]).size >= 4
    assert not delays[index, chosen].any()
    other = make_rules("coins:coins=5")
    player = load_page_player(tmp_path, name, other.game.name)
    with pytest.raises(InputError, match="no play of coins"):
        player.choose_move(other.parse("5 O"), 0)

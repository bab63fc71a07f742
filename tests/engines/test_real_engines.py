"""Whole games against GNU Go, Stockfish and others: both sides agree on moves and results.

An engine that is not installed is skipped.
"""

import importlib.util
import os
import random
import re
import shutil
import sys

import jax
import numpy as np
import pytest

from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import load_players
from azjax.engines.gtp_client import GtpClient
from azjax.engines.gtp_syntax import gtp_board
from azjax.evaluation import MatchSettings, play_match
from azjax.games.go import chains

pytestmark = pytest.mark.slow

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])  # where Debian installs them
GNU_GO = (
    "gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead --play-out-aftermath "
    "--positional-superko"
)
RHINO = "gtp-rhino -l 1 -b 0"


def load(command, opponent, game):
    """Returns the engine and its opponent."""
    name, *options = re.split("(?=[ ,])", command)
    if (program := shutil.which(name, path=PATH)) is None:
        pytest.skip(f"{name} is not installed")
    protocol = "uci" if "stockfish" in name else "gtp"
    return load_players(["".join([f"{protocol}:{program}", *options]), opponent], game, 2)


def play(command, opponent, game, opening_moves=0):
    """Returns the players' game, the engine, and the result of a match of four games."""
    engine, other = load(command, opponent, game)
    settings = MatchSettings(4, opening_moves, seed=0)
    result = play_match(engine.game, engine.player, other.player, settings)
    return engine.game, engine.player, result


def last_states(game, result):
    """Yields the actions and the last state of each game."""
    step, legal_action_mask = jax.jit(game.step), jax.jit(game.legal_action_mask)
    for pair in result.actions:
        for actions in pair:
            state = game.init(jax.random.key(0))
            for action in actions:
                assert legal_action_mask(state)[action]
                state = step(state, action)
            assert state.terminated
            yield actions, state


def final_score(game, player, actions):
    """Returns the engine's score of a game, from black's view."""
    client, board = GtpClient(player.command), gtp_board(game)
    client.send(f"boardsize {board.size}")
    client.send("clear_board")
    if hasattr(game, "komi"):
        client.send(f"komi {game.komi}")
    for number, action in enumerate(actions):
        if not (game.name == "othello" and action == 64):  # gtp-rhino passes by itself
            client.send(f"play {('black', 'white')[number % 2]} {board.format(action)}")
    score = client.send("final_score")
    client.close()
    return 0.0 if score == "0" else {"B": 1, "W": -1}[score[0]] * float(score[2:])


@pytest.mark.parametrize("name", ["go_5:komi=0.5", "go_7"])
def test_whole_games_of_go_have_the_score_of_gnu_go(name):
    game, player, result = play(GNU_GO, "random", name)
    assert result.wins == 4
    for actions, state in last_states(game, result):
        lead = float(chains.area_lead(state.chains, np.array(True))) - game.komi
        assert final_score(game, player, actions) == lead


def test_whole_games_of_othello_have_the_score_of_gtp_rhino():
    game, player, result = play(RHINO, "random", "othello", opening_moves=4)
    assert result.wins >= 3
    passes = 0
    for actions, state in last_states(game, result):
        lead = int(np.subtract(*((game.owners(state) == owner).sum() for owner in (0, 1))))
        assert final_score(game, player, actions) == lead
        passes += actions.count(64)
    assert passes


def test_azjax_plays_itself_as_an_engine_and_may_swap():
    name = "hex:size=3,swap=true"
    engine = f"gtp:{sys.executable} -m azjax gtp minimax:depth=1 --game {name}"
    first, second = load_players([engine, "random"], name, 2, EngineSettings(engine_processes=2))
    settings = MatchSettings(20, opening_moves=0, seed=0)
    result = play_match(first.game, first.player, second.player, settings)
    assert result.forfeits == (0, 0)
    assert {pair[0][1] for pair in result.actions} | {pair[1][1] for pair in result.actions} >= {9}


def test_the_perfect_player_wins_from_the_best_first_move():
    if importlib.util.find_spec("bitbully") is None:
        pytest.skip("bitbully is not installed")
    perfect, tactical = load_players(["perfect", "tactical"], "connect_four", 2)
    settings = MatchSettings(8, opening_moves=0, seed=0)
    first, second = (
        play_match(perfect.game, perfect.player, tactical.player, settings) for _ in range(2)
    )
    assert first.moving_first.wins == 4
    assert {pair[0][0] for pair in first.actions} == {3}
    assert len({tuple(pair[0]) for pair in first.actions}) > 1
    assert first.actions == second.actions  # seeded


def test_stockfish_wins_whole_games_of_chess_from_both_sides():
    game, _, result = play("stockfish,Skill Level=5,nodes=2000", "random", "pgx:chess")
    assert (result.wins, result.forfeits) == (4, (0, 0))
    assert all(state.terminated for _, state in last_states(game, result))


@pytest.mark.parametrize("name", ["pgx:gardner_chess", "pgx:animal_shogi"])
def test_fairy_stockfish_wins_whole_games_of_its_variants(name):
    _, _, result = play("fairy-stockfish,nodes=2000", "random", name)
    assert (result.wins, result.forfeits) == (4, (0, 0))


def test_python_chess_drives_azjax_as_an_engine_of_chess():
    chess = pytest.importorskip("chess")
    engines = pytest.importorskip("chess.engine")
    command = [sys.executable, "-m", "azjax", "uci", "random", "--game", "pgx:chess"]
    board, replies = chess.Board("4k3/PP6/8/8/8/8/7p/4K3 b - - 0 1"), random.Random(0)
    with engines.SimpleEngine.popen_uci(command, timeout=300) as engine:
        assert engine.id["name"].startswith("azjax ")
        for start in (board, chess.Board()):
            while not start.is_game_over() and len(start.move_stack) < 30:
                start.push(engine.play(start, engines.Limit(time=5, white_clock=9)).move)
                if not start.is_game_over():
                    start.push(replies.choice(list(start.legal_moves)))
            assert start.move_stack

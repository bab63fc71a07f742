"""UCI engines are told the moves of a game and asked for theirs; each of their errors has one line.

The fake engine plays tic-tac-toe: Pgx's chess takes long to compile.
"""

import pathlib
import re
import sys

import numpy as np
import pytest
from cell_board import CellBoard
from engine_player import log_commands, running_engines

from azjax import games
from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import load_player, load_players
from azjax.engines.engine_process import EngineError
from azjax.engines.uci_client import UciEngine
from azjax.evaluation import MatchSettings, play_match
from azjax.support.errors import InputError, RunError

GAME = games.make("tic_tac_toe")
FAKE = pathlib.Path(__file__).with_name("fake_uci_engine.py")


@pytest.fixture(autouse=True)
def tic_tac_toe(monkeypatch):
    for module in ("agents.engine_player", "engines.uci_client"):
        monkeypatch.setattr(f"azjax.{module}.uci_board", CellBoard)
    yield
    assert not running_engines()


@pytest.fixture
def log(tmp_path, monkeypatch):
    read = log_commands(monkeypatch, tmp_path / "log")
    return lambda: [command for _, command in read()]


@pytest.fixture
def start():
    engines = []

    def call(*misbehaviour, seconds=None, **options):
        command = (sys.executable, str(FAKE), *misbehaviour)
        engines.append(UciEngine(GAME, command, seconds, options=options))
        return engines[-1]

    yield call
    for engine in engines:
        engine.close()


def choose(engine, *cells):
    engine.prepare()
    actions = [GAME.parse_action(cell) for cell in cells]
    legal = np.array([cell not in actions for cell in range(9)])
    return GAME.format_action(engine.choose(actions, legal, seed=7))


def play(first, second, num_games=8, **settings):
    engines = EngineSettings(engine_processes=2, **settings)
    players = load_players([first, second], "tic_tac_toe", 2, engines)
    match = MatchSettings(num_games, opening_moves=1, seed=0)
    return play_match(GAME, players[0].player, players[1].player, match)


def fake(*arguments, options=""):
    words = " ".join([f"uci:{sys.executable} {FAKE}", *(f"'{a}'" for a in arguments)])
    return words + options


def test_it_is_told_its_options_once_and_the_moves_of_each_game(start, log):
    engine = start(nodes="50", **{"skill level": "3"})
    assert choose(engine, "a1") == "b1"
    assert choose(engine, "a1", "b1", "b2") == "c1"
    assert choose(engine) == "a1"
    options = ["setoption name UCI_Variant value chess", "setoption name skill level value 3"]
    first = ["position startpos moves a1", "go nodes 50"]
    second = ["position startpos moves a1 b1 b2", "go nodes 50"]
    new = ["ucinewgame", "isready"]
    start = ["uci", *options, "isready"]
    assert log() == [*start, *new, *first, *second, *new, "position startpos", "go nodes 50"]


@pytest.mark.parametrize(
    ("seconds", "options", "go"),
    [(None, {}, "go movetime 1000"), (5, {"depth": "2"}, "go depth 2 movetime 5000")],
)
def test_its_limits_are_told_with_each_move(start, log, seconds, options, go):
    choose(start(seconds=seconds, **options))
    assert log()[-1] == go


@pytest.mark.parametrize(
    ("misbehaviour", "text"),
    [
        ("dies", "has ended with exit status 1: out of luck"),
        ("hangs", "does not answer 'go movetime 1000' within 2 s"),
        ("plays an occupied cell", "plays 'a1', which is illegal"),
    ],
)
def test_an_error_in_a_game_has_one_line(start, misbehaviour, text):
    with pytest.raises(EngineError, match=f"^{re.escape(text)}"):
        choose(start(misbehaviour, seconds=1), "a1")


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("Skil Level=3", "has no option 'Skil Level'; did you mean 'Skill Level'?"),
        ("Skill Level=21", "does not take Skill Level=21: must be a whole number from 0 to 20"),
        ("Ponder=yes", "does not take Ponder=yes: must be one of true, false"),
    ],
)
def test_an_option_that_it_does_not_take_stops_the_match(option, text):
    with pytest.raises(RunError, match=re.escape(f"{option} {text}")):
        play(fake(options=f",{option}"), "random", on_engine_error="forfeit")


def test_an_engine_without_the_variant_says_so(start, monkeypatch):
    monkeypatch.setattr(CellBoard, "variant", "gardner")
    with pytest.raises(EngineError, match=r"^does not play tic_tac_toe: it has no variant gardner"):
        start().prepare()


def test_a_variant_with_more_moves_is_asked_for_those_of_azjax(start, log, monkeypatch):
    monkeypatch.setattr(CellBoard, "variant", "losers")
    choose(start(depth="1"), "a1", "b2", "c1", "b1", "b3")
    assert log()[-1] == "go depth 1 searchmoves a2 c2 a3 c3"


def test_engines_play_whole_games_and_forfeit_those_that_they_fail_in():
    first, second = (play(fake(options=",Skill Level=3,nodes=9"), "random") for _ in range(2))
    assert (first.forfeits, first.actions) == ((0, 0), second.actions)
    assert play("random", fake("dies"), on_engine_error="forfeit").forfeits == (0, 8)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uci:", "write a command, such as 'uci:stockfish,Skill Level=3'"),
        ("uci:python,Skill", "'Skill' is no option: write NAME=VALUE, such as Skill Level=3"),
        ("uci:python,Ponder=true,Ponder=false", "Ponder is given twice"),
        ("uci:python,nodes=0", "nodes=0: must be a whole number, 1 or more"),
        ("uci:no_such_engine,nodes=1", "there is no program 'no_such_engine' to run: is it inst"),
    ],
)
def test_a_name_that_is_no_engine_is_refused(name, text):
    with pytest.raises(InputError, match=f"^{re.escape(f'{name}: {text}')}"):
        load_player(name, "tic_tac_toe")


def test_a_game_that_uci_does_not_know_is_refused(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(InputError, match="hex is not played by UCI: pgx:chess, pgx:gardner_chess"):
        load_player("uci:python", "hex")

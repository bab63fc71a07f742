"""Engines are told the moves of a game and asked for theirs; each of their errors has one line."""

import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
import pytest
from engine_player import log_commands

from azjax import games
from azjax.engines.engine_process import EngineError
from azjax.engines.gtp_client import GtpClient, GtpEngine, RefusedError

GAME = games.make("tic_tac_toe")


@pytest.fixture
def start(fake):
    engines = []

    def call(*misbehaviour, game=GAME, seconds=None):
        engines.append(GtpEngine(game, fake(*misbehaviour), seconds))
        return engines[-1]

    yield call
    for engine in engines:
        engine.close()


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The commands that engines have been sent, without those at the start."""
    read = log_commands(monkeypatch, tmp_path / "log")
    return lambda: [command for _, command in read()]


def choose(engine, *cells, seed=7):
    """Returns the engine's answer to moves such as `a1`, in azjax's notation."""
    engine.prepare()
    actions = [GAME.parse_action(cell) for cell in cells]
    legal = np.array([cell not in actions for cell in range(9)])
    action = engine.choose(actions, legal, seed)
    return None if action is None else GAME.format_action(action)


def test_it_is_told_the_moves_that_it_does_not_know(start, log):
    engine = start()
    assert choose(engine, "a1") == "b1"
    assert choose(engine, "a1", "b1", "b2") == "c1"
    start = ["protocol_version", "list_commands", "boardsize 3", "clear_board"]
    moves = ["play black A3", "genmove white", "play black B2", "genmove white"]
    assert log() == [*start, "set_random_seed 7", *moves]


def test_it_may_write_errors_without_end(start):
    assert choose(start("writes to its errors"), "a1") == "b1"


@pytest.mark.parametrize("other", [["c3"], ["a1", "c1", "b2"]])
def test_a_game_that_does_not_go_on_from_the_last_begins_anew(start, log, other):
    engine = start()
    choose(engine, "a1")
    before = len(log())
    assert choose(engine, *other, seed=8)
    assert log()[before : before + 2] == ["clear_board", "set_random_seed 8"]
    plays = [line.split() for line in log()[before + 2 :]]
    assert [words[0] for words in plays] == ["play"] * len(other) + ["genmove"]
    assert [words[1] for words in plays] == ["black", "white", "black", "white"][: len(plays)]


@pytest.mark.parametrize("komi", ["9", "-0.5"])
def test_it_is_told_a_komi_of_whole_or_half_points(start, log, komi):
    start(game=games.make(f"go_9:size=3,komi={komi}")).prepare()
    assert f"komi {komi}" in log()


@pytest.mark.parametrize(
    ("misbehaviour", "text"),
    [
        ("dies", "has ended with exit status 1: out of luck"),
        ("hangs", "does not answer 'genmove white' within 2 s"),
        ("plays an occupied cell", "plays a1, which is illegal"),
        ("refuses in many words", r"answers 'genmove white' by '\? no idea\?\[0m at all at all "),
        ("refuses a move", r"refuses the move a1: '\? illegal move'"),
        ("floods", "answers 'genmove white' without end"),
    ],
)
def test_an_error_in_a_game_has_one_line(start, misbehaviour, text):
    engine = start(misbehaviour, 0 if misbehaviour == "refuses a move" else 1, seconds=1)
    began = time.monotonic()
    with pytest.raises(EngineError, match=f"^{text}") as error:
        choose(engine, "a1")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 200
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("misbehaviour", "text"),
    [
        ("does not speak", "does not speak GTP: it answers 'protocol_version' by 'what?'"),
        ("has another board", "does not play tic_tac_toe: it answers 'boardsize 3' by '? unacc"),
    ],
)
def test_an_engine_that_cannot_play_the_game_says_so_first(start, misbehaviour, text):
    with pytest.raises(EngineError, match=f"^{re.escape(text)}"):
        start(misbehaviour).prepare()


def test_no_process_is_left(fake):
    process = GtpClient(fake("hangs with a child"))
    (engine,) = [p for p in psutil.Process().children() if "hangs with a child" in p.cmdline()]
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(process.send, "genmove black", 20)
        while not (children := engine.children()):
            time.sleep(0.01)
        process.kill()
        with pytest.raises(EngineError, match="was killed by SIGKILL"):
            answer.result()
    process.close()
    assert not psutil.pid_exists(engine.pid)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive


def test_a_forced_pass_in_othello_is_not_asked_for(monkeypatch, fake):
    """The engine passes by itself, and refuses `pass`."""
    game = games.make("othello:size=4")
    sent = []

    def send(command, seconds=60):
        sent.append(command)
        if command.endswith("pass"):
            raise RefusedError("syntax error")
        return "D1" if command.startswith("genmove") else ""

    engine = GtpEngine(game, fake(), None)
    monkeypatch.setattr(engine, "send", send)
    monkeypatch.setattr(engine, "greet", lambda: None)
    engine.prepare()
    legal = np.zeros(17, bool)
    legal[16] = True
    assert engine.choose([1], legal, seed=0) == 16
    assert engine.choose([1, 16, 3], np.ones(17, bool) & ~legal, seed=0) == 3
    moves = ["play black B1", "play white pass", "play black D1", "genmove white"]
    assert sent[1:] == ["clear_board", *moves]
    engine.close()

"""Engines as players of matches: several at once, what their errors end, and no process left."""

import os
import signal
import threading
import time

import pytest
from engine_player import fake, log_commands, running_engines

import azjax
from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import load_player, load_players
from azjax.engines.gtp_client import GtpClient
from azjax.evaluation import MatchSettings, play_match
from azjax.support.errors import InputError, RunError


def play(first, second, **settings):
    players = load_players([first, second], "tic_tac_toe", 2, EngineSettings(**settings))
    match = MatchSettings(num_games=8, opening_moves=1, seed=0)
    return play_match(players[0].game, players[0].player, players[1].player, match)


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert not running_engines()


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The (process, command) that engines have been sent."""
    return log_commands(monkeypatch, tmp_path / "log")


def test_engines_play_whole_games_whatever_their_number(log):
    result = play(fake(), "random", engine_processes=4)
    assert result.num_games == 8
    assert result.forfeits == (0, 0)
    assert len({process for process, _ in log()}) == 4
    assert (
        sum(command == "clear_board" for _, command in log()) == 8
    )  # told each game from its start
    played = sum(command.startswith(("play", "genmove")) for _, command in log())
    assert played <= sum(len(game) for pair in result.actions for game in pair)
    assert play(fake(), "random", engine_processes=2).actions == result.actions


def test_an_error_stops_the_match_with_the_game_so_far():
    with pytest.raises(RunError) as error:
        play(fake("dies", 2), "random", engine_processes=2)
    text = str(error.value)
    assert text.startswith(f"{fake('dies', 2)} has ended with exit status 1: out of luck; game 2 ")
    assert len(text.split("so far: ")[1].split()) == 3  # the opening's, its own, and the answer
    assert "\n" not in text


def test_an_error_loses_the_game_where_the_match_goes_on(capsys):
    result = play("random", fake("dies", 1), on_engine_error="forfeit", engine_processes=2)
    assert result.wins == 8
    assert result.forfeits == (0, 8)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("azjax: gtp:")
    assert lines[0].endswith("; it loses this game")


def test_a_match_from_python_runs_its_engines_as_it_is_told(log, monkeypatch):
    monkeypatch.setattr(GtpClient, "knows", lambda self, command: command == "time_settings")
    settings = {"game": "tic_tac_toe", "games": 4, "engine_seconds": 5, "engine_processes": 2}
    assert azjax.evaluate("random", fake(), **settings).num_games == 4
    assert [command for _, command in log()].count("time_settings 0 5 1") == 2
    result = azjax.evaluate("random", fake("dies"), on_engine_error="forfeit", **settings)
    assert result.forfeits == (0, 4)
    with pytest.raises(RunError, match="out of luck"):
        azjax.evaluate("random", fake("dies"), **settings)


def test_an_engine_that_does_not_play_the_game_stops_the_match_in_any_case():
    with pytest.raises(RunError, match="does not play tic_tac_toe: it answers 'boardsize 3'"):
        play(fake("has another board"), "random", on_engine_error="forfeit")


@pytest.fixture
def interruptible():
    """Lets SIGINT interrupt: a shell ignores it for what it starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_engines_that_think(tmp_path, log, capfd):
    def interrupt():
        while not ((tmp_path / "log").exists() and "genmove" in str(log())):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        play(fake("hangs"), "random", engine_seconds=20, on_engine_error="forfeit")
    thread.join()
    assert "loses this game" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "game", "text"),
    [
        ("gtp:no_such_engine -x", "hex", "there is no program 'no_such_engine' to run: is it inst"),
        ("gtp:python", "quixo", "quixo is not played by GTP"),
        ("perfect", "hex", "plays connect_four in its standard size alone, not hex"),
    ],
)
def test_an_engine_that_cannot_be_run_is_refused(name, game, text):
    with pytest.raises(InputError, match=f"^{name}: {text}"):
        load_player(name, game, None)

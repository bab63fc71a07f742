"""Engines in matches of the command line, and the games of matches as SGF files."""

import io
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from command_line import assert_one_line
from engine_player import fake

pytestmark = pytest.mark.slow

STRANGE = "\udcff ö $x_$"  # no UTF-8, no ASCII, and a formula for matplotlib
HEX = ("--game", "hex:size=2", "--games", "4")


def evaluate(azjax, opponent, *options):
    shared = ("--opponent", opponent, "--game", "tic_tac_toe", "--games", "4")
    return azjax("evaluate", "random", *shared, "--engine-processes", "2", *options)


def test_an_error_of_an_engine_ends_in_one_line_with_the_game_so_far(azjax):
    result = evaluate(azjax, fake("dies", 2))
    assert_one_line(result, 1, " has ended with exit status 1: out of luck; game 2 so far: ")
    result = evaluate(azjax, fake("hangs"), "--engine-seconds", "1")
    assert (result.code, " does not answer 'genmove " in result.err) == (1, True)


def test_the_games_of_a_match_are_saved_once(azjax, tmp_path):
    command = ("evaluate", "random", *HEX, "--sgf", tmp_path / "games")
    assert azjax(*command).code == 0
    files = sorted((tmp_path / "games").iterdir())
    assert [file.name for file in files] == ["0001.sgf", "0002.sgf", "0003.sgf", "0004.sgf"]
    assert all("GM[11]" in file.read_text() for file in files)
    texts = [file.read_text() for file in files]
    assert_one_line(azjax(*command), 2, f"{tmp_path / 'games'} already holds games: choose another")
    assert [file.read_text() for file in files] == texts


def test_games_are_saved_as_they_end_under_any_name(azjax, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    name = fake("dies", 9, STRANGE)
    game = ("--game", "hex:size=3", "--games", "20", "--engine-processes", "2")
    result = azjax("evaluate", "random", "--opponent", name, *game, "--sgf", tmp_path / "games")
    assert (result.code, "out of luck" in result.err) == (1, True)
    files = sorted((tmp_path / "games").iterdir())
    assert 2 <= len(files) < 20
    assert r"\\udcff ö $x_$" in files[0].read_text()


def test_a_tournament_that_goes_on_does_not_replace_games_of_others(azjax, tmp_path):
    command = ("tournament", "tactical", *HEX, "--opening-moves", "1", "--out", tmp_path / "out")
    assert azjax(*command).code == 0
    rows = (tmp_path / "out" / "matches.jsonl").read_text()
    (tmp_path / "out" / "matches.jsonl").write_text("")  # as if it had stopped before the match
    own = tmp_path / "games" / "1-2" / "0001.sgf"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    refused = azjax(*command, "--sgf", tmp_path / "games")
    assert (refused.code, own.read_text()) == (2, "mine")
    assert f"{own.parent} already holds games" in refused.err
    (tmp_path / "out" / "matches.jsonl").write_text(rows)
    assert azjax(*command, "--sgf", tmp_path / "games").code == 0  # all was played before


def test_a_signal_ends_the_match_and_its_engines(tmp_path):
    log, signum = tmp_path / "log", signal.SIGINT
    words = ("evaluate", "random", "--opponent", fake("hangs"), "--game", "tic_tac_toe")
    before = signal.signal(signum, signal.SIG_DFL)  # a shell's background job ignores SIGINT
    process = subprocess.Popen(
        [sys.executable, "-m", "azjax", *words],
        env={**os.environ, "FAKE_ENGINE_LOG": str(log)},
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signum, before)
    while "genmove" not in (log.read_text() if log.exists() else ""):
        time.sleep(0.1)
    engines = {int(line.split()[0]) for line in log.read_text().splitlines()}
    process.send_signal(signum)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "azjax: interrupted\n"
    assert not any(map(psutil.pid_exists, engines))

"""Whole games of azjax, as an engine, against GNU Go and gtp-rhino: both agree on the result."""

import functools
import os
import shutil
import subprocess
import sys

import pytest
from gtp_serving import RandomGtpPlayer, ask, serve

from azjax.engines.gtp_vertex import gtp_board

PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
GNUGO = (
    *("gnugo", "--mode", "gtp", "--level", "1", "--seed", "1"),
    *("--chinese-rules", "--capture-all-dead", "--play-out-aftermath"),
)
RHINO = ("gtp-rhino", "-l", "1", "-b", "0")


class Engine:
    """A program that is controlled by GTP."""

    def __init__(self, command):
        program = shutil.which(command[0], path=PATH)
        if program is None:
            pytest.skip(f"{command[0]} is not installed")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen([program, *command[1:]], text=True, **pipes)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def ask(self, command):
        """Returns the text of a successful response."""
        print(command, file=self.process.stdin, flush=True)
        lines = list(iter(lambda: self.process.stdout.readline().rstrip("\n"), ""))
        assert lines[0].startswith("="), (command, lines)
        return "\n".join([lines[0][1:].strip(), *lines[1:]])


class EngineGtpPlayer(RandomGtpPlayer):
    """Plays random moves, then those of an engine."""

    def __init__(self, game, engine, seed, num_random):
        super().__init__(game, seed)
        self.engine, self.num_random = engine, num_random

    def choose(self, state, actions, seconds):
        if len(actions) < self.num_random:
            return super().choose(state, actions, seconds)
        colour = "bw"[int(state.current_player)]
        return gtp_board(self.game).parse(self.engine.ask(f"reg_genmove {colour}"))


def is_over(server):
    return ask(server, "showboard").endswith("the game is over")


@pytest.mark.slow
@pytest.mark.parametrize("own_colour", ["b", "w"])
def test_a_game_of_go_has_the_result_that_gnu_go_counts(own_colour):
    with Engine(GNUGO) as gnugo:
        make_player = functools.partial(EngineGtpPlayer, engine=gnugo, seed=1, num_random=8)
        server = serve("go_9", make_player)
        for command in ("boardsize 9", "komi 7.5", "clear_board"):
            gnugo.ask(command)
            ask(server, command)
        colour, moves = "b", []
        while not is_over(server):
            if colour == own_colour:
                moves.append(ask(server, f"genmove {colour}"))
                gnugo.ask(f"play {colour} {moves[-1]}")
            else:
                moves.append(gnugo.ask(f"genmove {colour}"))
                ask(server, f"play {colour} {moves[-1]}")
            colour = {"b": "w", "w": "b"}[colour]
        assert [move.lower() for move in moves[-2:]] == ["pass", "pass"]
        assert ask(server, "final_score") == gnugo.ask("final_score")


@pytest.mark.slow
@pytest.mark.parametrize("own_colour", ["b", "w"])
def test_a_game_of_othello_has_the_result_that_rhino_counts(own_colour):
    server = serve("othello", RandomGtpPlayer)
    with Engine(RHINO) as rhino:
        colour = "b"
        while not is_over(server):
            if colour == own_colour:
                move = ask(server, f"genmove {colour}")
                if move != "pass":  # which rhino refuses: it passes by itself
                    rhino.ask(f"play {colour} {move}")
            else:
                ask(server, f"play {colour} {rhino.ask(f'genmove {colour}')}")
            colour = {"b": "w", "w": "b"}[colour]
        assert ask(server, "final_score") == rhino.ask("final_score")


@pytest.mark.slow
def test_the_process_answers_each_command_before_the_next_is_written():
    with Engine((sys.executable, "-m", "azjax", "gtp", "random", "--game", "go_5")) as azjax:
        assert azjax.ask("name") == "azjax"
        assert azjax.ask("genmove b") != ""
        assert "X" in azjax.ask("showboard")
        azjax.ask("quit")
        assert azjax.process.wait(timeout=20) == 0
        assert azjax.process.stdout.read() == ""

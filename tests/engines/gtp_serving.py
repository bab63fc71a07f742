"""Helpers of the tests of azjax as an engine: players that need no search, and servers."""

import functools

import jax
import numpy as np

from azjax.engines.gtp_server import GtpServer
from azjax.games import make


@functools.cache
def _legal(game):
    return jax.jit(game.legal_action_mask)


class FirstLegal:
    """Plays the first legal action, and keeps the seconds that it is given."""

    def __init__(self, game):
        self.game, self.seconds = game, []

    def choose(self, state, seconds):
        self.seconds.append(seconds)
        return int(np.asarray(_legal(self.game)(state)).argmax())

    def analyze(self, state, most=None):
        return None


def serve(game, make_player=FirstLegal):
    """Returns a server of the game of a name."""
    return GtpServer(make(game), make_player, "1.0")


def answer(server, line):
    """Returns the response to a line, with an empty line at its end; an analysis has one line."""
    return "".join(server.respond(line, lambda seconds: True))


def ask(server, command):
    """Returns the text of a successful response; raises AssertionError with a failure."""
    response = answer(server, command)
    assert response.startswith("="), (command, response)
    return response[1:].strip()


def fail(server, command):
    """Returns the message of a failure; raises AssertionError with a success."""
    response = answer(server, command)
    assert response.startswith("? "), (command, response)
    return response[2:].strip()

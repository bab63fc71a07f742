"""`azjax play`."""

import dataclasses
import secrets
from typing import Literal

import jax

from azjax.agents.player_spec import NamedPlayer
from azjax.cli.output import warn, working
from azjax.cli.players import PlayerOptions
from azjax.cli.terminal import play_in_terminal
from azjax.config.flags import parse_flags
from azjax.evaluation import Player, TimedPlayer, choose_actions, search_config, search_position
from azjax.games import batch_of_one

_SEED_BITS = 31  # a move's number is added to the seed


@dataclasses.dataclass(frozen=True)
class PlayOptions(PlayerOptions):
    """Play against an agent, or another player, in the terminal.

    During the game, help lists what can be written besides moves: hint, undo, moves, quit.
    """

    seat: Literal["first", "second", "ask"] = "ask"
    """Your seat; `ask` asks for it."""


def play_command(arguments: list[str]) -> None:
    """Runs `azjax play PLAYER ...`."""
    options = parse_flags(PlayOptions, arguments, "azjax play")
    player = options.load()
    warn(player.warnings)
    seat = {"first": 0, "second": 1, "ask": None}[options.seat]
    with working(player.description):
        _compile(player)
    seed = secrets.randbits(_SEED_BITS)
    play_in_terminal(player, input, print, seat, seed)


def _compile(named: NamedPlayer) -> None:
    """Lets a player find a move, so that it answers the first one at once; an engine is spared."""
    key = jax.random.key(0)
    state = named.game.init(key)
    if isinstance(named.player, TimedPlayer):
        named.player.prepare(state)
    elif search_config(named.player) is not None:
        search_position(named.player, state)
    elif isinstance(named.player, Player):
        choose_actions(named.player, batch_of_one(state), key[None])

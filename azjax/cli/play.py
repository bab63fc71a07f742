"""`azjax play`."""

import dataclasses
import secrets
from typing import Annotated, Literal

import jax
import tyro

from azjax.agents.player_spec import NamedPlayer, load_player
from azjax.cli.output import warn, working
from azjax.cli.terminal.game import play_in_terminal
from azjax.config.flags import parse_flags
from azjax.evaluation import Player, TimedPlayer, choose_actions, search_config, search_position
from azjax.games import batch_of_one

_SEED_BITS = 31  # a move's number is added to the seed


@dataclasses.dataclass(frozen=True)
class PlayOptions:
    """Play against an agent, or another player, in the terminal.

    During the game, help lists what can be written besides moves: hint, undo, moves, quit.
    """

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER")]
    """The player: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a FILE.npz of `azjax export`,
    an agent that comes with azjax, such as connect_four, or random, tactical, minimax, mcts. Some
    take options, as in connect_four:search=puct and mcts:simulations=500; see `azjax evaluate`."""
    game: str | None = None
    """The game, such as connect_four:rows=5,columns=6; that of the agent if not given."""
    simulations: int | None = None
    """The simulations of the player's search, unless its name gives them. If not given, those of an
    agent's evaluations, and 200 for mcts."""
    seconds: float | None = None
    """The seconds of each of the player's moves, instead of simulations."""
    seat: Literal["first", "second", "ask"] = "ask"
    """Your seat; `ask` asks for it."""


def play_command(arguments: list[str]) -> None:
    """Runs `azjax play PLAYER ...`."""
    options = parse_flags(PlayOptions, arguments, "azjax play")
    player = load_player(options.player, options.game, options.simulations, options.seconds)
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

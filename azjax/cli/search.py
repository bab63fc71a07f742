"""`azjax search`."""

import dataclasses
import json
from typing import Annotated

import jax
import tyro

from azjax.agents.player_spec import NamedPlayer
from azjax.cli.output import console, warn, working
from azjax.cli.players import PlayerOptions
from azjax.cli.terminal import EXPLANATION, describe_value
from azjax.config.flags import parse_flags
from azjax.evaluation import PositionSearch, search_config, search_position
from azjax.games import Game, State
from azjax.search import Search
from azjax.support.errors import InputError, input_errors
from azjax.support.validation import check_seed

_MOST_MOVES = 20  # that are shown


@dataclasses.dataclass(frozen=True)
class SearchOptions(PlayerOptions):
    """Search one position: each move's prior, visits, Q-value and policy, and the value.

    Values are from the view of the player to move, +1 a win and -1 a loss.
    """

    position: Annotated[tyro.conf.Positional[list[str]], tyro.conf.arg(metavar="POSITION")]
    """The position in one line, as in ".../.X./... O": its rows from the top, X for the first
    player, O for the second, and then the side to move. Quotes are not needed. In Connect Four also
    the columns that were played, as in 44455."""
    seed: int = 0
    """The seed of rollouts."""
    json: bool = False
    """Print JSON instead of tables."""

    def __post_init__(self):
        """Raises ValueError if the seed is out of range."""
        check_seed(self.seed)


def search_command(arguments: list[str]) -> None:
    """Runs `azjax search PLAYER POSITION ...`."""
    options = parse_flags(SearchOptions, arguments, "azjax search")
    player = options.load()
    config = search_config(player.player)
    if config is None:
        raise InputError(
            f"{options.player} searches no tree: azjax search takes an agent or mcts, with 1 "
            "simulation or more"
        )
    state = _parse_position(player.game, " ".join(options.position))
    warn(player.warnings)
    with input_errors(), working(player.description, is_quiet=options.json):
        found = search_position(player.player, state, options.seed)
    if options.json:
        print(json.dumps(_as_json(state, found)))
    else:
        _print_search(player, config, state, found)


def _parse_position(game: Game, text: str) -> State:
    """Returns the state; an error shows the start of the game as an example."""
    start = game.format_state(game.init(jax.random.key(0)))
    if not text:
        raise InputError(f"which position? write it as {start!r}")
    try:
        return game.parse_state(text)
    except ValueError as error:
        hint = "" if repr(start) in str(error) else f"; the start of {game.name} is {start!r}"
        raise InputError(f"{error}{hint}") from error


def _as_json(state: State, found: PositionSearch) -> dict[str, object]:
    name = found.game.format_action
    return {
        "game": found.game.name,
        "position": found.game.format_state(state),
        "action": found.action,
        "move": name(found.action),
        "value": found.value,
        "principal_variation": list(map(name, found.principal_variation)),
        "moves": found.rows(),
    }


def _print_search(player: NamedPlayer, config: Search, state: State, found: PositionSearch) -> None:
    side = "XO"[int(state.current_player)]
    made = config.simulations_made if found.visits is None else found.visits.sum()
    console.print(f"{player.name}, {config.name} with {made:,} simulations", soft_wrap=True)
    console.print(f"\n{found.game.render(state)}\n")
    console.print(f"{side} plays {found.game.format_action(found.action)}; ", end="")
    console.print(f"{describe_value(found.value, side)} (+1 is a win, -1 a loss)")
    variation = " ".join(map(found.game.format_action, found.principal_variation))
    console.print(f"principal variation: {variation}", soft_wrap=True)
    console.print(f"\n{found.table(_MOST_MOVES)}\n", highlight=False)
    console.print(EXPLANATION)

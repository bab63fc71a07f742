"""The names that people read, of games and players; identifiers stay in addresses and tooltips."""

import re

from azjax.agents.agent_file import shipped_agents
from azjax.agents.player_spec import MCTS_SIMULATIONS
from azjax.games import Game
from azjax.games.coins import Coins
from azjax.games.go import Go
from azjax.games.hex import Hex
from azjax.page.analysis.players import RUNS, split_options

_PLAYERS = {
    **{"mcts": "UCT", "random": "random play", "tactical": "tactical play"},
    **{"truth": "perfect play", "perfect": "perfect play"},
}
_NAME = re.compile(r"(?P<pgx>pgx:)?(?P<kind>[a-z_]+?)(_(?P<size>\d+)(x\d+)?)?")


def game_title(name: str) -> str:
    """Returns the name of a game for people, such as `Go 9x9`."""
    found = _NAME.fullmatch(name)
    if found is None:
        return "Four in a row 6x6" if name == "mnk_6_6_4" else name
    words = found["kind"].replace("_", " ").title()
    size = f" {found['size']}x{found['size']}" if found["size"] else ""
    return f"{words}{size}{' (Pgx)' if found['pgx'] else ''}"


def player_title(name: str, simulations: int | None = None) -> str:
    """Returns the name of a player for people; its simulations, unless the name gives them."""
    kind, options = split_options(name)
    words = [player_kind(name)]
    if kind == "mcts":
        number = options.pop("simulations", str(simulations or MCTS_SIMULATIONS))
        words.append(f"{number} rollouts")
    words += [f"{value} {key}" if value.isdecimal() else value for key, value in options.items()]
    return ", ".join(words)


def player_kind(name: str) -> str:
    """Returns the name of a player for people, without options."""
    kind, _ = split_options(name)
    if kind in shipped_agents():
        return "the agent"
    run, _, iteration = kind.removeprefix(RUNS).partition("@")
    return _PLAYERS.get(kind, f"{run}, iteration {iteration}" if iteration else run)


def has_draws(game: Game) -> bool:
    """Tells whether a game can end in a draw."""
    if isinstance(game, Go):
        return float(game.komi).is_integer()
    return not isinstance(game, Hex | Coins)


def value_word(game: Game) -> str:
    """Returns what the page calls a value in percent: where a draw counts half, a result."""
    return "expected result" if has_draws(game) else "win chance"

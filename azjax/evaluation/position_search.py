"""The search of a player in one position, for people to read."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from azjax.evaluation.players.host_players import HostPlayer, TimedPlayer
from azjax.evaluation.players.player import Player, SearchAct, for_one_position
from azjax.games import Game, State, batch_of_one
from azjax.search import RootActions, Search, SearchResult, inspect_roots, most_visited_line
from azjax.support.plurals import count
from azjax.support.program_cache import cache_programs

_TOP_MOVES = 5


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PositionSearch:
    """A search of one position, with A actions; values are from the view of the player to move.

    The last three are None for a search without a tree, such as `policy`.
    """

    game: Game
    action: int  # the action to play
    policy: np.ndarray  # [A] the action weights: what the policy learns
    value: float  # -1 to 1
    principal_variation: list[int]  # the action to play, then the most visited actions
    prior: np.ndarray | None  # [A] the policy before the search
    visits: np.ndarray | None  # [A] int
    q_values: np.ndarray | None  # [A] NaN without a visit
    kept: Any = None  # for `search_position`, of a search that keeps trees

    def __repr__(self) -> str:
        """Returns the move, its value, and a table of the best moves."""
        name = self.game.format_action
        variation = " ".join(map(name, self.principal_variation))
        value = round(self.value, 2) + 0.0  # -0.0 + 0.0 is 0.0
        head = f"{name(self.action)}, value {value:+.2f}, variation {variation}"
        return f"{head}\n{self.table(_TOP_MOVES)}"

    def table(self, most: int) -> str:
        """Returns lines with the best moves, of which `>` marks the one to play."""
        actions, rows = self.tried_actions(), self.rows()
        columns = [name for name in ("prior", "visits", "q_value", "policy") if name in rows[0]]
        lines = [["  move", *("Q" if name == "q_value" else name for name in columns)]]
        for action, row in zip(actions[:most], rows, strict=False):
            mark = ">" if action == self.action else " "
            lines.append([f"{mark} {row['move']}", *(_cell(x, row[x]) for x in columns)])
        first, *others = (max(map(len, cells)) for cells in zip(*lines, strict=True))
        text = [
            "  ".join([move.ljust(first), *map(str.rjust, numbers, others)])
            for move, *numbers in lines
        ]
        if rest := actions[most:]:
            visits = () if self.visits is None else [count(int(self.visits[rest].sum()), "visit")]
            text.append("  " + " with ".join([count(len(rest), "more move"), *visits]))
        return "\n".join(text)

    def rows(self) -> list[dict[str, str | float | int | None]]:
        """Returns a row for each move that is visited or has a policy above 0, the best first.

        Columns: the move in notation, prior, visits, q_value (None without a visit) and policy.
        """
        rows = []
        for action in self.tried_actions():
            row: dict[str, str | float | int | None] = {"move": self.game.format_action(action)}
            if self.prior is not None and self.visits is not None and self.q_values is not None:
                is_visited = self.visits[action] > 0
                row["prior"] = float(self.prior[action])
                row["visits"] = int(self.visits[action])
                row["q_value"] = float(self.q_values[action]) if is_visited else None
            rows.append(row | {"policy": float(self.policy[action])})
        return rows

    def tried_actions(self) -> list[int]:
        """Returns the actions that are visited or have a policy above 0, the best first."""
        visits = np.zeros(len(self.policy), int) if self.visits is None else self.visits
        order = np.lexsort((-self.policy, -visits)).tolist()
        return [a for a in order if visits[a] > 0 or self.policy[a] > 0]


def _cell(column: str, value: Any) -> str:
    """Returns the text of a number in a table."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{round(value, 2) + 0.0:+.2f}" if column == "q_value" else f"{value:.1%}"


def search_config(player: Player | HostPlayer) -> Search | None:
    """Returns a player's search, without noise; None for a player that does not search.

    A `TimedPlayer` does not make the simulations that its search has.
    """
    if isinstance(player, Player | TimedPlayer) and isinstance(player.act, SearchAct):
        return player.parameters.search
    return None


def search_position(
    player: Player | HostPlayer, state: State, seed: int = 0, kept: Any = None
) -> PositionSearch:
    """Searches one unfinished position as a player does; the seed is of its rollouts.

    A search that keeps trees goes on with what an earlier one of the game kept, if given.

    Raises:
      TypeError: The state is none of the player's game.
      ValueError: The player does not search, or the state has another size, or the game is over in
        it, or no move is legal.
    """
    act = player.act if isinstance(player, Player | TimedPlayer) else None
    if not isinstance(act, SearchAct):
        raise ValueError("this player does not search: name an agent, or mcts")
    _check_position(act.game, state)
    [key] = jax.random.split(jax.random.key(seed), 1)
    if isinstance(player, TimedPlayer):
        result = player.search(state, key, kept=kept)
    else:
        assert isinstance(player, Player)
        parameters, states = for_one_position(player).parameters, batch_of_one(state)
        search, init_kept = _compile(act)
        if kept is None and parameters.search.keeps_trees:
            kept = init_kept(parameters, states)
        result = search(parameters, key[None], states, kept)
    [found] = read_searches(act.game, result._replace(kept=None))
    return dataclasses.replace(found, kept=result.kept)


def read_searches(game: Game, result: SearchResult) -> list[PositionSearch]:
    """Returns B searches, each for people to read."""
    result = jax.device_get(result)
    roots = None if result.tree is None else inspect_roots(result)
    return [_read_search(game, result, roots, i) for i in range(len(result.action))]


def _read_search(
    game: Game, result: SearchResult, roots: RootActions | None, index: int
) -> PositionSearch:
    action = int(result.action[index])
    line = [] if roots is None else most_visited_line(result, index, action)
    return PositionSearch(
        game=game,
        action=action,
        policy=np.asarray(result.action_weights[index]),
        value=float(result.value[index]),
        principal_variation=[action, *line],
        prior=None if roots is None else roots.prior[index],
        visits=None if roots is None else roots.visits[index].astype(int),
        q_values=None if roots is None else roots.qvalues[index],
    )


def _check_position(game: Game, state: State) -> None:
    """Raises TypeError or ValueError if the state is none in which the game can be searched."""
    expected = jax.eval_shape(game.init, jax.random.key(0))
    wanted = f"must be a state of {game.name}, such as agent.game.parse_state(text)"
    if not isinstance(state, type(expected)):
        raise TypeError(f"{type(state).__name__}: {wanted}")
    if list(map(np.shape, jax.tree.leaves(state))) != [x.shape for x in jax.tree.leaves(expected)]:
        raise ValueError(f"a state of another size, or of several positions: {wanted}")
    if state.terminated:
        raise ValueError("the game is over in this position: there is nothing to search")
    if not game.legal_action_mask(state).any():
        raise ValueError("no move is legal in this position")


@cache_programs
def _compile(act: SearchAct) -> tuple[Callable[..., SearchResult], Callable[..., Any]]:
    """Returns the programs of a search, and of what is kept before the first."""
    return jax.jit(act.search), jax.jit(act.init_kept)

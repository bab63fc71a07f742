"""The interface of a game, with defaults for all but its rules."""

import abc
import functools
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.board_tables import Symmetries, cell_planes, identity, number_planes
from azjax.games.compiled_methods import compile_methods
from azjax.games.state_text import check_players, format_fields, parse_fields


class State(Protocol):
    """The fields that the states of all games have; a state is a NamedTuple of arrays.

    A search tree stores a state per node, so states are as small as the rules allow.
    """

    @property
    def current_player(self) -> chex.Array:
        """[] int8, the player to move, 0 or 1."""

    @property
    def terminated(self) -> chex.Array:
        """[] bool, whether the game has ended."""

    @property
    def rewards(self) -> chex.Array:
        """[2] int8, of player 0 and player 1; 0 until the game has ended."""


StateT = TypeVar("StateT", bound=State)


class Game(abc.ABC, Generic[StateT]):
    """A two-player zero-sum game of perfect information: pure functions of one unbatched state.

    A game is a frozen dataclass, so it can be a static argument of `jax.jit`. Callers vmap its
    methods over a batch; outside `jit` a method compiles at its first call alone.
    `azjax.games.laws` lists the laws that every game obeys, and `azjax check-game` holds a game to
    them on random play. Those that are broken most easily:

    * Rewards are by player, not by mover, and non-zero only in a finished state.
    * `step` returns a finished state unchanged, whatever the action.
    * An illegal action, or one that does not exist, ends the game at once: the mover loses.
    * A player without a move passes, by an action that is legal then; or the game ends.

    `finish_step` and `rewards_of` see to the first three. What has a default, notation and
    symmetries among it, is overridden where something better is known.

    Conventions: player 0 moves first, and is written `X`; player 1 is written `O`. A cell has the
    number `row * columns + column`, and a pass is the last action.

    Attributes:
      name: The game's name in the registry.
    """

    name: str

    def __init_subclass__(cls, **options: Any) -> None:
        """Compiles what takes a state or a key, once for each game."""
        super().__init_subclass__(**options)
        compile_methods(cls)

    @property
    def version(self) -> int:
        """The version of the rules; it changes with behaviour, so results stay comparable."""
        return 1

    @property
    @abc.abstractmethod
    def num_actions(self) -> int:
        """A, the number of actions, legal or not."""

    @property
    @abc.abstractmethod
    def observation_shape(self) -> tuple[int, int, int]:
        """(H, W, C)."""

    @property
    @abc.abstractmethod
    def max_moves(self) -> int:
        """The most moves of a game; a game that reaches it is a draw, unless its rules differ."""

    @property
    def turns_alternate(self) -> bool:
        """Whether no player moves twice in a row, which a learnt model of the game relies on."""
        return True

    @abc.abstractmethod
    def init(self, key: chex.PRNGKey) -> StateT:
        """Returns a starting state."""

    @abc.abstractmethod
    def step(self, state: StateT, action: chex.Numeric) -> StateT:
        """Returns the state after the player to move has played the action."""

    @abc.abstractmethod
    def legal_action_mask(self, state: StateT) -> chex.Array:
        """Returns bool[A]: the legal actions, none in a finished state."""

    @abc.abstractmethod
    def observe(self, state: StateT) -> chex.Array:
        """Returns float32[H, W, C]: the position from the view of the player to move."""

    @property
    def has_ownership(self) -> bool:
        """Whether cells of the board have owners at the end of a game."""
        return type(self).ownership is not Game.ownership

    def ownership(self, state: StateT) -> chex.Array:
        """Returns int8[H * W] for a finished state: the owner of each cell.

        It is 1 where player 0 owns the cell, -1 where player 1 does, and 0 where neither does:
        territory where the rules count it, else stones. A network can learn to predict it.
        """
        raise NotImplementedError(f"{self.name} has no owners of cells")

    def lead(self, state: StateT) -> chex.Array | None:
        """Returns [] float32: by how many cells player 0 leads as the board stands, with komi.

        Its sign is the result of a game that ends here by the rules. None, the default, where a
        win has no size.
        """
        return None

    @property
    def action_planes(self) -> np.ndarray:
        """[A, H, W, P] float32 from 0 to 1: each action as planes of the board.

        A network that learns what an action does sees it so. By default it is a plane with the
        action's cell, if actions are numbered as cells are, with a pass or without; else planes
        with the digits of its number.
        """
        rows, columns, _ = self.observation_shape
        if self.num_actions in (rows * columns, rows * columns + 1):
            return cell_planes(rows, columns, self.num_actions)
        return number_planes(rows, columns, self.num_actions)

    def is_legal(self, state: StateT, action: chex.Numeric) -> chex.Array:
        """Tells, as [] bool, whether the action exists and is legal."""
        exists = (action >= 0) & (action < self.num_actions)  # an index out of range is clamped
        return exists & self.legal_action_mask(state)[action]

    def finish_step(self, state: StateT, action: chex.Numeric, played: StateT) -> StateT:
        """Returns what `step` returns, given what the rules say of a legal action.

        Args:
          state: The state before the action.
          action: [] int, any number.
          played: The state after the action if it is legal, and anything else if not.

        Returns:
          `played`; or the position as it was, lost by the mover, if the action is illegal; or
          `state` if it is finished.
        """
        mover = state.current_player
        named_tuple: Any = state
        lost = named_tuple._replace(
            current_player=1 - mover, terminated=jnp.array(True), rewards=rewards_of(mover, -1)
        )
        after = select_state(self.is_legal(state, action), played, lost)
        return select_state(state.terminated, state, after)

    @property
    def symmetries(self) -> Symmetries:
        """The symmetries of the board, the identity first; by default the identity alone."""
        rows, columns, _ = self.observation_shape
        return identity(rows * columns, self.num_actions)

    @property
    def max_positions(self) -> float:
        """An upper bound of the number of reachable positions, move counts aside.

        A game of at most 50,000 is solved exactly: an agent's accuracy is then measured on all
        positions, its exploitability is known, `minimax` is an opponent, and training can stop
        when the agent is perfect. The default, three states a cell, is often too large by far.
        """
        rows, columns, _ = self.observation_shape
        return 3.0 ** (rows * columns)

    def without_move_count(self, state: StateT) -> StateT:
        """Returns the state with no move counted towards `max_moves`.

        Two states are the same position where they are equal without their move counts.
        """
        return state

    def format_action(self, action: int) -> str:
        """Returns the action in the game's notation, one word; by default its number."""
        return str(int(action))

    def parse_action(self, text: str) -> int:
        """Returns the action that `text` denotes.

        Raises:
          ValueError: The text denotes no action; the message states the valid notation.
        """
        actions = _actions_by_name(self)
        if text.strip() not in actions:
            choices = textwrap.shorten(", ".join(actions), 60, placeholder=" ...")
            raise ValueError(f"{text.strip()!r} is no move of {self.name}; moves are {choices}")
        return actions[text.strip()]

    def format_state(self, state: StateT) -> str:
        """Returns the position in one line; by default its fields by name.

        The line of a board is its rows from the top, joined by `/`, and the side to move. A
        position lost by an illegal action may read as before it, with the other side to move.
        """
        return format_fields(state)

    def parse_state(self, text: str) -> StateT:
        """Returns the state that `format_state` wrote as `text`.

        Raises:
          ValueError: The text is no position of this game; the message states why.
        """
        start = self.init(jax.random.key(0))
        try:
            state = parse_fields(text, start)
            check_players(state.current_player, state.rewards)
        except ValueError as error:
            example = self.format_state(start)
            raise ValueError(f"position {text!r} {error}; write it as {example!r}") from None
        return state

    def render(self, state: StateT) -> str:
        """Returns the position as lines of text, a board with coordinates."""
        return self.format_state(state)

    def parse_moves(self, text: str) -> Sequence[int]:
        """Returns the actions of a game record, in the notation of files of solved positions.

        Raises:
          ValueError: The text is no list of moves; the message names the wrong entry.
        """
        return [self.parse_action(move) for move in text.split()]


def rewards_of(mover: chex.Numeric, reward: chex.Numeric) -> chex.Array:
    """Returns [2] int8, the rewards of player 0 and 1, given the mover's: 1, 0 or -1."""
    mover_reward = jnp.asarray(reward, jnp.int8)
    return jnp.where(jnp.arange(2) == mover, mover_reward, -mover_reward)


def common_fields(
    player: int = 0, terminated: bool | np.bool_ = False, reward: int = 0
) -> dict[str, Any]:
    """Returns the fields of all states, at first of a game that begins; `reward` is player 0's."""
    return {
        "current_player": jnp.int8(player),
        "terminated": jnp.array(terminated),
        "rewards": jnp.array([reward, -reward], jnp.int8),
    }


def select_state(condition: chex.Array, on_true: StateT, on_false: StateT) -> StateT:
    """Returns one of two states of the same type."""
    return jax.tree.map(lambda x, y: jnp.where(condition, x, y), on_true, on_false)


@functools.cache
def _actions_by_name(game: Game[Any]) -> Mapping[str, int]:
    return {game.format_action(action): action for action in range(game.num_actions)}

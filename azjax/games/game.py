"""The interface of a game, and the laws that every game obeys."""

import abc
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

import chex

from azjax.games.symmetry import Symmetries


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

    A game is frozen and hashable, so it can be a static argument of `jax.jit`. Callers vmap its
    methods over a batch. Tests check these laws on random play of every registered game:

    * An unfinished state has a legal action; a finished state has none.
    * Rewards sum to zero, and are non-zero only in a finished state.
    * `step` returns a finished state unchanged, whatever the action.
    * An illegal action ends the game at once: the mover's reward is -1.
    * Symmetries permute observations, legal actions and results alike.
    * A batch of states gives the same results as its states one by one.
    * `parse_state` inverts `format_state`, and `parse_action` inverts `format_action`.

    Conventions: player 0 moves first, and is written `X`; player 1 is written `O`. A cell has the
    number `row * columns + column`, and a pass is the last action.

    Attributes:
      name: The game's name in the registry.
    """

    name: str

    @property
    @abc.abstractmethod
    def version(self) -> int:
        """The version of the rules; it changes with behaviour, so results stay comparable."""

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
    @abc.abstractmethod
    def symmetries(self) -> Symmetries:
        """The symmetries of the board, the identity first."""

    @property
    def max_positions(self) -> float:
        """An upper bound of the number of reachable positions, move counts aside."""
        rows, columns, _ = self.observation_shape
        return 3.0 ** (rows * columns)

    def without_move_count(self, state: StateT) -> StateT:
        """Returns the state with no move counted towards `max_moves`.

        Two states are the same position where they are equal without their move counts.
        """
        return state

    @abc.abstractmethod
    def format_action(self, action: int) -> str:
        """Returns the action in the game's notation."""

    @abc.abstractmethod
    def parse_action(self, text: str) -> int:
        """Returns the action that `text` denotes.

        Raises:
          ValueError: The text denotes no action; the message states the valid notation.
        """

    @abc.abstractmethod
    def format_state(self, state: StateT) -> str:
        """Returns the position in one line: rows from the top, joined by `/`, and the side to move.

        A position lost by an illegal action reads as before it, with the other side to move.
        """

    @abc.abstractmethod
    def parse_state(self, text: str) -> StateT:
        """Returns the state that `format_state` wrote as `text`.

        Raises:
          ValueError: The text is no position of this game; the message states why.
        """

    @abc.abstractmethod
    def render(self, state: StateT) -> str:
        """Returns the board as lines of text, with coordinates."""

    @abc.abstractmethod
    def parse_moves(self, text: str) -> Sequence[int]:
        """Returns the actions of a game record, in the notation of files of solved positions.

        Raises:
          ValueError: The text is no list of moves; the message names the wrong entry.
        """

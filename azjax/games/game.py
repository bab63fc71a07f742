"""What a game is: the interface, and the laws that every game keeps."""

import abc
from collections.abc import Sequence
from typing import Any, Protocol

import chex

from azjax.games.symmetry import Symmetries


class State(Protocol):
    """What every game's state, a NamedTuple of arrays, has in common.

    It is stored once per node of every search tree, so it is as small as the rules allow.
    """

    current_player: chex.Array  # [] int8, 0 or 1
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8, for player 0 and player 1

    def _replace(self, **fields: Any) -> "State": ...


class Game(abc.ABC):
    """A two-player zero-sum game of perfect information: pure functions of one unbatched state.

    A game is frozen and hashable, so that it can be a static argument of `jax.jit`. The caller
    vmaps, once. The laws, tested on random play for every registered game:

    * some action is legal unless the game is over; then none is;
    * rewards sum to zero, and are non-zero only in a finished state;
    * a finished state absorbs: `step` returns it as it is, whatever the action;
    * an illegal action loses at once: the mover's reward is -1;
    * symmetries permute observation, legal actions and result alike;
    * a batch of states behaves as its members do one by one;
    * `parse_state` inverts `format_state`, and `parse_action` inverts `format_action`.

    Attributes:
      name: What the registry calls it.
      version: Changes when behaviour does, so that old results stay comparable.
      num_actions: A, the number of actions, legal or not.
      observation_shape: (H, W, C).
      max_moves: The longest game; one that gets there is a draw, unless the game says otherwise.
    """

    name: str
    version: int
    num_actions: int
    observation_shape: tuple[int, int, int]
    max_moves: int

    @abc.abstractmethod
    def init(self, key: chex.PRNGKey) -> State:
        """Returns a starting state."""

    @abc.abstractmethod
    def step(self, state: State, action: chex.Numeric) -> State:
        """Returns the state after the player to move has played the action."""

    @abc.abstractmethod
    def legal_action_mask(self, state: State) -> chex.Array:
        """Returns bool[A]: which actions are legal. None is in a finished state."""

    @abc.abstractmethod
    def observe(self, state: State) -> chex.Array:
        """Returns float32[H, W, C]: the position from the view of the player to move."""

    @property
    @abc.abstractmethod
    def symmetries(self) -> Symmetries:
        """The symmetries of the board, the identity first."""

    @property
    def max_positions(self) -> float:
        """An upper bound of the positions that play can reach, clocks aside."""
        rows, columns, _ = self.observation_shape
        return 3.0 ** (rows * columns)

    def without_move_count(self, state: State) -> State:
        """Returns the state as if no move had been counted towards `max_moves`.

        Two states that are equal without their clocks are the same position.
        """
        return state

    @abc.abstractmethod
    def format_action(self, action: int) -> str:
        """Returns the action in a person's notation."""

    @abc.abstractmethod
    def parse_action(self, text: str) -> int:
        """Returns the action that `text` names.

        Raises:
          ValueError: The text names no action; the message says what would.
        """

    @abc.abstractmethod
    def format_state(self, state: State) -> str:
        """Returns the position in one line: rows from the top, `/` between, then who moves.

        A game that was lost by an illegal action has no line of its own: its board reads as it
        stood, with the other side to move.
        """

    @abc.abstractmethod
    def parse_state(self, text: str) -> State:
        """Returns the state that `format_state` wrote as `text`.

        Raises:
          ValueError: The text is no position of this game; the message says why.
        """

    @abc.abstractmethod
    def render(self, state: State) -> str:
        """Returns the board drawn as lines of text, with coordinates."""

    @abc.abstractmethod
    def parse_moves(self, text: str) -> Sequence[int]:
        """Returns the actions of a game record, as tables of solved positions write it.

        Raises:
          ValueError: The text is no list of moves; the message says which entry is wrong.
        """

"""The laws that every game obeys, and the error that names a broken one."""

import contextlib
import enum
from collections.abc import Callable, Iterator

import chex
import jax
import numpy as np

from azjax.games.game import Game, State
from azjax.games.state_text import format_fields
from azjax.support.errors import first_line

_LONGEST_POSITION = 200  # characters of a message; the error's field has all

Index = tuple[int, ...]  # into what is checked: (), or a game, or a move and a game
Text = str | Callable[[Index], str]


class Law(enum.Enum):
    """The laws, in the order in which they are checked."""

    STATIC = "a game is a frozen dataclass, hashable and equal to its copy"
    SIZES = "a game has a name, and sizes from 1"
    RUNS = "no method raises an error"
    STATE = "a state is a NamedTuple of arrays"
    STRUCTURE = "a state keeps its fields, shapes and dtypes"
    MASK = "legal_action_mask returns bool[num_actions]"
    OBSERVATION = "observe returns float32 of observation_shape"
    START = "a game starts unfinished, with player 0 to move and rewards of 0"
    PLAYER = "the player to move is 0 or 1"
    LEGAL = "an unfinished state has legal actions, and a finished state none"
    ZERO_SUM = "rewards are -1, 0 or 1, and sum to zero"
    REWARDS_AT_END = "rewards are zero until the game has ended"
    ABSORBING = "a finished state stays as it is, whatever the action"
    LEAD = "the lead at the end is None, or has the sign of the result"
    ILLEGAL = "an illegal action ends the game at once, and the mover loses"
    LEGAL_ACCEPTED = "a legal action is not treated as an illegal one"
    CHANGE = "a move changes the state"
    BOTH_MOVE = "both players move"
    TURNS = "no player moves twice in a row, unless turns_alternate is False"
    END = "a game ends within max_moves"
    FINITE = "observations are finite"
    DISTINCT = "observations are not all alike"
    DECISIVE = "moves that look alike to the mover do not win here and lose there"
    MAX_POSITIONS = "there are at most max_positions positions"
    MOVE_COUNT = "without_move_count changes nothing but the move count"
    SYMMETRIES = "symmetries are permutations that form a group, the identity first"
    SYMMETRIC_PLAY = "symmetries permute legal actions, observations and results alike"
    BATCH = "a batch gives what its states give one by one"
    ACTION_TEXT = "each action is written as a word of its own, and read again"
    STATE_TEXT = "each state is written as a line of its own, and read again"
    OTHER_TEXT = "other text is refused by a ValueError in one line"


class BrokenLawError(ValueError):
    """A game breaks a law; the text is one line.

    Attributes:
      game: The game's name.
      law: The law.
      found: What was found.
      right: What would be right.
      position: The position, by `format_state` where that works; None if no position matters.
      move: The move in that position, by `format_action` where that works; None if none matters.
    """

    def __init__(
        self,
        game: Game,
        law: Law,
        found: str,
        right: str,
        state: State | None = None,
        action: chex.Numeric | None = None,
    ):
        self.game = str(getattr(game, "name", type(game).__name__))
        self.law, self.found, self.right = law, found, right
        self.position = None if state is None else describe_state(game, state)
        self.move = None if action is None else _describe_action(game, int(action))
        where = "" if self.move is None else f", after move {self.move}"
        if self.position is not None:
            where += f", in position {_shorten(self.position)!r}"
        text = f"{self.game} breaks the law that {law.value}: {found}{where}; right: {right}"
        super().__init__(" ".join(text.split()))


def require(
    game: Game,
    law: Law,
    holds: chex.ArrayNumpy | bool,
    found: Text,
    right: Text,
    states: State | None = None,
    actions: chex.ArrayNumpy | None = None,
) -> None:
    """Raises the error of a broken law for the first index at which it does not hold.

    `holds` is bool, or bool[...] of many states. What was found and what would be right may depend
    on the index. States and actions are given if the position and the move matter.
    """
    breaches = np.argwhere(np.logical_not(holds))
    if len(breaches):
        index = tuple(breaches[0].tolist())
        found, right = (text if isinstance(text, str) else text(index) for text in (found, right))
        state = None if states is None else jax.tree.map(lambda x: x[index], states)
        action = None if actions is None else actions[index]
        raise BrokenLawError(game, law, found, right, state, action)


@contextlib.contextmanager
def calling(game: Game, method: str, right: str, state: State | None = None) -> Iterator[None]:
    """Converts whatever the game's method, called inside, raises into a BrokenLawError.

    The state is the method's argument, if that is a state and not traced.
    """
    try:
        yield
    except BrokenLawError:
        raise
    except Exception as error:
        found = f"{method} raises {type(error).__name__}: {first_line(error, _LONGEST_POSITION)}"
        raise BrokenLawError(game, Law.RUNS, found, right, state) from error


def describe_state(game: Game, state: State) -> str:
    """Returns the position in the game's notation, or its fields where that fails."""
    try:
        return game.format_state(state)
    except Exception:  # the notation may be what is broken
        return format_fields(state)


def _describe_action(game: Game, action: int) -> str:
    if not 0 <= action < game.num_actions:
        return f"{action} (no action)"
    try:
        return game.format_action(action)
    except Exception:  # the notation may be what is broken
        return str(action)


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_POSITION else f"{line[:_LONGEST_POSITION]}..."

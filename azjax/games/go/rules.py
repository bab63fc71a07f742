"""Go: stones without liberties are captured, no board repeats, and the larger area wins."""

import dataclasses
import math
import re
from typing import NamedTuple

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import grid
from azjax.games.board_game import SquareGame
from azjax.games.game import common_fields, rewards_of, select_state
from azjax.games.go import chains, superko


class GoState(NamedTuple):
    """A position of Go, with the hashes of all boards of the game.

    The hash at `num_moves` is of `chains`. The empty board has the hash 0, and a board with
    colours swapped the negative hash.
    """

    chains: chex.Array  # [size, size] int8, or int16 on boards with more ids; see chains.py
    history: chex.Array  # [2, max_moves + 1] uint32, zeros after num_moves
    num_moves: chex.Array  # [] int16, moves and passes
    passes: chex.Array  # [] int8, passes in a row
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Go(SquareGame[GoState]):
    """The game on `size` x `size` cells by the Tromp-Taylor rules, except that suicide is illegal.

    An action is the cell `row * size + column`, or `size**2`, a pass. A move that repeats an
    earlier board is illegal (positional superko). The game ends after two passes in a row, or at
    `max_moves`. Player 0 wins if its area exceeds player 1's by more than `komi`; at exactly
    `komi` the game is a draw.
    """

    size: int = 9
    komi: float = 7.5
    name: str = "go"
    version: int = 1

    last_action = "pass"

    def __post_init__(self):
        if not 2 <= self.size <= 26:
            raise ValueError(f"size={self.size}: must be 2 to 26")
        if not math.isfinite(self.komi):
            raise ValueError(f"komi={self.komi}: must be a number of points")

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return self.size, self.size, 6

    @property
    def max_moves(self) -> int:
        return 2 * self.size**2

    @property
    def max_positions(self) -> float:
        """Infinity: a position includes the boards before it."""
        return math.inf

    def init(self, key: chex.PRNGKey) -> GoState:
        """Returns the empty board; the key is not used."""
        return GoState(
            chains=jnp.zeros((self.size, self.size), chains.dtype(self.size)),
            history=jnp.zeros((2, self.max_moves + 1), jnp.uint32),
            num_moves=jnp.int16(0),
            passes=jnp.int8(0),
            **common_fields(),
        )

    def step(self, state: GoState, action: chex.Numeric) -> GoState:
        """Returns the state after the player to move has placed a stone or passed."""
        sign = _sign(state)
        is_pass = action == self.size**2
        exists = (action >= 0) & (action < self.size**2)  # an index out of range is clamped
        liberties = chains.atari_liberties(state.chains)
        placed = chains.capture(state.chains, liberties, action, sign)
        may_place = exists & chains.open_cells(state.chains, liberties, sign).reshape(-1)[action]
        may_place &= ~superko.is_repeated(state.history, placed)
        board = jnp.where(may_place, chains.join(placed, action, sign), state.chains)
        num_moves = state.num_moves + jnp.int16(1)
        passes = jnp.where(is_pass, state.passes + jnp.int8(1), jnp.int8(0))
        # Not for finished games: on a CPU the areas of a batch loop until the last is counted.
        is_counted = self._is_counted(passes, num_moves) & ~state.terminated
        legal = is_pass | may_place
        lost = rewards_of(state.current_player, -1)
        after = GoState(
            chains=board,
            history=state.history.at[:, num_moves].set(superko.hash_board(board)),
            num_moves=num_moves,
            passes=passes,
            current_player=1 - state.current_player,
            terminated=~legal | is_counted,
            rewards=jnp.where(legal, self._result(board, is_counted), lost),
        )
        return select_state(state.terminated, state, after)

    def legal_action_mask(self, state: GoState) -> chex.Array:
        """Returns bool[A]: the pass, and the empty cells except for suicide and superko."""
        board, sign = state.chains, _sign(state)
        liberties = chains.atari_liberties(board)
        legal = chains.open_cells(board, liberties, sign) & ~state.terminated
        captures = legal & chains.is_beside(chains.capturable(board, liberties, sign))
        legal &= ~superko.forbidden_captures(state.history, board, liberties, sign, captures)
        legal &= ~superko.forbidden_additions(state.history, board, sign)
        return jnp.append(legal.reshape(-1), True) & ~state.terminated

    def owners(self, state: GoState) -> chex.Array:
        return chains.to_owners(state.chains)

    def ownership(self, state: GoState) -> chex.Array:
        """Returns int8[cells]: 1 in the area of player 0, -1 in player 1's, else 0."""
        return chains.area(state.chains, state.terminated).reshape(-1)

    def lead(self, state: GoState) -> chex.Array:
        """Returns [] float32: the area of player 0 as it stands, less player 1's and komi."""
        return chains.area_lead(state.chains) - jnp.float32(self.komi)

    def observe(self, state: GoState) -> chex.Array:
        """Returns float32[size, size, 6], the position from the mover's view.

        The planes: the mover's stones; the opponent's; stones of either in atari; cells where the
        mover may place a stone; and two constant planes, whether the last move was a pass and
        whether the mover is player 1, who receives the komi.
        """
        sign = _sign(state)
        may_place = self.legal_action_mask(state)[:-1].reshape(self.size, self.size)
        planes = (
            state.chains * sign > 0,
            state.chains * sign < 0,
            chains.atari_liberties(state.chains) != chains.NO_CELL,
            may_place,
            jnp.full_like(may_place, state.passes > 0),
            jnp.full_like(may_place, state.current_player == 1),
        )
        return jnp.stack(planes, axis=-1).astype(jnp.float32)

    def format_state(self, state: GoState) -> str:
        """Returns the position in one line, such as `.X./.../... O 0 00...`.

        Unless no move has been counted, the passes in a row and the history follow the side to
        move; the history has 16 hexadecimal digits per board.
        """
        line = super().format_state(state)
        if state.num_moves == 0:
            return line
        history = np.asarray(state.history)[:, : int(state.num_moves) + 1].T
        return f"{line} {int(state.passes)} {history.astype('<u4').tobytes().hex()}"

    def parse_state(self, text: str) -> GoState:
        """Returns the state that `format_state` wrote.

        A line without passes and history, `.X./.../... O`, is a position without earlier boards,
        whose move count is 0.
        """
        words = text.strip().split(" ")
        owners, player = grid.parse_board(" ".join(words[:2]), self.size, self.size, text)
        board = chains.from_owners(owners)
        has_liberty = board[np.asarray(chains.is_beside(jnp.asarray(board == 0)))]
        if np.setdiff1d(board[board != 0], has_liberty).size:
            raise ValueError(f"position {text!r} has a chain without a liberty")
        passes, history = self._parse_history(
            words[2:], superko.hash_board(jnp.asarray(board)), text
        )
        is_counted = self._is_counted(passes, len(history) - 1)
        return GoState(
            chains=jnp.asarray(board),
            history=jnp.asarray(
                np.pad(history.T, ((0, 0), (0, self.max_moves + 1 - len(history))))
            ),
            num_moves=jnp.int16(len(history) - 1),
            passes=jnp.int8(passes),
            current_player=jnp.int8(player),
            terminated=jnp.array(is_counted),
            rewards=self._result(jnp.asarray(board), jnp.array(is_counted)),
        )

    def _is_counted(self, passes: chex.Numeric, num_moves: chex.Numeric) -> chex.Array:
        """Tells whether the game has ended by two passes or at `max_moves`."""
        return (passes == 2) | (num_moves == self.max_moves)

    def _result(self, board: chex.Array, is_counted: chex.Array) -> chex.Array:
        """Returns [2] int8: the rewards by the areas; zeros for a draw, and before the count."""
        lead = jnp.sign(chains.area_lead(board, is_counted) - self.komi)
        return (jnp.array([1, -1]) * lead * is_counted).astype(jnp.int8)

    def _parse_history(
        self, words: list[str], last_hash: chex.Array, text: str
    ) -> tuple[int, np.ndarray]:
        """Returns the passes in a row and the hashes, [boards, 2] uint32, from the words of a line.

        They come after the side to move; the last hash must be the board's.
        """
        if not words:
            return 0, np.asarray(last_hash)[None]
        form = f"[012] ([0-9a-f]{{16}}){{1,{self.max_moves + 1}}}"
        if not re.fullmatch(form, " ".join(words)):
            raise ValueError(
                f"position {text!r} does not go on with a number of passes, 0 to 2, and "
                f"16 hexadecimal digits for each of 1 to {self.max_moves + 1} boards"
            )
        passes, history = int(words[0]), np.frombuffer(bytes.fromhex(words[1]), "<u4")
        history = history.astype(np.uint32).reshape(-1, 2)
        if len(history) <= passes or (history[-1 - passes :] != np.asarray(last_hash)).any():
            raise ValueError(f"position {text!r} has a history that does not lead to its board")
        return passes, history


def _sign(state: GoState) -> chex.Array:
    """Returns the sign of the mover's stones: 1 for player 0, -1 for player 1."""
    return 1 - 2 * state.current_player

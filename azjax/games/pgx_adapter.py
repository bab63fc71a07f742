"""Games of Pgx, by names such as `pgx:chess`. Pgx is imported when one of them is first used."""

import base64
import dataclasses
import functools
import importlib.util
import math
import re
import reprlib
import zlib
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.game import Game, rewards_of, select_state
from azjax.games.state_text import check_players, field_name
from azjax.support.suggestions import nearest

PGX_PREFIX = "pgx:"
ADAPTER_VERSION = 1
# Pgx's two-player games of perfect information, and the most moves that one can last.
MAX_MOVES = {
    "animal_shogi": 256,
    "chess": 512,
    "connect_four": 42,
    "gardner_chess": 256,
    "go_9x9": 162,
    "go_19x19": 722,
    "hex": 122,
    "othello": 120,
    "shogi": 512,
    "tic_tac_toe": 9,
}
# Fields of Pgx's states that are constant while a game lasts, or follow from other fields.
DROPPED = ("observation", "rewards", "terminated", "truncated", "current_player", "_player_order")
LEGAL_ACTIONS = "legal_action_mask"  # some games have this field twice
FEN_WRITERS = {
    "chess": ("pgx.experimental.chess", "to_fen"),
    "gardner_chess": ("pgx.gardner_chess", "_to_fen"),
    "shogi": ("pgx.experimental.shogi", "to_sfen"),
}
FEN_READERS = {  # with the number of rows and columns
    "chess": ("pgx.experimental.chess", "from_fen", 8),
    "gardner_chess": ("pgx.gardner_chess", "_from_fen", 5),
}
_FEN_FIELDS = re.compile(r"[wb] (-|(?=[KQkq])K?Q?k?q?) (-|[a-h][36]) \d{1,3} \d{1,4}")
# Pgx needs rank promotion, which the caller may have disabled.
allow_rank_promotion = functools.partial(jax.numpy_rank_promotion, "allow")


class PgxState(NamedTuple):
    """A position: Pgx's state without the fields that can be computed from others."""

    position: dict[str, chex.Array]  # Pgx's arrays by field name, int32 as int16
    legal_bits: chex.Array  # [ceil(A / 8)] uint8, the packed legal action mask
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@functools.cache
def _environment(env_id: str) -> tuple[Any, Any]:
    """Makes Pgx's environment, and a start of NumPy arrays in which player 0 moves first."""
    # The caller may be traced; Pgx's constants must not become part of its trace.
    with jax.ensure_compile_time_eval():
        env = importlib.import_module("pgx").make(env_id)
        keys = jax.random.split(jax.random.key(0), 64)  # player 1 begins in all 64 once in 2**64
    with allow_rank_promotion():
        starts = jax.device_get(jax.jit(jax.vmap(env.init)).lower(keys).compile()(keys))
    first = np.argmin(starts.current_player)
    return env, jax.tree.map(lambda x: x[first], starts)


@dataclasses.dataclass(frozen=True)
class PgxGame(Game[PgxState]):
    """A two-player game of perfect information, by the rules of Pgx.

    A game that has not ended after `move_limit` moves is a draw. In Pgx a random player moves
    first, here player 0. Actions are numbered as in Pgx, and observations are Pgx's, as float32.
    """

    name: str
    move_limit: int

    @property
    def version(self) -> int:
        """100 times the adapter's version, plus Pgx's version of the game."""
        return 100 * ADAPTER_VERSION + int(self._env.version.removeprefix("v"))

    @property
    def num_actions(self) -> int:
        return self._start.legal_action_mask.size

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return self._start.observation.shape

    @property
    def max_moves(self) -> int:
        return self.move_limit

    @property
    def max_positions(self) -> float:
        """Infinity: Pgx gives no bound."""
        return math.inf

    @property
    def env_id(self) -> str:
        """The game's name in Pgx."""
        return self.name.removeprefix(PGX_PREFIX).partition(":")[0]

    @property
    def _env(self) -> Any:
        return _environment(self.env_id)[0]

    @property
    def _start(self) -> Any:
        return _environment(self.env_id)[1]

    def init(self, key: chex.PRNGKey) -> PgxState:
        """Returns the only starting state; the key is not used."""
        return self._compress(self._start)

    def step(self, state: PgxState, action: chex.Numeric) -> PgxState:
        """Returns the state after the player to move has played the action."""
        mover = state.current_player
        legal = self.is_legal(state, action)
        with allow_rank_promotion():
            played = self._compress(self._env.step(self.restore(state), action))
        lost = state._replace(
            legal_bits=jnp.zeros_like(state.legal_bits),
            current_player=1 - mover,
            terminated=jnp.array(True),
            rewards=rewards_of(mover, -1),
        )
        return select_state(state.terminated, state, select_state(legal, played, lost))

    def _compress(self, pgx_state: Any) -> PgxState:
        """Returns the state for Pgx's state after a legal action; it ends at `max_moves`."""
        terminated = pgx_state.terminated | (pgx_state._step_count >= self.max_moves)
        return PgxState(
            position={
                field_name(path): _narrow(leaf)
                for path, leaf in jax.tree.leaves_with_path(pgx_state)
                if path[-1].name not in (*DROPPED, LEGAL_ACTIONS)
            },
            legal_bits=jnp.packbits(pgx_state.legal_action_mask & ~terminated),
            current_player=jnp.asarray(pgx_state.current_player, jnp.int8),
            terminated=jnp.asarray(terminated),
            rewards=jnp.asarray(pgx_state.rewards, jnp.int8),
        )

    def restore(self, state: PgxState) -> Any:
        """Returns Pgx's own state of the position, as an unfinished one.

        All fields are those that Pgx would have, except for the observation.
        """

        def field(path, start):
            if path[-1].name == LEGAL_ACTIONS:
                return self.legal_action_mask(state)
            return jnp.asarray(state.position.get(field_name(path), start), start.dtype)

        restored = jax.tree.map_with_path(field, self._start)
        return restored.replace(current_player=state.current_player.astype(jnp.int32))

    def legal_action_mask(self, state: PgxState) -> chex.Array:
        """Returns bool[A]: the legal actions; none in a finished state."""
        return jnp.unpackbits(state.legal_bits, count=self.num_actions).astype(bool)

    def observe(self, state: PgxState) -> chex.Array:
        """Returns float32[H, W, C]: Pgx's observation for the player to move."""
        with allow_rank_promotion():
            return self._env.observe(self.restore(state)).astype(jnp.float32)

    def format_state(self, state: PgxState) -> str:
        """Returns the whole state in one word: its bytes, compressed, in Base64."""
        record = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(state))
        return base64.b64encode(zlib.compress(record)).decode()

    def parse_state(self, text: str) -> PgxState:
        """Returns the state of a word that `format_state` wrote, or, in chess, of a FEN.

        A FEN has no history: repetitions and the move limit count from its position.
        """
        if self.env_id in FEN_READERS and " " in text.strip():
            return self._parse_fen(text.strip())
        leaves, structure = jax.tree.flatten(jax.eval_shape(self.init, jax.random.key(0)))
        record_type = np.dtype([(f"{i}", x.dtype, x.shape) for i, x in enumerate(leaves)])
        try:
            record = zlib.decompress(base64.b64decode(text.strip(), validate=True))
            (values,) = np.frombuffer(record, record_type)
            state = jax.tree.unflatten(structure, [jnp.asarray(value) for value in values])
            check_players(state.current_player, state.rewards)
        except (ValueError, zlib.error) as error:
            raise ValueError(f"position {reprlib.repr(text)} is none of {self.name}") from error
        return state

    def _parse_fen(self, fen: str) -> PgxState:
        module, function, size = FEN_READERS[self.env_id]
        board, rest = fen.split(" ", 1)
        rows = [re.sub(r"\d", lambda count: "." * int(count[0]), row) for row in board.split("/")]
        is_board = re.fullmatch(r"[1-8pnbrqkPNBRQK/]+", board) and board.count("K") == 1
        has_size = len(rows) == size and {len(row) for row in rows} == {size}
        if not (is_board and has_size and board.count("k") == 1 and _FEN_FIELDS.fullmatch(rest)):
            start = _write_fen(self.env_id, self.restore(self.init(jax.random.key(0))))
            raise ValueError(f"position {reprlib.repr(fen)} is no FEN: write one such as {start!r}")
        with allow_rank_promotion():
            read = getattr(importlib.import_module(module), function)(fen)
        mover, state = int(rest[0] == "b"), self._compress(read)
        position = {
            name: x.at[1:].set(0) if name.endswith("_history") else x
            for name, x in state.position.items()
        }
        return state._replace(
            position=position,
            current_player=jnp.array(mover, jnp.int8),
            rewards=rewards_of(mover, -jnp.abs(state.rewards[0])),
        )

    def render(self, state: PgxState) -> str:
        """Returns the side to move or the result; for chess and shogi the board too."""
        if state.terminated:
            status = {1: "X wins", 0: "draw", -1: "O wins"}[int(state.rewards[0])]
        else:
            num_legal = int(self.legal_action_mask(state).sum())
            status = f"{'XO'[int(state.current_player)]} to move, {num_legal} legal actions"
        if self.env_id not in FEN_WRITERS:
            return status
        return f"{_render_fen(_write_fen(self.env_id, self.restore(state)))}\n{status}"


def pgx_names() -> list[str]:
    """Returns the registry's names of Pgx's games; Pgx need not be installed."""
    return [PGX_PREFIX + env_id for env_id in MAX_MOVES]


def has_pgx() -> bool:
    """Tells whether Pgx is installed; it is not imported."""
    return importlib.util.find_spec("pgx") is not None


def make_pgx(name: str, max_moves: int | None = None) -> PgxGame:
    """Makes a game of Pgx by a name such as `pgx:chess` or `pgx:chess:max_moves=100`.

    After `max_moves` a game is a draw; the default, and the maximum, is where Pgx ends it.

    Raises:
      ValueError: Pgx is not installed, or has no two-player game of perfect information of the
        name.
    """
    env_id = name.removeprefix(PGX_PREFIX).partition(":")[0]
    if env_id not in MAX_MOVES:
        meant = nearest(env_id, MAX_MOVES)
        there = f"there are {', '.join(pgx_names())}"
        hint = f"did you mean {PGX_PREFIX + meant!r}?" if meant else there
        raise ValueError(f"no game of two players and perfect information is {name!r}; {hint}")
    if not has_pgx():
        raise ValueError(f"game {name!r} needs Pgx: pip install 'azjax[pgx]'")
    limit = MAX_MOVES[env_id]
    if max_moves is not None and max_moves < 1:
        raise ValueError(f"max_moves={max_moves}: must be at least 1")
    if max_moves is None or max_moves >= limit:
        return PgxGame(f"{PGX_PREFIX}{env_id}", limit)
    return PgxGame(name, max_moves)


def _narrow(leaf: chex.Array) -> chex.Array:
    """Casts int32 to int16: boards, ids and counters of these games are far below 2**15."""
    return jnp.asarray(leaf, jnp.int16 if leaf.dtype == jnp.int32 else leaf.dtype)


def _write_fen(env_id: str, pgx_state: Any) -> str:
    module, function = FEN_WRITERS[env_id]
    return getattr(importlib.import_module(module), function)(pgx_state)


def _render_fen(fen: str) -> str:
    """Returns the rows of a FEN or SFEN as lines of text, then its other fields."""
    board, rest = fen.split(" ", 1)
    empty_cells = re.sub(r"\d", lambda count: "." * int(count[0]), board)
    rows = [re.findall(r"\+?.", row) for row in empty_cells.split("/")]
    width = max(len(piece) for row in rows for piece in row)
    return "\n".join([*(" ".join(piece.rjust(width) for piece in row) for row in rows), rest])

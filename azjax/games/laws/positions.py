"""Laws of observations and positions: apart, after a move, under symmetries and in a batch."""

import functools

import chex
import jax
import numpy as np

from azjax.games.laws.law import BrokenLawError, Index, Law, describe_state, require
from azjax.games.laws.playout import (
    RESULT,
    VIEWS,
    Playout,
    View,
    batched,
    equal_leaves,
    single,
    slice_of,
    stack,
)
from azjax.games.state_values import rows_as_bytes

_FEW_POSITIONS = 2  # so few may look alike
_NUM_STATES = 12  # that are computed alone, too
_TOLERANCE = 1e-5  # of observations; a batch may add in another order


def check_positions(play: Playout) -> None:
    """Raises BrokenLawError unless observations and positions obey the laws."""
    _check_observations(play)
    _check_decisive(play)
    seen, most = count_positions(play), play.game.max_positions
    found = f"random play has seen {seen:,}, and max_positions is {most:,g}"
    right = "an upper bound of all that can be reached, with either player to move"
    require(play.game, Law.MAX_POSITIONS, seen <= most, found, right)
    _check_move_count(play)


def count_positions(play: Playout) -> int:
    """Returns the number of different positions, finished ones among them."""
    positions = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), play.views.position)
    return len(set(rows_as_bytes(positions)))


def most_alike(play: Playout) -> int:
    """Returns the most unfinished positions that have the same observation.

    Two are usual: a position, and the same with the colours swapped and the other player to move.
    """
    unfinished = slice_of(play.views, ~play.states.terminated)
    alike: dict[bytes, set[bytes]] = {}
    for observation, position in zip(
        unfinished.observation, rows_as_bytes(unfinished.position), strict=True
    ):
        alike.setdefault(observation.tobytes(), set()).add(position)
    return max(map(len, alike.values()))


def _check_observations(play: Playout) -> None:
    """Checks that observations are finite, and not all alike."""
    values = play.views.observation
    play.require(
        Law.FINITE,
        np.isfinite(values).all(axis=(-1, -2, -3)),
        lambda i: f"an observation has {values[i][~np.isfinite(values[i])][0]}",
        "finite numbers",
    )
    unfinished = slice_of(play.views, ~play.states.terminated)
    num_positions = len(set(rows_as_bytes(unfinished.position)))
    is_blind = (unfinished.observation == unfinished.observation[0]).all()
    found = f"{num_positions} positions have the same observation"
    right = "planes that show the pieces, or whatever else differs"
    require(play.game, Law.DISTINCT, num_positions <= _FEW_POSITIONS or not is_blind, found, right)


def _check_decisive(play: Playout) -> None:
    """Checks that equal observations and moves do not give a win here and a loss there."""
    mover, rewards = play.before.current_player, play.after.rewards
    results = np.take_along_axis(rewards, mover[..., None].astype(int), axis=-1)[..., 0]
    seen: dict[tuple[bytes, int], Index] = {}
    for move, row in np.argwhere(play.lasts & (results != 0)):
        index = int(move), int(row)
        key = play.views.observation[index].tobytes(), int(play.actions[index])
        other = seen.setdefault(key, index)
        if results[other] != results[index]:
            outcome = {1: "wins", -1: "loses"}
            found = (
                f"the move {outcome[results[index]]} for player {mover[index]}, and "
                f"{outcome[results[other]]} for player {mover[other]} with the same observation "
                f"in {describe_state(play.game, slice_of(play.states, other))!r}"
            )
            right = "rewards by player, not by mover, and a view of all that decides the game"
            state, action = slice_of(play.states, index), play.actions[index]
            raise BrokenLawError(play.game, Law.DECISIVE, found, right, state, action)


def _check_move_count(play: Playout) -> None:
    positions, states = play.views.position, play.states
    if equal_leaves(positions, states, 2).all():
        return
    look, right = batched(play.game).look, "the state with only its count of moves set to 0"
    views = stack([look(slice_of(positions, move)) for move in range(len(states.terminated))])
    for what, before, after in (
        *((name, getattr(states, name), getattr(positions, name)) for name in RESULT),
        ("the legal actions", play.views.mask, views.mask),
        ("the observation", play.views.observation, views.observation),
        ("a position without a move count", positions, views.position),
    ):
        same = equal_leaves(before, after, 2)
        play.require(Law.MOVE_COUNT, same, f"it changes {what}", right)
    leads_alike = np.stack([_leads_alike(play, move) for move in range(len(play.actions))])
    found = "the move leads to another position where no moves are counted"
    play.require(Law.MOVE_COUNT, leads_alike, found, right, of_move=True)


def _leads_alike(play: Playout, move: int) -> np.ndarray:
    """Tells whether equal positions [B] lead to equal positions, ends by the count aside."""
    functions, positions = batched(play.game), play.views.position
    after = functions.step(slice_of(positions, move), play.actions[move])
    expected = slice_of(positions, move + 1)
    same = equal_leaves(functions.look(after).position, expected, 1)
    return same | after.terminated | expected.terminated | ~play.lasts[move]


def check_symmetric_play(play: Playout) -> int:
    """Checks that games with permuted actions are permuted games, where the start looks symmetric.

    Returns:
      The number of symmetries that were checked so, the identity among them.

    Raises:
      BrokenLawError: They are other games.
    """
    size, num_games = len(play.game.symmetries.cells), play.actions.shape[1]
    if size == 1:
        return 1
    number = 1 + np.arange(num_games) % (size - 1)
    cells, actions = (np.asarray(permutations)[number] for permutations in play.game.symmetries)
    inverse, games = np.argsort(actions, axis=1).astype(np.int32), np.arange(num_games)
    start, functions = slice_of(play.views, 0), batched(play.game)
    is_symmetric = equal_leaves(start[:2], _permute(start, cells, actions), 1)
    states = slice_of(play.states, 0)
    for move, taken in enumerate(play.actions):
        states = functions.step(states, inverse[games, taken])
        views, expected = functions.look(states), slice_of(play.after, move)
        mask, observation = _permute(slice_of(play.views, move + 1), cells, actions)
        for name, found, right in (
            ("legal actions", views.mask, mask),
            ("observations", views.observation, observation),
            *((name, getattr(states, name), getattr(expected, name)) for name in RESULT),
        ):
            holds = equal_leaves(found, right, 1) | ~is_symmetric | ~play.lasts[move]
            describe = functools.partial(_describe_difference, name, actions)
            what = "the same game from the start, with every action and every cell permuted"
            before = slice_of(play.states, move)
            require(play.game, Law.SYMMETRIC_PLAY, holds, describe, what, before, taken)
    return 1 + len(set(number[is_symmetric].tolist()))


def _describe_difference(name: str, actions: np.ndarray, index: Index) -> str:
    return f"under a symmetry (actions {actions[index].tolist()}) the {name} differ"


def _permute(views: View, cells: np.ndarray, actions: np.ndarray) -> tuple[chex.Array, chex.Array]:
    """Returns masks [B, A] and observations [B, H, W, C], permuted by [B, A] and [B, H * W]."""
    batch, observation = np.arange(len(cells))[:, None], views.observation
    flat = observation.reshape(len(cells), -1, observation.shape[-1])
    return views.mask[batch, actions], flat[batch, cells].reshape(observation.shape)


def check_batches(play: Playout, seed: int) -> None:
    """Raises BrokenLawError unless a batch gives what its states give one by one, in other traces.

    The seed is the playout's.
    """
    functions, (num_moves, num_games) = single(play.game), play.actions.shape
    key = jax.random.split(jax.random.key(seed), num_games)[0]
    _require_same(play, "init", (0, 0), functions.init(key), slice_of(play.states, (0, 0)))
    for i in range(_NUM_STATES):
        index = i * num_moves // _NUM_STATES, i % num_games
        state, in_batch = slice_of(play.states, index), slice_of(play.views, index)
        after = functions.step(state, play.actions[index])
        _require_same(play, "step", index, after, slice_of(play.after, index))
        for method, *views in zip(VIEWS, functions.look(state), in_batch, strict=True):
            _require_same(play, method, index, *views)


def _require_same(
    play: Playout, method: str, index: Index, alone: chex.ArrayTree, in_batch: chex.ArrayTree
) -> None:
    for x, y in zip(jax.tree.leaves(alone), jax.tree.leaves(in_batch), strict=True):
        same = np.allclose(x, y, rtol=_TOLERANCE, atol=_TOLERANCE)
        found = f"{method} gives {_short(x)} alone, and {_short(y)} in a batch"
        right = "the same: a function of its arguments, without state in Python"
        state, action = slice_of(play.states, index), play.actions[index]
        require(play.game, Law.BATCH, same, found, right, state, action)


def _short(array: np.ndarray) -> str:
    return np.array2string(np.asarray(array), threshold=16, separator=",")

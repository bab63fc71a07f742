"""Laws of observations, and of positions: the states without their move counts."""

import chex
import jax
import numpy as np

from azjax.games.batches import rows_as_bytes
from azjax.games.laws.functions import batched
from azjax.games.laws.law import Law, broken, describe_state
from azjax.games.laws.playout import Index, Playout, equal_leaves, first_breach, slice_of

_FEW_POSITIONS = 2  # so few may look alike


def check_positions(play: Playout) -> None:
    """Checks the laws of observations and of positions.

    Raises:
      BrokenLawError: A law is broken.
    """
    _check_finite(play)
    _check_distinct(play)
    _check_decisive(play)
    _check_max_positions(play)
    _check_move_count(play)


def count_positions(play: Playout) -> int:
    """Returns the number of different positions, finished ones among them."""
    return len(set(_rows(play.views.position)))


def most_alike(play: Playout) -> int:
    """Returns the most unfinished positions that have the same observation.

    Two are usual: a position, and the same with the colours swapped and the other player to move.
    """
    unfinished = ~play.states.terminated
    positions = _rows(slice_of(play.views.position, unfinished), num_axes=1)
    alike: dict[bytes, set[bytes]] = {}
    for observation, position in zip(play.views.observation[unfinished], positions, strict=True):
        alike.setdefault(observation.tobytes(), set()).add(position)
    return max(map(len, alike.values()))


def depends_on_mover(play: Playout) -> bool:
    """Tells whether observations change where the other player is to move, all else equal."""
    states = slice_of(play.states, len(play.actions) // 2)
    swapped = states._replace(current_player=1 - states.current_player)  # type: ignore[attr-defined]
    observations = batched(play.game).look(swapped).observation
    return bool((observations != play.views.observation[len(play.actions) // 2]).any())


def _check_finite(play: Playout) -> None:
    values = play.views.observation
    if index := first_breach(np.isfinite(values).all(axis=(-1, -2, -3))):
        wrong = values[index][~np.isfinite(values[index])][0]
        raise play.broken(Law.FINITE, index, f"an observation has {wrong}", "finite numbers")


def _check_distinct(play: Playout) -> None:
    unfinished = ~play.states.terminated
    num_positions = len(set(_rows(slice_of(play.views.position, unfinished), num_axes=1)))
    observations = play.views.observation[unfinished]
    if num_positions > _FEW_POSITIONS and (observations == observations[0]).all():
        found = f"{num_positions} positions have the same observation"
        right = "planes that show the pieces, or whatever else differs"
        raise broken(play.game, Law.DISTINCT, found, right)


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
            raise play.broken_by_move(Law.DECISIVE, index, found, right)


def _check_max_positions(play: Playout) -> None:
    found, most = count_positions(play), play.game.max_positions
    if found > most:
        right = "an upper bound of all that can be reached, with either player to move"
        text = f"random play has seen {found:,}, and max_positions is {most:,g}"
        raise broken(play.game, Law.MAX_POSITIONS, text, right)


def _check_move_count(play: Playout) -> None:
    positions, states = play.views.position, play.states
    if equal_leaves(positions, states, num_axes=2).all():
        return
    for name in ("current_player", "terminated", "rewards"):
        _require_unchanged(play, name, getattr(states, name), getattr(positions, name))
    look = batched(play.game).look
    again = [look(slice_of(positions, move)) for move in range(len(states.terminated))]
    views = jax.tree.map(lambda *leaves: np.stack(leaves), *again)
    _require_unchanged(play, "the legal actions", play.views.mask, views.mask)
    _require_unchanged(play, "the observation", play.views.observation, views.observation)
    _require_unchanged(play, "a position without a move count", positions, views.position)
    _check_next_position(play)


def _require_unchanged(
    play: Playout, what: str, before: chex.ArrayTree, after: chex.ArrayTree
) -> None:
    if index := first_breach(equal_leaves(before, after, num_axes=2)):
        right = "the state with only its count of moves set to 0"
        raise play.broken(Law.MOVE_COUNT, index, f"it changes {what}", right)


def _check_next_position(play: Playout) -> None:
    """Checks that moves lead from equal positions to equal positions, ends by the count aside."""
    functions = batched(play.game)
    for move, actions in enumerate(play.actions):
        after = functions.step(slice_of(play.views.position, move), actions)
        expected = slice_of(play.views.position, move + 1)
        same = equal_leaves(functions.look(after).position, expected, num_axes=1)
        ends = after.terminated | expected.terminated
        for i in np.flatnonzero(play.lasts[move] & ~ends & ~same):
            found = "the move leads to another position where no moves are counted"
            right = "the state with only its count of moves set to 0"
            raise play.broken_by_move(Law.MOVE_COUNT, (move, int(i)), found, right)


def _rows(states: chex.ArrayTree, num_axes: int = 2) -> list[bytes]:
    """Returns the bytes of each state of a batch with so many leading axes."""
    return rows_as_bytes(jax.tree.map(lambda x: x.reshape(-1, *x.shape[num_axes:]), states))

"""Laws of illegal actions, and of actions that do not exist."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from azjax.games.game import Game, State
from azjax.games.laws.functions import batched
from azjax.games.laws.law import Law, broken
from azjax.games.laws.playout import Playout, equal_leaves, slice_of

_MOST_MOVES = 24  # at most so many moves of the games are tried


class _Attempt(NamedTuple):
    """An action of each of B games at one move of the playout."""

    before: State  # [B, ...]
    played: State  # [B, ...] after the legal action of the playout
    legal_actions: np.ndarray  # [B] int32, those of the playout
    actions: np.ndarray  # [B] int32
    lost: State  # [B, ...] after these actions
    is_tried: np.ndarray  # [B] bool: the game lasts, and the action is illegal


def check_illegal_actions(play: Playout) -> None:
    """Checks that illegal actions lose at once, and that legal ones are not taken for them.

    Raises:
      BrokenLawError: A law is broken.
    """
    for attempt in _attempts(play):
        _check_loses(play.game, attempt)
        _check_over(play.game, attempt)
        _check_legal_accepted(play.game, attempt)


def _attempts(play: Playout) -> Iterator[_Attempt]:
    """Yields the first and the last illegal action of positions, then three that do not exist."""
    num_actions, num_moves = play.game.num_actions, len(play.actions)
    moves = range(0, num_moves, 1 + num_moves // _MOST_MOVES)
    for move in moves:
        is_legal = play.views.mask[move]
        first, last = is_legal.argmin(axis=1), is_legal[:, ::-1].argmin(axis=1)
        is_tried = play.lasts[move] & ~is_legal.all(axis=1)
        yield _attempt(play, move, first, is_tried)
        yield _attempt(play, move, num_actions - 1 - last, is_tried)
    for action in (-1, num_actions, num_actions + 1000):
        for move in moves:
            actions = np.full(len(play.lasts[move]), action)
            yield _attempt(play, move, actions, play.lasts[move])


def _attempt(play: Playout, move: int, actions: np.ndarray, is_tried: np.ndarray) -> _Attempt:
    before, played = (slice_of(states, move) for states in (play.before, play.after))
    actions = actions.astype(np.int32)
    lost = batched(play.game).step(before, actions)
    return _Attempt(before, played, play.actions[move], actions, lost, is_tried)


def _check_loses(game: Game, attempt: _Attempt) -> None:
    mover, rewards = attempt.before.current_player, attempt.lost.rewards
    expected = np.where(np.arange(2) == mover[:, None], -1, 1)
    loses = attempt.lost.terminated & (rewards == expected).all(axis=1)
    for i in np.flatnonzero(attempt.is_tried & ~loses):
        what = "ends" if attempt.lost.terminated[i] else "goes on"
        found = f"the game {what} with rewards {rewards[i].tolist()} where player {mover[i]} moved"
        right = f"an end with {expected[i].tolist()}, for player 0 and player 1 (see finish_step)"
        state = slice_of(attempt.before, i)
        raise broken(game, Law.ILLEGAL, found, right, state, attempt.actions[i])


def _check_over(game: Game, attempt: _Attempt) -> None:
    """Checks that a game lost by an illegal action has no legal action, and absorbs."""
    again = batched(game).step(attempt.lost, np.zeros_like(attempt.actions))
    absorbs = equal_leaves(attempt.lost, again, num_axes=1)
    has_legal = batched(game).look(attempt.lost).mask.any(axis=1)
    for law, holds, found, right in (
        (Law.LEGAL, ~has_legal, "it is illegal and leaves legal moves", "mask & ~terminated"),
        (Law.ABSORBING, absorbs, "it is illegal, and another changes the state", "the lost state"),
    ):
        for i in np.flatnonzero(attempt.is_tried & ~holds):
            raise broken(game, law, found, right, slice_of(attempt.before, i), attempt.actions[i])


def _check_legal_accepted(game: Game, attempt: _Attempt) -> None:
    same = equal_leaves(attempt.played, attempt.lost, num_axes=1)
    for i in np.flatnonzero(attempt.is_tried & same):
        state, legal = slice_of(attempt.before, i), attempt.legal_actions[i]
        found = f"it is legal and loses, as the illegal action {attempt.actions[i]} does"
        right = "a mask of the actions that step accepts, and no action that gives up"
        raise broken(game, Law.LEGAL_ACCEPTED, found, right, state, legal)

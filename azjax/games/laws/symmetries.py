"""Laws of symmetries: what they are, and that a game under each is the same game."""

from typing import NamedTuple

import chex
import numpy as np

from azjax.games.game import Game, State
from azjax.games.laws.functions import View, batched
from azjax.games.laws.law import Law, broken, calling
from azjax.games.laws.playout import Playout, slice_of
from azjax.games.symmetry import Symmetries


def check_permutations(game: Game) -> None:
    """Checks that the symmetries are permutations, the identity first, and form a group.

    Raises:
      BrokenLawError: A law is broken.
    """
    with calling(game, "symmetries", "Symmetries of NumPy arrays, by make_symmetries"):
        cells, actions = (np.asarray(permutations) for permutations in game.symmetries)
    height, width, _ = game.observation_shape
    sizes = {"cells": (cells, height * width), "actions": (actions, game.num_actions)}
    for name, (permutations, size) in sizes.items():
        _check_permutations(game, name, permutations, size)
    _check_group(game, cells, actions)


def _check_permutations(game: Game, name: str, permutations: np.ndarray, size: int) -> None:
    right = f"int32[{len(game.symmetries.cells)},{size}], each row the numbers 0 to {size - 1}"
    if permutations.ndim != 2 or len(permutations) != len(game.symmetries.cells):
        found = f"{name} has the shape {permutations.shape}"
        raise broken(game, Law.SYMMETRIES, found, right)
    for i, permutation in enumerate(permutations):
        if sorted(permutation.tolist()) != list(range(size)):
            raise broken(game, Law.SYMMETRIES, f"{name}[{i}] is no permutation", right)
    if permutations[0].tolist() != list(range(size)):
        raise broken(game, Law.SYMMETRIES, f"{name}[0] is not the identity", "0, 1, 2, ...")


def _check_group(game: Game, cells: np.ndarray, actions: np.ndarray) -> None:
    def as_bytes(cells, actions):
        return cells.tobytes() + b" " + actions.tobytes()

    known = {as_bytes(*pair) for pair in zip(cells, actions, strict=True)}
    if len(known) < len(cells):
        raise broken(game, Law.SYMMETRIES, "two are the same", "each symmetry once")
    for i in range(len(cells)):
        for j in range(len(cells)):
            if as_bytes(cells[i][cells[j]], actions[i][actions[j]]) not in known:
                found = f"{i} after {j} is none of them"
                raise broken(game, Law.SYMMETRIES, found, "all compositions, as of a group")


class _Twins(NamedTuple):
    """The games of the playout, each under a symmetry."""

    cells: np.ndarray  # [B, H * W]
    actions: np.ndarray  # [B, A]
    is_same_start: np.ndarray  # [B] bool: the symmetry maps the game's start to itself


def check_symmetric_play(play: Playout) -> int:
    """Checks that games with permuted actions are permuted games, where the start looks symmetric.

    Returns:
      The number of symmetries that were checked so, the identity among them.

    Raises:
      BrokenLawError: The law is broken.
    """
    symmetries = play.game.symmetries
    size, num_games = len(symmetries.cells), play.actions.shape[1]
    if size == 1:
        return 1
    number = 1 + np.arange(num_games) % (size - 1)
    twins = _twins(play, symmetries, number)
    functions, states = batched(play.game), slice_of(play.states, 0)
    inverse = np.argsort(twins.actions, axis=1)
    for move, actions in enumerate(play.actions):
        permuted = np.take_along_axis(inverse, actions[:, None], axis=1)[:, 0].astype(np.int32)
        states = functions.step(states, permuted)
        _check_move(play, twins, move, states, functions.look(states))
    return 1 + len(set(number[twins.is_same_start].tolist()))


def _twins(play: Playout, symmetries: Symmetries, number: np.ndarray) -> _Twins:
    cells, actions = (np.asarray(permutations)[number] for permutations in symmetries)
    mask, observation = play.views.mask[0], _flat(play.views.observation[0])
    same = (_permute(observation, cells) == observation).all(axis=(1, 2))
    same &= (_permute(mask, actions) == mask).all(axis=1)
    return _Twins(cells, actions, same)


def _check_move(play: Playout, twins: _Twins, move: int, states: State, views: View) -> None:
    expected, original = slice_of(play.after, move), slice_of(play.views, move + 1)
    pairs = {
        "legal actions": (views.mask, _permute(original.mask, twins.actions)),
        "observations": (
            _flat(views.observation),
            _permute(_flat(original.observation), twins.cells),
        ),
        "terminated": (states.terminated, expected.terminated),
        "rewards": (states.rewards, expected.rewards),
        "current_player": (states.current_player, expected.current_player),
    }
    compared = play.lasts[move] & twins.is_same_start
    for name, (found, right) in pairs.items():
        differs = (found != right).reshape(len(found), -1).any(axis=1)
        for i in np.flatnonzero(compared & differs):
            text = f"under a symmetry (actions {twins.actions[i].tolist()}) the {name} differ"
            what = "the same game from the start, with every action and every cell permuted"
            raise play.broken_by_move(Law.SYMMETRIC_PLAY, (move, int(i)), text, what)


def _flat(observation: chex.Array) -> chex.Array:
    """Returns [B, H, W, C] as [B, H * W, C]."""
    return observation.reshape(len(observation), -1, observation.shape[-1])


def _permute(values: np.ndarray, permutations: np.ndarray) -> np.ndarray:
    """Returns `values[b, permutations[b]]` for each b."""
    return values[np.arange(len(values))[:, None], permutations]

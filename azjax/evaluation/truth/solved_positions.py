"""Positions whose best moves are known exactly, and what they say of an agent's moves."""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import numpy as np

from azjax.evaluation.truth.solution import keeps_value, solve
from azjax.games import Game, State
from azjax.support.program_cache import cache_programs

VALUES = ("loss", "draw", "win")  # of the player to move


class SolvedPositions(NamedTuple):
    """P unfinished positions, and the actions that keep each one's value for its mover.

    Where the values of positions are known, and of their actions are not, an agent is asked for the
    value: an action is then an index of `VALUES`, each is legal, and one is best.

    One half of them chooses among agents, the other half reports on an agent that was chosen: by
    the positions that chose it, the accuracy of the best of many looks higher than it is.
    """

    states: State  # [P, ...]
    is_best: np.ndarray  # [P, A] bool
    is_legal: np.ndarray  # [P, A] bool
    symmetry_class: np.ndarray  # [P] uint64, pseudo-random; equal for images of one position
    description: str  # the source, for reports
    is_complete: bool = False  # all positions of a solved game, in the order of `solve`
    has_actions: bool = True  # False: the actions are values

    @property
    def random(self) -> float:
        """The expected accuracy of uniform random play: the mean share of best actions.

        Of values it is the share of the most frequent one, the best guess without a look.
        """
        if not self.has_actions:
            return float(self.is_best.mean(axis=0).max())
        return float((self.is_best.sum(axis=1) / self.is_legal.sum(axis=1)).mean())

    @property
    def choice_matters(self) -> float:
        """The share of positions in which some legal action does not keep the value."""
        return float((self.is_legal & ~self.is_best).any(axis=1).mean())

    @property
    def baseline(self) -> str:
        """What an accuracy on all of them is to be compared with, in words."""
        return describe_baseline(self.random, self.choice_matters)

    @property
    def in_validation(self) -> np.ndarray:
        """bool[P]: the positions of the half that chooses; the others are those that report.

        It depends on the positions only. The images of a position under the board's symmetries are
        in the same half, because a network errs in all of them alike; so the half that reports may
        be larger by a few. A single position is in that half.
        """
        classes, sizes = np.unique(self.symmetry_class, return_counts=True)
        is_first_half = sizes.cumsum() <= len(self.symmetry_class) / 2
        return np.isin(self.symmetry_class, classes[is_first_half])

    @property
    def test_half(self) -> "SolvedPositions":
        """The positions that report on agents and hyperparameters that the other half chose."""
        half = self.take(~self.in_validation)
        return half._replace(description=f"the test half of {self.description}")

    def take(self, indices: np.ndarray | int) -> "SolvedPositions":
        """Returns some of the positions, by their indices or by bool[P]; or one, without [P]."""
        arrays = jax.tree.map(lambda x: np.asarray(x)[indices], self[:4])
        names = ("states", "is_best", "is_legal", "symmetry_class")
        return self._replace(**dict(zip(names, arrays, strict=True)), is_complete=False)

    def format_action(self, game: Game, action: int) -> str:
        """Returns an action in the game's notation, or a value in a word."""
        return game.format_action(action) if self.has_actions else VALUES[action]


def are_best(positions: SolvedPositions, actions: np.ndarray) -> np.ndarray:
    """Returns bool[..., P]: whether the action, of [..., P], keeps its position's best value."""
    return positions.is_best[np.arange(actions.shape[-1]), actions]


def accuracy(positions: SolvedPositions, actions: np.ndarray) -> float:
    """Returns the share of the actions, of [..., P], that keep the best value."""
    return float(are_best(positions, actions).mean())


def describe_baseline(random: float, choice_matters: float) -> str:
    """Returns the two shares that an accuracy is to be compared with, in words."""
    return (
        f"uniform random play has {random:.1%} on the same positions, and the choice of the move "
        f"matters in {choice_matters:.1%} of them"
    )


def all_positions(game: Game) -> SolvedPositions:
    """Returns all unfinished positions that play can reach; raises ValueError as `solve`."""
    solution = solve(game)
    unfinished = ~solution.states.terminated
    states = jax.tree.map(lambda x: x[unfinished], solution.states)
    is_best = keeps_value(solution.action_values[unfinished])
    positions = make_solved_positions(game, states, is_best, "all there are, solved")
    return positions._replace(is_complete=True)


def make_solved_positions(
    game: Game, states: State, is_best: np.ndarray, description: str
) -> SolvedPositions:
    """Returns unfinished states [P, ...], and what the rules say of them, as solved positions.

    The actions of bool[P, A] keep the value.
    """
    is_legal, observations = map(np.asarray, _view(game)(states))
    classes = _symmetry_classes(game, observations)
    return SolvedPositions(states, is_best, is_legal, classes, description)


@cache_programs
def _view(game: Game) -> Callable[[State], tuple[chex.Array, chex.Array]]:
    """Returns the function from states to their legal actions and observations, compiled once."""
    return jax.jit(jax.vmap(lambda state: (game.legal_action_mask(state), game.observe(state))))


def _symmetry_classes(game: Game, observations: np.ndarray) -> np.ndarray:
    """Returns [P] uint64: a hash of the least of the images of each observation [H, W, C]."""
    flat = observations.reshape(len(observations), -1, observations.shape[-1])
    least = (min(cells[image].tobytes() for image in game.symmetries.cells) for cells in flat)
    digests = (hashlib.sha256(image).digest()[:8] for image in least)
    return np.array([int.from_bytes(digest, "big") for digest in digests], np.uint64)

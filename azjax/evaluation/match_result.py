"""The result of a match: the rewards by pairs of games, the score and its interval."""

import dataclasses
import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from azjax.evaluation.intervals import Interval
from azjax.support.plurals import count

PAIR_SCORES = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # per game, of two games
_PRIOR = 0.2  # pseudo-count of each pair score: one pair in all
_NUM_SAMPLES = 20_000

GameActions = Sequence[int]  # from the start of the game; RESIGNS or FORFEITS may be the last


class Counts(NamedTuple):
    """Games by their result."""

    wins: int
    draws: int
    losses: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MatchResult:
    """The rewards of player A, by the pair of games of one opening."""

    rewards: np.ndarray  # [P, 2] int8: with A in seat 0, with A in seat 1
    actions: Sequence[tuple[GameActions, GameActions]] = ()  # [P] of the same games, if known
    forfeits: tuple[int, int] = (0, 0)  # games that A, and B, lost by an error of the engine

    def __repr__(self) -> str:
        """Returns the result in one line."""
        low, high = self.interval
        wins, draws = count(self.wins, "win"), count(self.draws, "draw")
        return (
            f"{wins}, {draws}, {count(self.losses, 'loss')}: "
            f"score {self.score:.1%}, 95% interval {low:.1%} to {high:.1%}"
        )

    @property
    def moving_first(self) -> Counts:
        """The games with A in seat 0."""
        return _count(self.rewards[:, 0])

    @property
    def moving_second(self) -> Counts:
        """The games with A in seat 1."""
        return _count(self.rewards[:, 1])

    @property
    def wins(self) -> int:
        """Games that A won."""
        return _count(self.rewards).wins

    @property
    def draws(self) -> int:
        """Games drawn."""
        return _count(self.rewards).draws

    @property
    def losses(self) -> int:
        """Games that A lost."""
        return _count(self.rewards).losses

    @property
    def num_games(self) -> int:
        """Games played."""
        return self.rewards.size

    @property
    def pair_scores(self) -> np.ndarray:
        """[P] A's mean score per game: 1 for a win, one half for a draw."""
        return (1 + self.rewards.mean(axis=1)) / 2

    @property
    def score(self) -> float:
        """The mean over all games."""
        return float(self.pair_scores.mean())

    @property
    def interval(self) -> Interval:
        """95% interval of the expected score."""
        return self._posterior[0]

    @property
    def probability_stronger(self) -> float:
        """Probability that the expected score is above one half."""
        return self._posterior[1]

    @functools.cached_property
    def _posterior(self) -> tuple[Interval, float]:
        return score_posterior((self.pair_scores[:, None] == PAIR_SCORES[None, :]).sum(axis=0))


def _count(rewards: np.ndarray) -> Counts:
    return Counts(*(int((rewards == reward).sum()) for reward in (1, 0, -1)))


def score_posterior(pair_counts: np.ndarray) -> tuple[Interval, float]:
    """Returns the 95% interval of the expected score after a match, and P(it is above 1/2).

    A pair is the two games of one opening with seats swapped. The games of a pair are dependent,
    the pairs are independent. The frequencies of the five pair scores have a Dirichlet posterior,
    under a prior with the weight of one pair; so the interval has a positive width even if every
    game was won. `pair_counts` is [5], the number of pairs with each score of PAIR_SCORES.
    """
    generator = np.random.default_rng(0)
    frequencies = generator.dirichlet(np.asarray(pair_counts) + _PRIOR, size=_NUM_SAMPLES)
    scores = frequencies @ PAIR_SCORES
    low, high = np.quantile(scores, [0.025, 0.975]).tolist()
    # The prior shrinks the interval towards 1/2: if every game was won it would exclude the score.
    observed = float(np.average(PAIR_SCORES, weights=pair_counts))
    low, high = min(low, observed), max(high, observed)
    # Symmetric counts have the probability 1/2 exactly, without the sampling error.
    is_even = np.array_equal(pair_counts, pair_counts[::-1])
    return Interval(low, high), 0.5 if is_even else float((scores > 0.5).mean())

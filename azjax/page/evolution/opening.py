"""What the networks of a run think of the start."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from azjax.games import Game
from azjax.page.analysis.search_analysis import SearchSummary

Source = Literal["search", "network"]
_MOST_MOVES = 5
OTHERS = "others"


class Opening(NamedTuple):
    """The search of the start by one network."""

    iteration: int
    analysis: SearchSummary


def opening_shares(
    game: Game, openings: Sequence[Opening], source: Source
) -> dict[str, list[float]]:
    """Returns the shares of the five moves that are largest at some iteration, and of the others.

    Args:
      game: The rules.
      openings: At least one, in the order of iterations.
      source: Whether they are those after the search, or those of the network alone.

    Returns:
      By move, in the game's notation, a share for each iteration.
    """
    shares = np.stack([_policy(opening.analysis, source) for opening in openings])
    largest = np.argsort(-shares.max(axis=0), kind="stable")[:_MOST_MOVES]
    chosen = {
        game.format_action(int(action)): shares[:, action].tolist()
        for action in largest
        if shares[:, action].max() > 0
    }
    others = 1 - shares[:, largest].sum(axis=1)
    return chosen | {OTHERS: np.maximum(0.0, others).tolist()}


def opening_values(openings: Sequence[Opening]) -> list[float]:
    """Returns the value of the start for X, who is to move, at each iteration."""
    return [opening.analysis.value for opening in openings]


def _policy(analysis: SearchSummary, source: Source) -> np.ndarray:
    found = analysis.found
    return found.policy if source == "search" or found.prior is None else found.prior

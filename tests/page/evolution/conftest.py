"""Searches without a program: a fixed policy for each position."""

import numpy as np
import pytest

from azjax import games
from azjax.evaluation import PositionSearch
from azjax.page.analysis.summary import SearchSummary

GAME = games.make("tic_tac_toe")


def make_analysis(legal, value=0.25):
    """Returns the summary of a search in which the first legal action has half of the policy."""
    policy = np.zeros(GAME.num_actions)
    policy[list(legal)] = 0.5 / max(1, len(legal) - 1)
    policy[legal[0]] = 0.5 if len(legal) > 1 else 1.0
    visits = np.round(32 * policy).astype(int)
    q_values = np.where(visits > 0, value, np.nan)
    prior = np.full(GAME.num_actions, 1 / GAME.num_actions)
    found = PositionSearch(GAME, legal[0], policy, value, [legal[0]], prior, visits, q_values)
    return SearchSummary(found, nodes=(), lines={})


@pytest.fixture
def analyse():
    return make_analysis

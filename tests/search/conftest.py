"""Fixtures of compiled searches; tests that share one run consecutively."""

import pytest

from .searching import ALGORITHMS, SEARCHES, searcher


@pytest.fixture(scope="session", params=SEARCHES)
def find(request):
    """Returns a compiled search of tic-tac-toe by one algorithm, without noise."""
    return searcher("tic_tac_toe", request.param)


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_tic_tac_toe(request):
    return searcher("tic_tac_toe", request.param)

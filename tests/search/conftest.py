"""Fixtures of compiled searches; tests that share one run consecutively."""

import pytest

from .searching import ALGORITHMS, SEARCHES, searcher


def with_tier(names):
    """Makes searches of Connect Four slow tests; tic-tac-toe has the same ones."""
    return pytest.param(names, marks=pytest.mark.slow if "connect_four" in names else ())


@pytest.fixture(scope="session", params=map(with_tier, SEARCHES), ids="-".join)
def find(request):
    """Returns a compiled search of one game by one algorithm, without noise."""
    return searcher(*request.param)


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_tic_tac_toe(request):
    return searcher("tic_tac_toe", request.param)

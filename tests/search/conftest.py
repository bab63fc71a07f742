"""The compiled searches, so ordered that tests of the same one follow each other."""

import pytest

from .searching import ALGORITHMS, SEARCHES, searcher


def with_tier(names):
    """Makes searches of Connect Four slow tests; tic-tac-toe has the same ones."""
    return pytest.param(names, marks=pytest.mark.slow if "connect_four" in names else ())


@pytest.fixture(scope="session", params=map(with_tier, SEARCHES), ids="-".join)
def find(request):
    """A search of either game by either algorithm, without noise; and one by UCT."""
    return searcher(*request.param)


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_tic_tac_toe(request):
    return searcher("tic_tac_toe", request.param)

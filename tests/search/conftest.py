"""The compiled searches, so ordered that tests of the same one follow each other."""

import pytest

from .searching import ALGORITHMS, SEARCHES, searcher


@pytest.fixture(scope="session", params=SEARCHES, ids="-".join)
def find(request):
    """A search of either game by either algorithm, without noise; and one by UCT."""
    return searcher(*request.param)


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_tic_tac_toe(request):
    return searcher("tic_tac_toe", request.param)

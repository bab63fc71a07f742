"""The compiled searches, so ordered that tests of the same one follow each other."""

import pytest

from .searching import ALGORITHMS, GAMES, searcher


@pytest.fixture(scope="session", params=[f"{g}-{a}" for g in GAMES for a in ALGORITHMS])
def find(request):
    """A search of either game by either algorithm, without noise."""
    return searcher(*request.param.split("-"))


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_tic_tac_toe(request):
    return searcher("tic_tac_toe", request.param)


@pytest.fixture(scope="session", params=ALGORITHMS)
def find_connect_four(request):
    return searcher("connect_four", request.param)

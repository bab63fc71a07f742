"""Shared by the tests of the page."""

import pytest

from azjax.page.analysis.programs import SearchPrograms
from azjax.page.analysis.rules import make_rules


@pytest.fixture(scope="session")
def rules():
    """Returns the rules of tic-tac-toe."""
    return make_rules("tic_tac_toe")


@pytest.fixture
def nothing_ahead(monkeypatch):
    """Compiles no programs but those that are waited for: the test needs no larger batches."""
    monkeypatch.setattr(SearchPrograms, "next_size", lambda programs, size: None)

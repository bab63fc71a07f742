"""Shared by the tests of the page."""

import pytest

from azjax.page.analysis.programs import SearchPrograms


@pytest.fixture
def nothing_ahead(monkeypatch):
    """Compiles no programs but those that are waited for: the test needs no larger batches."""
    monkeypatch.setattr(SearchPrograms, "next_size", lambda programs, size: None)

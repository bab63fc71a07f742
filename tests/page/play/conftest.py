"""Shared by the tests of the play view."""

import pytest

from azjax.page.play.thinker import Thinker


@pytest.fixture
def nobody_thinks(monkeypatch):
    """Lets no agent move, and compiles no search."""

    async def think(thinker):
        await thinker._on_found()

    monkeypatch.setattr(Thinker, "think", think)

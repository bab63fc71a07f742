import sys

import pytest
from engine_player import FAKE_ENGINE


@pytest.fixture
def fake():
    """Returns the command of the fake engine, as words."""
    return lambda *arguments: (sys.executable, str(FAKE_ENGINE), *map(str, arguments))

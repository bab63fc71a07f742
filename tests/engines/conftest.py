import pathlib
import sys

import pytest

FAKE_ENGINE = pathlib.Path(__file__).with_name("fake_engine.py")


@pytest.fixture
def fake():
    """Returns the command of the fake engine, as words."""
    return lambda *arguments: (sys.executable, str(FAKE_ENGINE), *map(str, arguments))

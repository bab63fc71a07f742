"""The game in the researcher's manual obeys the laws as it is printed."""

import importlib
import pathlib
import re
import sys

import jax
import pytest

import azjax

MANUAL = pathlib.Path(__file__).parents[1] / "experiments" / "README.md"


@pytest.mark.usefixtures("registrations")
def test_the_game_of_the_manual_obeys_the_laws_and_is_solved(tmp_path, monkeypatch):
    [text] = re.findall(r"```python\n(\"\"\"Players add.*?)```", MANUAL.read_text(), re.DOTALL)
    (tmp_path / "race_of_the_manual.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    race = importlib.import_module("race_of_the_manual")
    with jax.numpy_rank_promotion("allow"):
        report = azjax.check_game(azjax.make("race"))
    del sys.modules["race_of_the_manual"]
    assert report.warnings == ()
    assert report.max_positions == 22
    assert race.Race(target=5).max_moves == 5

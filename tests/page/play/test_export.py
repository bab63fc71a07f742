"""Games that cannot be saved as SGF."""

import pytest

from azjax.page.analysis.rules import make_rules
from azjax.page.play import export
from azjax.page.play.game_line import read_game
from azjax.page.play.link import PlayLink
from azjax.support.errors import InputError


def test_a_game_that_sgf_does_not_know_names_those_that_it_knows(rules):
    with pytest.raises(InputError, match="Go, Othello, Gomoku and Hex"):
        export.as_sgf(read_game(rules, "", ()), PlayLink("tic_tac_toe"))


def test_a_game_from_another_position_has_no_sgf():
    pytest.importorskip("sgfmill")
    hex_rules = make_rules("hex_5")
    text = hex_rules.parse("").text
    with pytest.raises(InputError, match="began at another position"):
        export.as_sgf(read_game(hex_rules, text, ()), PlayLink("hex_5", position=text))


def test_without_its_package_sgf_names_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    hex_rules = make_rules("hex_5")
    with pytest.raises(InputError, match="pip install"):
        export.as_sgf(read_game(hex_rules, "", ()), PlayLink("hex_5"))

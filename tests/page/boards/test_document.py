"""Boards as files."""

import re

import pytest

from azjax.games import make
from azjax.page.boards import STYLES, as_document

from .own_games import OwnGame, OwnNames
from .picture import Picture
from .positions import play, start

GAMES = [make("tic_tac_toe"), make("quixo_3"), make("hex_5"), OwnGame(), OwnNames()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_a_document_is_a_whole_svg_file_with_its_styles(game):
    document = as_document(start(game).svg())
    assert document.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<svg ')
    style = Picture(document.encode()).root[0]
    assert style.tag.endswith("style")
    assert style.text.strip() == STYLES


def test_the_styles_are_for_boards_alone():
    selectors = re.findall(r"^([^{]+)\{", STYLES, re.MULTILINE)
    assert len(selectors) == STYLES.count("{")
    assert all(one.startswith(".game-board") for one in selectors)


def test_what_one_points_at_is_hidden_at_first():
    assert re.search(r"\.pointed\{display:none", STYLES)
    assert ".pointed.on{display:inline" in STYLES


def test_every_class_that_is_rendered_has_a_style():
    rendered = set()
    for game in GAMES:
        position = start(game)
        rendered |= {name for one in position.render().root.iter() for name in _classes(one)}
    position = play(make("connect_four"), "4", "4")
    rendered |= {
        name
        for one in position.render(last=3, weights={3: 0.5}, exact={3: 0}).root.iter()
        for name in _classes(one)
    }
    styled = set(re.findall(r"\.([a-z-]+)", STYLES))
    assert rendered - styled <= {"stone", "column", "end", "last", "draw"}


def _classes(element):
    return element.get("class", "").split()

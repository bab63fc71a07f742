"""Boards as files."""

import re

import pytest

from azjax.games import make, names
from azjax.page.boards import STYLES, as_document

from .own_games import OwnGame, OwnNames
from .picture import Picture
from .positions import at, play, play_at_random, start

OWN = [OwnGame(), OwnNames()]
GAMES = [make("tic_tac_toe"), make("quixo_3"), make("hex_5"), *OWN]


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


def test_every_class_that_is_rendered_has_a_style_and_every_style_is_used():
    positions = [play_at_random(game, 6) for game in [*map(make, names()), *OWN]]
    positions.append(at("go_5", ".X.../X..../...../...../..... O"))  # a1 is suicide
    positions.append(play(make("connect_four"), *"1212121"))  # won
    rendered = set().union(*map(_classes, positions))
    styled = set(re.findall(r"\.([a-z-]+)", STYLES))
    assert rendered - styled == {"stone", "column", "end", "draw"}
    assert styled - rendered == {"on"}  # set by the page


def _classes(position):
    """Returns the classes of a position with all that can be shown of it."""
    taken = next(iter(position.render().numbers("data-cube")), None)
    picture = position.render(
        last=position.last,
        taken=taken,
        weights=dict.fromkeys(position.legal, 0.1),
        exact={action: 1 - i % 3 for i, action in enumerate(position.legal)},
    )
    return {name for one in picture.root.iter() for name in one.get("class", "").split()}

"""What holds for the boards of all registered games, and of games that users write."""

import pytest

from azjax.games import make
from azjax.page.analysis.rules import move_name

from .own_games import OwnGame, OwnLines, OwnNames
from .positions import play_at_random, start

NUM_MOVES = 6
OWN = [OwnGame(), OwnNames(), OwnLines()]
CLASSES = ("tic_tac_toe", "connect_four", "hex_5", "othello_6", "quixo_3", "go_5", "coins")
GAMES = [*map(make, CLASSES), *OWN]


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: type(game).__name__)
def position(request):
    return play_at_random(request.param, NUM_MOVES)


@pytest.mark.parametrize("name", ["gomoku_15", "hex", "othello", "quixo", "go_19"])
def test_other_sizes_can_be_clicked_from_their_start(name):
    position = start(make(name))
    assert position.reachable() == list(position.legal)


def test_every_legal_move_can_be_clicked_once_or_has_no_place_on_the_board(position):
    assert position.reachable() == list(position.legal)


def test_what_can_be_clicked_is_a_button_that_says_its_move(position):
    picture = position.render()
    for action, one in picture.with_attribute("data-move").items():
        assert one.get("aria-label") == move_name(position.game, int(action))
    for one in picture.having("move"):
        assert (one.get("role"), one.get("tabindex")) == ("button", "0")


def test_what_cannot_be_played_is_no_button_and_is_explained(position):
    for name, one in position.render().with_attribute("data-illegal").items():
        assert one.get("tabindex") is None
        assert "move" not in one.get("class").split()
        assert position.explain(name).endswith(".")


def test_nothing_can_be_clicked_where_that_is_not_wanted(position):
    picture = position.render(is_clickable=False, taken=0)
    for name in ("data-move", "data-cube", "data-illegal", "tabindex"):
        assert not picture.with_attribute(name)


def test_the_stones_are_those_of_the_position(position):
    picture, board = position.render(), position.game.format_state(position.state).split()[0]
    if picture.having("render"):
        assert picture.having("stone") == []
    elif board.isdecimal():
        assert len(picture.having("stone", "coin")) == int(board)
    else:
        assert len(picture.having("stone", "first")) == board.count("X")
        assert len(picture.having("stone", "second")) == board.count("O")


def test_the_weight_of_every_move_on_the_board_is_shown(position):
    picture = position.render(weights=dict.fromkeys(position.legal, 0.1))
    assert len(picture.having("heat")) == len(picture.having("move"))


def test_a_finished_game_explains_that_it_is_over(position):
    over = position._replace(legal=())
    assert over.explain("a1") == "The game is over."
    assert over.render().moves() == []

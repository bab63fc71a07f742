"""The vertices of GTP: rows and columns as each game's engines have them."""

import pytest

from azjax import games
from azjax.engines.gtp_syntax import gtp_board

GAMES = ("go_19", "othello_6", "hex:size=5,swap=true", "connect_four")


@pytest.mark.parametrize("name", GAMES)
def test_every_action_has_a_vertex_of_its_own_which_is_read_back(name):
    game = games.make(name)
    board = gtp_board(game)
    vertices = [board.format(action) for action in range(game.num_actions)]
    assert len({vertex.lower() for vertex in vertices}) == game.num_actions
    for change in (str, str.lower, str.upper):
        assert [board.parse(f" {change(v)} ") for v in vertices] == list(range(game.num_actions))


@pytest.mark.parametrize(
    ("name", "cell", "vertex"),
    [
        ("go_9", "a1", "A9"),  # azjax writes rows from the top
        ("go_9", "i9", "J1"),
        ("go_9", "pass", "pass"),
        ("othello", "d3", "D3"),
        ("hex:swap=true", "swap", "swap-pieces"),
    ],
)
def test_the_vertex_of_a_cell(name, cell, vertex):
    game = games.make(name)
    assert gtp_board(game).format(game.parse_action(cell)) == vertex
    assert gtp_board(game).parse(vertex) == game.parse_action(cell)


@pytest.mark.parametrize(("name", "text"), [("go_9", "I5"), ("go_9", ""), ("hex", "swap-pieces")])
def test_another_vertex_is_refused(name, text):
    with pytest.raises(ValueError, match=rf"'{text}' is not a vertex: write one such as \S+ or "):
        gtp_board(games.make(name)).parse(text)

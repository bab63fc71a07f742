from urllib.parse import parse_qsl, urlsplit

import pytest

from azjax.page.play.link import PlayLink, read_link
from azjax.support.errors import InputError

GAME = PlayLink(
    game="quixo",
    first="runs/a b@7:search=puct",
    second="you",
    simulations=12,
    algorithm="uct",
    position="...../XO&=?#./....",
    moves=("0,4,B", "0,0,R"),
)


def query(link):
    return dict(parse_qsl(urlsplit(link.address()).query))


@pytest.mark.parametrize("link", [GAME, GAME.switched(), PlayLink(game="hex", second="random")])
def test_an_address_tells_the_whole_game(link):
    assert read_link(query(link)) == link


def test_the_visitor_plays_x_against_the_agent_of_an_address():
    link = read_link({"agent": "runs/tic_tac_toe"})
    assert (link.game, link.first, link.second) == ("", "you", "runs/tic_tac_toe")
    assert link.own_seats == {0}
    assert link.switched().own_seats == {1}


def test_a_game_without_an_opponent_leaves_the_choice_to_the_view():
    assert read_link({"game": "hex"}).second == ""
    assert read_link({}).second == "connect_four"


@pytest.mark.parametrize("simulations", ["0", "-1", "10001", "x", "1e3", "9" * 50, "9" * 5000, ""])
def test_simulations_out_of_range_are_refused(simulations):
    with pytest.raises(InputError, match=r"must be 1 to 10,000"):
        read_link({"simulations": simulations})


def test_an_endless_address_is_refused():
    with pytest.raises(InputError, match="too long"):
        read_link({"moves": "a" * 30_000})

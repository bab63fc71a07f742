from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest

from azjax.page.analysis.rules import Position, make_rules, read_game
from azjax.page.play.game import OpenGame, Switches, describe_status
from azjax.page.play.link import PlayLink, read_link
from azjax.page.play.review import judge_moves, worst_moves
from azjax.page.play.words import game_title, player_title
from azjax.support.errors import InputError


@pytest.mark.parametrize(
    ("position", "moves", "message"),
    [
        ("", ["a1", "a1"], r"^move 2: a1 cannot be played here"),
        ("", ["z9"], r"^move 1: 'z9' is not a cell"),
        ("XX./OO./... X", ["c1", "c2"], r"^move 2: c2 cannot be played: the game is over"),
        ("<script>", [], "is not 3 rows of 3"),
        ("x" * 24_001, [], "at most 24,000 characters"),
        ("", ["a1"] * 1001, "at most 1000 moves"),
    ],
)
def test_a_wrong_game_is_refused(rules, position, moves, message):
    with pytest.raises(InputError, match=message):
        read_game(rules, position, moves)


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


@pytest.mark.parametrize("simulations", ["0", "10001", "9" * 5000])
def test_simulations_out_of_range_are_refused(simulations):
    with pytest.raises(InputError, match=r"must be 1 to 10,000"):
        read_link({"simulations": simulations})


RULES = object()
RANDOM = SimpleNamespace(search=None)
FAST, STRONG = SimpleNamespace(search="16"), SimpleNamespace(search="64")


def make_open_game(*players):
    line = SimpleNamespace(rules=RULES)
    return OpenGame(None, line, players, None, False, 0, None)


@pytest.mark.parametrize(
    ("former", "players", "is_kept"),
    [
        ((None, FAST), (None, FAST), True),
        ((None, FAST), (RANDOM, FAST), True),
        ((None, FAST), (None, STRONG), False),
        ((None, FAST), (None, RANDOM), False),
        ((FAST, STRONG), (STRONG, FAST), False),
    ],
)
def test_values_are_kept_while_the_same_players_search(former, players, is_kept):
    before, after = make_open_game(*former), make_open_game(*players)
    before.values["position"], before.exact["position"] = 0.5, {0: 1}
    after.take_over(before, keeps_lines=False)
    assert after.values == ({"position": 0.5} if is_kept else {})
    assert after.exact == {"position": {0: 1}}


UNFINISHED = ("a1", "a2", "b1", "b2")


def position(mover=0, result=None, lead=None):
    return Position(state=None, text="", mover=mover, legal=(), result=result, lead=lead)


def open_game(rules, moves, seats):
    line = read_game(rules, "", moves)
    link = PlayLink("tic_tac_toe", *seats)
    return OpenGame(link, line, (None, None), Switches(), True, len(moves), line.last)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (position(0, -1), "O wins (UCT, 200 rollouts)."),
        (position(1, 0, lead=0.0), "Draw."),
        (position(0, -1, lead=-3.5), "O wins by 3.5 (UCT, 200 rollouts)."),
    ],
)
def test_the_status_says_who_has_won(rules, at, expected):
    opened = open_game(rules, (), ("you", "mcts"))
    opened.shown = at
    assert describe_status(opened) == expected


def test_mistakes_are_counted_when_the_values_of_all_positions_are_known(rules):
    opened = open_game(rules, UNFINISHED, ("mcts", "you"))
    opened.switches.exact = True
    first, *others = opened.line.positions[: len(UNFINISHED)]
    for position in others:
        opened.exact[position.text] = {}
    assert opened.mistake_counts() is None
    opened.exact[first.text] = {opened.line.actions[0]: -1, 8: 0}
    assert opened.mistake_counts() == (1, 0)


def test_a_move_loses_what_its_player_expects_less_after_it(rules):
    opened = open_game(rules, ("a1", "a2", "b1"), ("you", "mcts"))
    values = (1.0, -0.6, -0.6, 0.0)
    for position, value in zip(opened.line.positions, values, strict=True):
        opened.values[position.text] = value
    moves = judge_moves(opened)
    assert [round(move.loss) for move in moves] == [80, 0, 0]
    assert [str(move) for move in worst_moves(moves, {0})] == ["1. a1: 100% to 20%"]
    assert worst_moves(moves, {1}) == []


def test_moves_of_go_are_written_and_read_as_on_its_board():
    rules = make_rules("go_9")
    (action,) = read_game(rules, "", ("a9",)).actions
    assert rules.titles([action]) == ("A1",)
    assert rules.read_move(rules.start(), " a1".strip()) == action
    with pytest.raises(InputError, match="such as D4"):
        rules.read_move(rules.start(), "i3")


def test_names_are_for_people():
    assert [game_title(name) for name in ("go_9", "connect_four")] == ["Go 9x9", "Connect Four"]
    assert player_title("mcts:simulations=200") == "UCT, 200 rollouts"
    assert player_title("go_9") == "the agent"

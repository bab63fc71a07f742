import asyncio
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest

from azjax.page.analysis.rules import Position, make_rules, read_game
from azjax.page.analysis.summary import Analysis
from azjax.page.play import export, thinker
from azjax.page.play.game import OpenGame, Switches, describe_status
from azjax.page.play.link import PlayLink, read_link
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


def test_the_turn_that_undo_goes_back_to(rules):
    line = read_game(rules, "", ["a1", "b2"])
    assert line.last_turn_of({0}) == 0
    assert line.last_turn_of({1}) == 1
    assert line.back_to(0).last_turn_of({0}) is None


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


@pytest.mark.parametrize("simulations", ["0", "10001", "1e3", "9" * 5000])
def test_simulations_out_of_range_are_refused(simulations):
    with pytest.raises(InputError, match=r"must be 1 to 10,000"):
        read_link({"simulations": simulations})


RULES, OTHER_RULES = object(), object()
RANDOM = SimpleNamespace(search=None)
FAST, STRONG = SimpleNamespace(search="16"), SimpleNamespace(search="64")


def make_open_game(*players, rules=RULES):
    line = SimpleNamespace(rules=rules)
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
    after.take_over(before)
    assert after.values == ({"position": 0.5} if is_kept else {})
    assert after.exact == {"position": {0: 1}}


def test_nothing_is_kept_for_another_game():
    before, after = make_open_game(None, FAST), make_open_game(None, FAST, rules=OTHER_RULES)
    before.values["position"], before.exact["position"] = 0.5, {0: 1}
    after.take_over(before)
    assert (after.values, after.exact) == ({}, {})


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
        (position(0, -1), "O wins (mcts)."),
        (position(1, 0, lead=0.0), "Draw."),
        (position(0, -1, lead=-3.5), "O wins by 3.5 (mcts)."),
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


def test_values_are_turned_to_the_view_of_x():
    values = position(0).value_for_first(0.5), position(1).value_for_first(0.5)
    assert values == (0.5, -0.5)


def test_a_game_from_another_position_has_no_sgf():
    pytest.importorskip("sgfmill")
    hex_rules = make_rules("hex_5")
    text = hex_rules.parse("").text
    with pytest.raises(InputError, match="began at another position"):
        export.as_sgf(read_game(hex_rules, text, ()), PlayLink("hex_5", position=text))


FOUND = SimpleNamespace(action=4, value=0.5, visits=None)
WITHOUT_SEARCH = SimpleNamespace(kind="random", search=None, choose_move=None)
SEARCHER = SimpleNamespace(kind="mcts", search="64", choose_move=None)


class FakeSite:
    """Notes the positions that a move is chosen in; every search finds `FOUND`."""

    def __init__(self):
        self.positions, self.worker, self.searches = [], self, self

    async def load(self, choose_move, position, seed):
        self.positions.append(position)
        return FOUND.action

    async def run_rules(self, function, *arguments):
        return function(*arguments)

    async def watch(self, player, state, seed):
        self.positions.append(next(x for x in self.line.positions if x.state is state))
        yield Analysis(FOUND, SimpleNamespace(tree=None))


def make_thinker(rules, player):
    """Returns what thinks about a game between two agents, the game, and the site."""
    site, line = FakeSite(), read_game(rules, "", ("a1",))
    site.line = line
    opened = OpenGame(None, line, (player, player), Switches(), False, 1, line.last)

    async def show():
        pass

    return thinker.think(site, opened, show), opened, site


@pytest.mark.parametrize("player", [WITHOUT_SEARCH, SEARCHER])
def test_an_agent_moves_in_the_game_whatever_node_is_opened_meanwhile(rules, monkeypatch, player):
    monkeypatch.setattr(thinker, "_SECONDS_BETWEEN_AGENTS", 0)
    thinks, opened, site = make_thinker(rules, player)

    async def open_node():
        opened.variation, opened.shown = (8,), rules.play(opened.line.last, 8)

    async def think_meanwhile():
        return (await asyncio.gather(thinks, open_node()))[0]

    assert asyncio.run(think_meanwhile()) == FOUND.action
    assert site.positions == [opened.line.last]
    assert opened.values == ({opened.line.last.text: -FOUND.value} if player.search else {})

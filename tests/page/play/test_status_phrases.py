import pytest

from azjax.page.analysis.rules import Position
from azjax.page.play.game_line import read_game
from azjax.page.play.link import PlayLink
from azjax.page.play.open_game import OpenGame, Switches
from azjax.page.play.status_phrases import describe_status

OVER, UNFINISHED = ("a1", "a2", "b1", "b2", "c1"), ("a1", "a2", "b1", "b2")


def position(mover=0, result=None, lead=None):
    return Position(state=None, text="", mover=mover, legal=(), result=result, lead=lead)


def open_game(rules, moves, seats):
    line = read_game(rules, "", moves)
    link = PlayLink("tic_tac_toe", *seats)
    return OpenGame(link, line, (None, None), Switches(), True, len(moves), line.last)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (position(0), "Your move, as X."),
        (position(1), "mcts moves, as O."),
        (position(1, 0), "Draw."),
        (position(1, 1), "X wins (you)."),
        (position(0, -1), "O wins (mcts)."),
        (position(1, 0, lead=0.0), "Draw."),
        (position(0, -1, lead=-3.5), "O wins by 3.5 (mcts)."),
    ],
)
def test_the_status_says_whose_turn_it_is_or_who_has_won(rules, at, expected):
    opened = open_game(rules, (), ("you", "mcts"))
    opened.shown = at
    assert describe_status(opened) == expected
    opened.variation, opened.switches.exact = (0,), True
    in_the_tree = f"In the tree (Esc leads back): {expected}"
    assert describe_status(opened) == f"{in_the_tree} Mistakes: X 0, O 0."


@pytest.mark.parametrize(
    ("moves", "ply", "expected"),
    [
        (
            UNFINISHED,
            2,
            "Move 2 of 4 is shown. mcts is to move, as X: step to the end to go on.",
        ),
        (UNFINISHED, 3, "Move 3 of 4 is shown. Your move, as O."),
        (UNFINISHED, 4, "mcts moves, as X."),
        (OVER, 2, "Move 2 of 5 is shown. mcts is to move, as X."),
        (OVER, 5, "X wins (mcts)."),
    ],
)
def test_the_status_says_that_an_earlier_move_is_shown(rules, moves, ply, expected):
    opened = open_game(rules, moves, ("mcts", "you"))
    opened.show(ply)
    assert describe_status(opened) == expected


def test_mistakes_are_not_counted_where_exact_values_are_not_known(rules):
    opened = open_game(rules, UNFINISHED, ("mcts", "you"))
    opened.has_exact, opened.switches.exact = False, True
    assert describe_status(opened) == "mcts moves, as X."


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


def test_the_status_says_that_a_paused_agent_waits(rules):
    opened = open_game(rules, UNFINISHED, ("mcts", "you"))
    opened.switches.paused = True
    assert describe_status(opened) == "mcts is to move, as X: switch pause off to go on."
    opened.show(1)
    assert describe_status(opened) == "Move 1 of 4 is shown. Your move, as O."

"""azjax as an engine conforms to the specification of the Go Text Protocol, version 2."""

import random
import re

import pytest
from gtp_serving import FirstLegal, answer, ask, fail, serve

from azjax.agents.player_spec import load_player
from azjax.agents.served_player import LocalPlayer, served_player_maker
from azjax.engines.gtp_server import GtpServer

REQUIRED = (
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    *("boardsize", "clear_board", "komi", "play", "genmove"),
)


@pytest.fixture
def go():
    return serve("go_5")


def board(server):
    """Returns the rows of the board from the top, without coordinates."""
    lines = ask(server, "showboard").splitlines()[1:-1]
    return ["".join(line.split()[1:]) for line in lines]


def test_the_commands_that_are_required_are_there_and_known(go):
    listed = ask(go, "list_commands").splitlines()
    assert {*REQUIRED} <= set(listed)
    assert all(ask(go, f"known_command {name}") == "true" for name in listed)
    assert ask(go, "known_command loadsgf") == "false"
    assert ask(go, "protocol_version") == "2"
    assert (ask(go, "name"), ask(go, "version")) == ("azjax", "1.0")


@pytest.mark.parametrize(
    ("line", "response"),
    [
        ("protocol_version", "= 2\n\n"),
        ("\t7\tprotocol_version\t", "=7 2\n\n"),
        ("  protocol_version  # the version\n", "= 2\n\n"),
        ("proto\x07col_\x00version\x7f", "= 2\n\n"),
        ("", ""),
        ("5 # an id alone is no comment", "?5 unknown command\n\n"),
    ],
)
def test_lines_are_read_and_responses_are_written_as_specified(go, line, response):
    assert answer(go, line) == response


@pytest.mark.parametrize(
    "command",
    [
        *("boardsize -5", "komi nan", "play b", "play d4 b", "play b d444", "genmove x"),
        *("time_settings a b c", "time_left b 1", "lz-analyze b avoid b a1 1"),
    ],
)
def test_wrong_arguments_are_a_syntax_error(go, command):
    assert fail(go, command) == "syntax error"


def test_any_komi_is_accepted_and_counted(go):
    ask(go, "play b c3")
    ask(go, "komi -3.5")
    assert ask(go, "final_score") == "B+28.5"
    ask(go, "komi 25")
    assert ask(go, "final_score") == "0"
    assert board(go)[2] == "..X.."
    ask(serve("hex_5"), "komi 6.5")


def test_moves_against_the_rules_are_illegal(go):
    ask(go, "play b a2")
    assert fail(go, "play w a2") == "illegal move"
    ask(go, "play w e5")
    ask(go, "play b b1")
    assert fail(go, "play w a1") == "illegal move"  # suicide
    assert fail(go, "play w a6") == "illegal move"  # off the board
    assert fail(go, "play w swap-pieces") == "illegal move"
    ask(go, "play w a3")


def test_a_colour_may_move_twice_and_the_other_has_passed(go):
    for vertex in ("a1", "a2", "a3"):
        ask(go, f"play b {vertex}")
    assert ask(go, "genmove b") == "A5"
    ask(go, "play w b1")
    ask(go, "play w b2")
    assert [row[:2] for row in board(go)] == ["X.", "..", "X.", "XO", "XO"]


def test_two_passes_end_the_game(go):
    ask(go, "play b pass")
    assert fail(go, "play b a1") == "illegal move"  # white's pass would end it
    ask(go, "play w PASS")
    assert fail(go, "play b a1") == "illegal move"
    assert fail(go, "genmove b") == "the game is over"
    assert ask(go, "showboard").endswith("the game is over")
    ask(go, "undo")
    ask(go, "play w a1")


def test_the_time_that_the_clock_leaves_is_given_to_the_player():
    players = []

    def make_player(game):
        players.append(FirstLegal(game))
        return players[-1]

    server = serve("go_5", make_player)
    ask(server, "genmove b")
    ask(server, "time_settings 0 30 10")
    ask(server, "genmove b")
    ask(server, "time_left b 10 1")
    ask(server, "genmove b")
    [player] = players
    assert player.seconds == [None, pytest.approx(2.7), pytest.approx(9)]


def test_an_analysis_goes_on_until_a_command_waits(monkeypatch):
    monkeypatch.setattr(LocalPlayer, "choose", lambda *arguments: 0)  # is compiled at the start
    named = load_player("mcts", "tic_tac_toe")
    server = GtpServer(named.game, served_player_maker(named, None, seed=0), "1.0")
    waits, written = iter([False, False, True]), []
    lines = ["play b b2", "7 lz-analyze w interval 0", "", "quit"]
    server.serve(iter(lines), written.append, lambda seconds: next(waits))
    assert written[0] == "=\n\n"
    assert (written[1], written[5:]) == ("=7\n", ["\n", "=\n\n"])
    form = r"info move ([A-C][1-3]) visits (\d+) winrate (\d+) prior (\d+) order (\d) pv \1.*"
    totals = []
    for line in written[2:5]:
        moves = [re.fullmatch(form, f"info{move}".strip()) for move in line.split("info")[1:]]
        assert [int(move[5]) for move in moves] == list(range(len(moves)))
        assert all(0 <= int(number) <= 10_000 for move in moves for number in move.groups()[2:4])
        assert "B2" not in line
        totals.append(sum(int(move[2]) for move in moves))
    assert totals == [16, 32, 48]


def test_hex_has_the_swap_and_its_winner():
    server = serve("hex:size=3,swap=true")
    ask(server, "play b a2")
    ask(server, "play w swap-pieces")
    assert board(server) == [".O.", "...", "..."]
    assert fail(server, "play w b2") == "illegal move"  # nobody passes in Hex
    assert fail(server, "play b swap-pieces") == "illegal move"
    assert fail(server, "final_score") == "cannot score"
    for stone in ("b c1", "w b2", "b c2", "w a3", "b c3"):
        ask(server, f"play {stone}")
    assert ask(server, "final_score") == "B+"


def test_a_side_that_cannot_move_in_othello_need_not_say_that_it_passes():
    server = serve("othello:size=4")
    ask(server, "play b b1")
    assert fail(server, "play b a1") == "illegal move"  # white can move
    for move in ("w c1", "b d3", "w a1"):
        ask(server, f"play {move}")
    assert fail(server, "play b d4") == "illegal move"
    ask(server, "play w d4")  # black cannot move
    assert board(server) == ["OOO.", ".OX.", ".XOX", "...O"]


@pytest.mark.parametrize("game", ["go_5", "hex:size=3,swap=true"])
def test_no_line_ends_the_engine(game):
    rng, server = random.Random(0), serve(game)
    commands = ask(server, "list_commands").replace("quit\n", "").splitlines()
    words = [
        *("b", "w", "black", "white", "pass", "a1", "c3", "E5", "z9", "5", "4", "0", "-1", "1e9"),
        *("#", "=", "?", "\t", "\x00", "\x1b[2J", "ä", "\u2028", "1.5", "nan", "99999999999999999"),
        *("", "swap-pieces", "resign", "%s", "{}", "'", '"', "\\", "x" * 5000),
    ]
    for _ in range(250):
        first = rng.choice(words if rng.random() < 0.2 else commands)
        arguments = rng.choices(words, k=rng.randrange(4))
        line = rng.choice(["", " ", "1 ", "17\t"]) + " ".join([first, *arguments])
        response = answer(server, line)
        assert response == "" or response[0] in "=?", line
        assert response == "" or response.endswith("\n\n"), line
    assert ask(server, "protocol_version") == "2"

"""Go: hand-made positions, and the same random games in OpenSpiel."""

import numpy as np
import pyspiel
import pytest

from azjax.games import make
from azjax.games.go.chains import area_lead
from azjax.games.go.rules import Go

from .moving import choose_legal, jitted, start

GO = Go(size=5, komi=0.5)
START = "...../...../...../...../....."


def move(state, text, game=GO):
    return jitted(game.step)(state, np.int32(game.parse_action(text)))


def is_legal(state, text, game=GO):
    return bool(jitted(game.legal_action_mask)(state)[game.parse_action(text)])


def play(position, moves, game=GO):
    """Returns the state after legal moves in notation from a position in one line."""
    state = game.parse_state(position)
    for text in moves.split():
        assert is_legal(state, text, game), f"{text} in {game.format_state(state)}"
        state = move(state, text, game)
    return state


def rows(state, game=GO):
    return game.format_state(state).split(" ")[0]


def result(state):
    assert state.terminated
    return {1: "X wins", 0: "draw", -1: "O wins"}[int(state.rewards[0])]


# Stones and captures


@pytest.mark.parametrize(
    ("position", "text", "expected"),
    [
        (".X.../XO.../.X.../...../..... X", "c2", ".X.../X.X../.X.../...../....."),
        (".X.../XO.../.X.../...../..... O", "c2", ".X.../XOO../.X.../...../....."),
        ("OX.../...../...../...../..... X", "a2", ".X.../X..../...../...../....."),
        (".XX../XOO../.XX../...../..... X", "d2", ".XX../X..X./.XX../...../....."),
        ("X.X../OOO../...../...../..... X", "b1", "XXX../OOO../...../...../....."),
        ("...XO/O..../...../...../..... X", "e2", "...X./O...X/...../...../....."),  # no wrap
        # No liberty but by capture; two chains at once.
        (".OX../OX.../X..../...../..... X", "a1", "X.X../.X.../X..../...../....."),
        ("XXO../.XO../OOO../...../..... O", "a2", "..O../O.O../OOO../...../....."),
    ],
)
def test_a_stone_captures_the_chains_that_it_leaves_without_a_liberty(position, text, expected):
    assert rows(play(position, text)) == expected


@pytest.mark.parametrize(
    ("position", "text"),
    [
        ("X..../...../...../...../..... O", "a1"),
        (".O.../O..../...../...../..... X", "a1"),
        ("XXO../.XO../OOO../...../..... X", "a2"),
        ("X.XO./OOO../...../...../..... X", "b1"),
    ],
)
def test_a_taken_cell_and_suicide_are_illegal_and_lose(position, text):
    state = GO.parse_state(position)
    assert not is_legal(state, text)
    after = move(state, text)
    assert result(after) == ("X wins" if position.endswith("O") else "O wins")
    assert rows(after) == rows(state)


# Boards that come back

KO = ".XO../XO.O./.XO../...../..... X"
SEND_TWO = ".O.O./XXO../...../...../..... O"  # O a1 sends two, X c1 takes them, O b1 takes one back
TWO_SENT = "OO.O./XXO../...../...../..... X"


def test_a_ko_is_taken_back_only_after_a_threat():
    taken = play(KO, "c2")
    assert rows(taken) == ".XO../X.XO./.XO../...../....."
    assert not is_legal(taken, "b2")
    assert result(move(taken, "b2")) == "X wins"
    taken_back = play(KO, "c2 e5 e4 b2")
    assert rows(taken_back) == ".XO../XO.O./.XO../....X/....O"
    assert not is_legal(taken_back, "c2")


def test_two_are_not_sent_to_return_one():
    assert not is_legal(play(SEND_TWO, "a1 c1"), "b1")
    assert is_legal(play(TWO_SENT, "c1"), "b1")


def test_a_board_may_not_come_back_without_a_capture_either():
    state = play(TWO_SENT, "c1 b1 pass")
    assert not is_legal(state, "a1")
    assert result(move(state, "a1")) == "X wins"
    assert is_legal(play(TWO_SENT, "c1 b1"), "a1")  # an X there makes another board
    assert is_legal(GO.parse_state(f"{rows(state)} O"), "a1")  # no earlier boards


# The end


def test_two_passes_in_a_row_end_the_game_and_two_apart_do_not():
    assert play(f"{START} X", "pass pass").terminated
    assert play(f"{START} X", "a1 pass pass").terminated
    assert not play(f"{START} X", "pass a1 pass").terminated


@pytest.mark.parametrize(
    ("position", "lead"),
    [
        (START, 0),
        ("...../...../..X../...../.....", 25),
        ("....X/...../..O../...../.....", 0),
        (".X.O./.X.O./.X.O./.X.O./.X.O.", 0),  # the middle column belongs to neither
        ("XX.../.XX../..XXX/...../O....", 12 - 1),
        # 10 points and 13; two chains of one eye each share two liberties, a seki.
        (".X.O./XX.OO/OOOXX/OOOXX/O.OX.", -3),
    ],
)
def test_an_area_is_stones_and_the_cells_that_only_they_reach(position, lead):
    assert area_lead(GO.parse_state(f"{position} X").chains) == lead


def test_on_the_small_board_the_first_player_needs_every_point():
    position = "...../...../..X../...../....."
    assert result(play(f"{position} O", "pass pass", make("go_5"))) == "X wins"
    assert result(play(f"{position} O", "a1 pass pass", make("go_5"))) == "O wins"


@pytest.mark.parametrize(("komi", "expected"), [(0, "O wins"), (-1, "draw")])
def test_at_max_moves_the_larger_area_wins_too(komi, expected):
    game = Go(size=2, komi=komi)
    before = play("../.. X", "a1 pass b1 pass a2 b2 a1", game)
    assert int(before.num_moves) == game.max_moves - 1
    assert not before.terminated
    after = move(before, "b1", game)
    assert rows(after, game) == "XO/.O"
    assert result(after) == expected


# Observations and notation


def test_the_planes_of_an_observation():
    state = play(KO, "c2")
    observe = jitted(GO.observe)
    planes = np.moveaxis(np.asarray(observe(state)), -1, 0).reshape(6, -1)
    names = [GO.format_action(cell) for cell in range(25)]
    mine, theirs, one_liberty, legal, passed, second = (
        {name for name, value in zip(names, plane, strict=True) if value} for plane in planes
    )
    assert mine == {"c1", "d2", "c3"}
    assert theirs == {"b1", "a2", "c2", "b3"}
    assert one_liberty == {"c1", "c2"}
    assert legal == set(names) - mine - theirs - {"a1", "b2"}  # suicide, and the ko
    assert not passed
    assert second == set(names)
    planes = np.asarray(observe(move(state, "pass")))
    assert planes[..., 4].all()
    assert not planes[..., 5].any()


def test_a_position_after_moves_is_followed_by_passes_and_a_hash_of_each_board():
    assert GO.format_state(play(f"{START} X", "")) == f"{START} X"
    board, side, passes, history = GO.format_state(play(f"{START} X", "a1 pass")).split(" ")
    assert (board, side, passes) == ("X..../...../...../...../.....", "X", "1")
    hashes = [history[i : i + 16] for i in range(0, len(history), 16)]
    assert hashes[0] == "0" * 16
    assert len(hashes) == 3
    assert hashes[1] == hashes[2] != hashes[0]


LINE = f"{START[:-1]}X O"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X..../O..../...../...../....O/ X", "is not 5 rows of 5"),
        ("XO.../O..../...../...../..... X", "has a chain without a liberty"),
        (f"{LINE} 0", "does not go on with a number of passes, 0 to 2, and"),
        (f"{LINE} 0 EMPTYLAST0", "does not go on with"),
        (f"{LINE} 0 LASTEMPTY", "has a history that does not lead to its board"),
    ],
)
def test_a_wrong_position_is_refused(text, message):
    history = GO.format_state(play(f"{START} X", "e5")).split(" ")[-1]
    text = text.replace("EMPTY", history[:16]).replace("LAST", history[16:])
    with pytest.raises(ValueError, match=message) as refused:
        GO.parse_state(text)
    assert repr(text) in str(refused.value)


# The same random games in OpenSpiel


@pytest.mark.parametrize(("size", "count"), [(5, 256), pytest.param(9, 64, marks=pytest.mark.slow)])
def test_random_games_are_the_same_in_openspiel_but_for_superko_which_draws_there(size, count):
    game, generator = make(f"go_{size}"), np.random.default_rng(0)
    (states, mask), step = start(game, count)
    openspiel = pyspiel.load_game("go", {"board_size": size, "komi": game.komi})
    others = [openspiel.new_initial_state() for _ in range(count)]
    repeats = 0
    while not states.terminated.all():
        lasts = np.flatnonzero(~states.terminated)
        moves = mask[:, :-1]  # passes are rare, so that games are long
        is_pass = ~moves.any(axis=1) | (generator.random(count) < 0.02)
        actions = np.where(is_pass, size**2, choose_legal(generator, moves)).astype(np.int32)
        for i in lasts:
            legal, theirs = {*np.flatnonzero(mask[i])}, {*others[i].legal_actions()}
            assert legal <= theirs
            for repeat in theirs - legal:
                draw = others[i].child(repeat)
                assert draw.is_terminal()
                assert draw.returns() == [0, 0]
                repeats += 1
            others[i].apply_action(actions[i])
        states, mask = step(states, actions)
        for i in lasts:
            assert others[i].is_terminal() == states.terminated[i]
            assert not states.terminated[i] or others[i].returns() == states.rewards[i].tolist()
    assert repeats > 2

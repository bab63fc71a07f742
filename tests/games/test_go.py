"""Go: hand-made positions, and the same random games in plain Python, Pgx and OpenSpiel."""

import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

from azjax.games import make
from azjax.games.go.chains import area_lead, is_beside
from azjax.games.go.rules import Go

from .moving import jitted

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
        ("...XO/...../...../...../..... X", "e2", "...X./....X/...../...../....."),
        (".XX../XOO../.XX../...../..... X", "d2", ".XX../X..X./.XX../...../....."),
        ("OO.../XX.../...../...../..... X", "c1", "..X../XX.../...../...../....."),
        ("OO.../X..../...../...../..... X", "c1", "OOX../X..../...../...../....."),
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
        ("X..../...../...../...../..... X", "a1"),
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
        ("...../...../..O../...../.....", -25),
        ("....X/...../..O../...../.....", 0),
        (".X.O./.X.O./.X.O./.X.O./.X.O.", 0),  # the middle column belongs to neither
        (".X.O./.X.O./.X.O./.X.O./.XXO.", 1),
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


def test_chain_ids_depend_on_the_stones_only():
    played = play(f"{START} X", "c1 e5 b2 e4 b1 d4 c2")
    parsed = GO.parse_state(f"{rows(played)} O")
    np.testing.assert_array_equal(played.chains, parsed.chains)
    assert np.unique(played.chains).tolist() == [-19, 0, 2]


LINE = f"{START[:-1]}X O"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X..../O..../...../...../....O/ X", "is not 5 rows of 5"),
        ("XO.../O..../...../...../..... X", "has a chain without a liberty"),
        (f"{LINE} 0", "does not go on with a number of passes, 0 to 2, and"),
        (f"{LINE} 3 EMPTY LAST", "does not go on with"),
        (f"{LINE} 0 EMPTY LAST", "does not go on with"),
        (f"{LINE} 0 EMPTYLAST0", "does not go on with"),
        (f"{LINE} 0 {'LAST' * 52}", "of 1 to 51 boards"),
        (f"{LINE} 0 LASTEMPTY", "has a history that does not lead to its board"),
        (f"{LINE} 1 EMPTYLAST", "has a history that does not lead to its board"),
        (f"{LINE} 2 LASTLAST", "has a history that does not lead to its board"),
    ],
)
def test_a_wrong_position_is_refused(text, message):
    history = GO.format_state(play(f"{START} X", "e5")).split(" ")[-1]
    text = text.replace("EMPTY", history[:16]).replace("LAST", history[16:])
    with pytest.raises(ValueError, match=message) as refused:
        GO.parse_state(text)
    assert repr(text) in str(refused.value)


def test_moves_are_parsed_by_name_or_number_and_passes_too():
    assert [GO.parse_action(text) for text in ("a1", "e1", " B3", "e5", "Pass")] == [
        0,
        4,
        11,
        24,
        25,
    ]
    assert GO.parse_moves("12 0 -1") == [12, 0, 25]
    with pytest.raises(ValueError, match="'25' is not a cell number, 0 to 24, or -1, a pass"):
        GO.parse_moves("12 25")


@pytest.mark.parametrize("size", [1, 27])
def test_a_size_without_liberties_or_letters_is_refused(size):
    with pytest.raises(ValueError, match="must be 2 to 26"):
        Go(size=size)


# The same random games in plain Python, Pgx and OpenSpiel


class Games(NamedTuple):
    """Random games of B boards, from start to end and beyond."""

    masks: chex.Array  # [T, B, A] bool, before each move
    actions: chex.Array  # [T, B] int32
    terminated: chex.Array  # [T, B] bool, after each move
    rewards: chex.Array  # [T, B, 2], for player 0 and player 1, after each move

    @property
    def lasts(self):
        """Returns [T, B]: whether a game is not over before a move."""
        return np.concatenate([np.ones_like(self.terminated[:1]), ~self.terminated[:-1]])


@functools.partial(jax.jit, static_argnums=(0, 1))
def random_games(game, count):
    """Plays games that seldom end early; in every other one players keep one-cell eyes."""

    def play_one(keeps_eyes, key):
        def play_move(state, key):
            mask = game.legal_action_mask(state)
            own = state.chains * (1 - 2 * state.current_player) > 0
            eyes = jnp.append(~is_beside(~own), False)
            chances = jax.random.uniform(key, mask.shape).at[-1].multiply(0.5)
            chances += (mask & ~(eyes & keeps_eyes)) + 0.0
            action = jnp.where(mask, chances, -1).argmax()
            state = game.step(state, action)
            return state, Games(mask, action, state.terminated, state.rewards)

        return jax.lax.scan(play_move, game.init(key), jax.random.split(key, game.max_moves))[1]

    keys = jax.random.split(jax.random.key(0), count)
    return jax.vmap(play_one, out_axes=1)(jnp.arange(count) % 2 == 0, keys)


@pytest.fixture(scope="module", params=[(5, 512), pytest.param((9, 128), marks=pytest.mark.slow)])
def games(request):
    """Returns a board and random games on it."""
    size, count = request.param
    board = make(f"go_{size}")
    return board, jax.device_get(random_games(board, count))


@functools.partial(jax.jit, static_argnums=0)
def replay_in_pgx(env, actions):
    """Returns the games of these actions, [T, B], as Pgx plays them."""

    def move(states, actions):
        after = jax.vmap(env.step)(states, actions)
        rewards = jnp.take_along_axis(after.rewards, after._player_order, axis=1)
        return after, Games(states.legal_action_mask, actions, after.terminated, rewards)

    first = jax.vmap(env.init)(jax.random.split(jax.random.key(1), actions.shape[1]))
    return jax.lax.scan(move, first, actions)[1]


def mover_reward(games, t, b):
    return games.rewards[t, b, t % 2]


@pytest.mark.slow
def test_random_games_are_the_same_in_pgx_but_for_superko_which_loses_there(games):
    board, ours = games
    from pgx.go import Go as PgxGo  # which builds arrays when it is imported

    env = PgxGo(size=board.size, komi=board.komi)
    with jax.numpy_rank_promotion("allow"):
        theirs = jax.device_get(replay_in_pgx(env, ours.actions))
    lasts = ours.lasts
    np.testing.assert_array_equal(theirs.terminated[lasts], ours.terminated[lasts])
    is_drawn = ours.terminated & ~ours.rewards.any(axis=-1)  # in Pgx player 1 wins then
    rewards = np.where(is_drawn[..., None], [-1, 1], ours.rewards)
    np.testing.assert_array_equal(theirs.rewards[lasts], rewards[lasts])
    assert {-1, 1} <= set(ours.rewards[-1, :, 0].tolist())

    differs = lasts[..., None] & (theirs.masks != ours.masks)
    assert not (differs & ours.masks).any()
    t, b, action = (index[:256] for index in np.nonzero(differs))
    assert len(t) > 10
    with_superko = ours.actions[:, b]
    with_superko[t, np.arange(len(t))] = action
    with jax.numpy_rank_promotion("allow"):
        lost = jax.device_get(replay_in_pgx(env, with_superko))
    assert lost.terminated[t, np.arange(len(t))].all()
    assert (mover_reward(lost, t, np.arange(len(t))) == -1).all()


def test_random_games_are_the_same_in_openspiel_but_for_superko_which_draws_there(games):
    board, ours = games
    openspiel = pyspiel.load_game("go", {"board_size": board.size, "komi": board.komi})
    repeats = 0
    for b in range(ours.actions.shape[1]):
        theirs = openspiel.new_initial_state()
        for mask, action, over in zip(*(x[:, b] for x in ours[:3]), strict=True):
            legal = theirs.legal_actions()
            assert set(np.flatnonzero(mask)) <= set(legal)
            for repeat in set(legal) - set(np.flatnonzero(mask)):
                draw = theirs.child(repeat)
                assert draw.is_terminal()
                assert draw.returns() == [0, 0]
                repeats += 1
            theirs.apply_action(action)
            assert theirs.is_terminal() == over
            if over:
                break
        assert theirs.returns() == ours.rewards[-1, b].tolist()
    assert repeats > 5

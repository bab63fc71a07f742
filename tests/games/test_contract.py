"""The contract of `azjax.games.Game`, on random play of every registered game."""

import dataclasses
import functools
import re

import chex
import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.games.coins import Coins, CoinsState
from azjax.games.go.rules import Go, GoState
from azjax.games.grid import EMPTY
from azjax.games.hex import Hex, HexState
from azjax.games.line_game import LineState
from azjax.games.othello import OthelloState
from azjax.games.quixo import QuixoState


@pytest.fixture
def board_game(game):
    if isinstance(game, Coins):
        pytest.skip("coins have no board and no owner")
    return game


def flat(tree):
    """Returns the tree with [T, B, ...] as [T * B, ...]."""
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), tree)


def at(tree, *index):
    return jax.tree.map(lambda x: x[index], tree)


def before_and_after(playout):
    """Returns the states before and after each move, [T, B, ...]."""
    return at(playout.states, slice(None, -1)), at(playout.states, slice(1, None))


def sample(playout, count=12):
    """Returns states from start to end, finished ones among them, each a tree without a batch."""
    over = playout.states.terminated
    horizon, batch = over.shape
    ends = over.argmax(0)  # the first finished state
    spread = [(i * (horizon - 1) // count, i % batch) for i in range(count)]
    finished = [(ends[b], b) for b in range(4) if over[-1, b]]
    return [at(playout.states, *index) for index in [*spread, *finished]]


# Play


def test_some_action_is_legal_unless_the_game_is_over_and_then_none_is(playout):
    np.testing.assert_array_equal(playout.masks.any(-1), ~playout.states.terminated)


def test_rewards_sum_to_zero_and_are_a_win_a_draw_or_a_loss(playout):
    rewards = np.asarray(playout.states.rewards)
    assert not rewards.sum(-1).any()
    assert np.isin(rewards, [-1, 0, 1]).all()


def test_rewards_are_zero_until_the_game_has_ended(playout):
    assert not playout.states.rewards[~playout.states.terminated].any()


def test_random_play_ends_every_game_within_max_moves_and_some_with_a_winner(playout):
    assert not playout.states.terminated[0].any()
    assert playout.states.terminated[-1].all()
    assert playout.states.rewards[-1].any()


def test_a_finished_state_absorbs_every_action_bit_for_bit(playout):
    before, after = before_and_after(playout)
    over = before.terminated
    assert over.any()
    chex.assert_trees_all_equal(at(before, over), at(after, over))


def test_a_move_changes_the_position_as_long_as_the_game_lasts(playout):
    before, after = before_and_after(playout)
    lasts = ~before.terminated
    changed = [
        (x != y).reshape(*lasts.shape, -1).any(-1) for x, y in zip(before, after, strict=True)
    ]
    assert np.any(changed, axis=0)[lasts].all()


def test_an_illegal_action_loses_at_once_for_the_mover(game, compiled, playout):
    states = flat(playout.states)
    illegal = ~flat(playout.masks)
    tried = ~states.terminated & illegal.any(-1)
    last = game.num_actions - 1
    assert tried.any()
    for actions in (illegal.argmax(-1), last - illegal[:, ::-1].argmax(-1)):
        after = compiled.step(states, actions.astype(np.int32))
        lost = at(after, tried)
        assert lost.terminated.all()
        mover = states.current_player[tried][:, None]
        np.testing.assert_array_equal(lost.rewards, np.where(np.arange(2) == mover, -1, 1))


@pytest.mark.parametrize("beyond", [-1, 0, 1000])
def test_an_action_that_does_not_exist_is_illegal_too(game, compiled, init_keys, beyond):
    action = beyond if beyond < 0 else game.num_actions + beyond
    after = compiled.step(compiled.init(init_keys), np.full(len(init_keys), action, np.int32))
    assert after.terminated.all()
    np.testing.assert_array_equal(after.rewards, np.tile([-1, 1], (len(init_keys), 1)))


def test_a_game_lost_by_an_illegal_action_is_over(game, compiled, playout):
    states = flat(playout.states)
    after = compiled.step(states, flat(playout.masks).argmin(-1).astype(np.int32))
    assert not compiled.legal_action_mask(after)[after.terminated].any()
    again = compiled.step(after, np.zeros(len(after.terminated), np.int32))
    over = after.terminated
    chex.assert_trees_all_equal(at(after, over), at(again, over))


# Positions


def test_there_are_at_most_max_positions_positions(game, compiled, playout):
    leaves = compiled.without_move_count(flat(playout.states))
    rows = np.concatenate([leaf.reshape(len(leaf), -1) for leaf in leaves], axis=1)
    assert 0 < len({row.tobytes() for row in rows}) <= game.max_positions


def test_without_move_count_changes_nothing_else(compiled, playout):
    states = flat(playout.states)
    uncounted = compiled.without_move_count(states)
    move_count = {field: getattr(states, field) for field in states._fields if field == "num_moves"}
    chex.assert_trees_all_equal(uncounted._replace(**move_count), states)
    chex.assert_trees_all_equal(compiled.without_move_count(uncounted), uncounted)


def test_observation_and_legal_actions_do_not_depend_on_the_move_count(compiled, playout):
    uncounted = compiled.without_move_count(flat(playout.states))
    np.testing.assert_array_equal(compiled.observe(uncounted), flat(playout.observations))
    np.testing.assert_array_equal(compiled.legal_action_mask(uncounted), flat(playout.masks))


# Symmetries


def test_symmetries_cannot_be_written_to(game):
    for permutations in game.symmetries:
        with pytest.raises(ValueError, match="read-only"):
            permutations[0, 0] = 0


def test_symmetries_are_permutations_and_the_identity_is_the_first(game):
    height, width, _ = game.observation_shape
    for permutations, size in zip(game.symmetries, (height * width, game.num_actions), strict=True):
        assert permutations.dtype == np.int32
        assert (np.sort(permutations) == np.arange(size)).all()
        assert (permutations[0] == np.arange(size)).all()


def test_symmetries_differ_and_their_compositions_are_symmetries(game):
    pairs = np.concatenate(game.symmetries, axis=1)
    known = {pair.tobytes() for pair in pairs}
    assert len(known) == len(pairs)
    for cells, actions in zip(*game.symmetries, strict=True):
        after = np.concatenate(
            [game.symmetries.cells[:, cells], game.symmetries.actions[:, actions]], 1
        )
        assert {pair.tobytes() for pair in after} == known


def transform_starts(game, states, cells):
    """Returns starting states with the cells of their boards permuted."""

    @functools.cache
    def transform(text):
        board, rest = text.split(" ", 1)
        height, width, _ = game.observation_shape
        symbols = np.array(list(board.replace("/", "")))[cells].reshape(height, width)
        return game.parse_state(f"{'/'.join(''.join(row) for row in symbols)} {rest}")

    transformed = [
        transform(game.format_state(at(states, b))) for b in range(len(states.terminated))
    ]
    return jax.tree.map(lambda *x: np.stack(x), *transformed)


def test_symmetries_permute_the_game_played_alongside(game, compiled, playout, priorities):
    observed = playout.observations.reshape(*playout.masks.shape[:2], -1, game.observation_shape[2])
    for cells, actions in list(zip(*game.symmetries, strict=True))[1:]:
        start = transform_starts(game, at(playout.states, 0), cells)
        seen = compiled.play(start, priorities[..., actions])
        np.testing.assert_array_equal(actions[seen.actions], playout.actions)
        np.testing.assert_array_equal(seen.masks, playout.masks[..., actions])
        np.testing.assert_array_equal(
            seen.observations.reshape(observed.shape), observed[:, :, cells]
        )
        for field in ("terminated", "rewards", "current_player"):
            np.testing.assert_array_equal(
                getattr(seen.states, field), getattr(playout.states, field), field
            )


# Compilation and batches


@pytest.fixture(scope="module")
def one(game):
    """Returns the game's functions of one state, jitted; a second trace of any raises."""
    chex.clear_trace_counter()
    functions = (game.init, game.step, game.legal_action_mask, game.observe)
    return [jax.jit(chex.assert_max_traces(function, n=1)) for function in functions]


def test_a_batch_behaves_as_its_members_do_one_by_one(one, playout):
    before, after = before_and_after(playout)
    _, step, mask, observe = one
    horizon, batch = playout.actions.shape
    for index in ((t, b) for t in range(0, horizon, 1 + horizon // 40) for b in range(0, batch, 9)):
        state = at(before, *index)
        chex.assert_trees_all_equal(step(state, playout.actions[index]), at(after, *index))
        np.testing.assert_array_equal(mask(state), playout.masks[index])
        np.testing.assert_array_equal(observe(state), playout.observations[index])


def test_each_function_is_traced_once_from_start_to_end(game, one, playout):
    init, step, mask, observe = one
    state = init(jax.random.key(0))
    for action in playout.actions[:3, 0]:
        mask(state), observe(state)
        state = step(state, action)
    for other in (init(jax.random.key(1)), *sample(playout, 3)):
        parsed = game.parse_state(game.format_state(other))
        mask(parsed), observe(parsed), step(parsed, action)


def test_a_state_keeps_its_shapes_and_dtypes_in_every_step(game):
    state = jax.eval_shape(game.init, jax.random.key(0))
    chex.assert_trees_all_equal(jax.eval_shape(game.step, state, 0), state)
    for field, shape, dtype in (
        ("current_player", (), np.int8),
        ("terminated", (), np.bool_),
        ("rewards", (2,), np.int8),
    ):
        leaf = getattr(state, field)
        assert (leaf.shape, leaf.dtype) == (shape, dtype), field


def test_masks_and_observations_have_the_shapes_and_dtypes_of_the_game(game):
    state = jax.eval_shape(game.init, jax.random.key(0))
    mask = jax.eval_shape(game.legal_action_mask, state)
    observation = jax.eval_shape(game.observe, state)
    assert (mask.shape, mask.dtype) == ((game.num_actions,), np.bool_)
    assert (observation.shape, observation.dtype) == (game.observation_shape, np.float32)


def test_a_state_carries_no_mask_and_no_observation_and_two_bytes_a_cell_at_most(game):
    leaves = jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0)))
    height, width, _ = game.observation_shape
    history = 8 * (game.max_moves + 1) if isinstance(game, Go) else 0  # hashes of earlier boards
    most = 2 * height * width + 16 + history
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= most
    shapes = [leaf.shape for leaf in leaves]
    assert game.observation_shape not in shapes
    assert (game.num_actions,) not in [leaf.shape for leaf in leaves if leaf.dtype == bool]


def test_a_game_is_a_static_argument_and_two_of_the_same_are_traced_once(game):
    chex.clear_trace_counter()
    start = jax.jit(chex.assert_max_traces(lambda game, key: game.init(key), n=1), static_argnums=0)
    twin = make(game.name)
    assert twin is not game
    assert twin == game
    assert hash(twin) == hash(game)
    start(game, jax.random.key(0))
    start(twin, jax.random.key(0))


def test_a_game_is_frozen(game):
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.name = "another"


def test_a_game_has_its_registered_name_and_a_version(game):
    assert make(game.name) == game
    assert isinstance(game.version, int)
    assert game.version >= 1


def test_games_of_different_names_differ(game):
    assert make(game.name, version=game.version + 1) != game


# New games


def test_a_fresh_game_after_a_finished_one_carries_nothing_over(compiled, playout, init_keys):
    last, fresh = at(playout.states, -1), compiled.init(init_keys)
    assert last.terminated.all()
    chex.assert_trees_all_equal(fresh, at(playout.states, 0))
    chex.assert_trees_all_equal_dtypes(fresh, last)
    assert not fresh.terminated.any()
    assert not fresh.rewards.any()


# The mover's view


# The fields that change with the colour of all pieces, by type of state.
RECOLOURED = {
    LineState: lambda state: {"board": np.where(state.board == EMPTY, EMPTY, 1 - state.board)},
    HexState: lambda state: {"board": -state.board},
    GoState: lambda state: {"chains": -state.chains, "history": -state.history},
    QuixoState: lambda state: {"cubes": state.cubes[:, ::-1]},
    OthelloState: lambda state: {"discs": state.discs[:, ::-1]},
    CoinsState: lambda state: {},
}


def swap_colours(state):
    """Returns the position with the other colour for every piece and for the side to move."""
    recoloured = RECOLOURED[type(state)](state)
    return state._replace(**recoloured, current_player=1 - state.current_player)


def test_an_observation_is_from_the_movers_view(game, compiled, playout):
    seen = compiled.observe(swap_colours(flat(playout.states)))
    # Edges and komi belong to a colour: in these games the last plane is the mover.
    alike = slice(-1) if isinstance(game, Go | Hex) else slice(None)
    np.testing.assert_array_equal(seen[..., alike], flat(playout.observations)[..., alike])


@pytest.mark.usefixtures("board_game")
def test_an_observation_distinguishes_the_movers_pieces_from_the_opponents(compiled, playout):
    states, observations = flat(playout.states), flat(playout.observations)
    seen = compiled.observe(states._replace(current_player=1 - states.current_player))
    has_pieces = observations[..., :2].any((-1, -2, -3))
    differs = (seen != observations)[..., :2].any((-1, -2, -3))
    assert differs[has_pieces].all()


def test_a_legal_mask_does_not_depend_on_colours(compiled, playout):
    seen = compiled.legal_action_mask(swap_colours(flat(playout.states)))
    np.testing.assert_array_equal(seen, flat(playout.masks))


# Notation


def test_parse_action_inverts_format_action(game):
    texts = [game.format_action(action) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    assert [game.parse_action(text) for text in texts] == list(range(game.num_actions))


def test_parse_action_refuses_other_text_in_one_line(game):
    for text in ("", "?", "-1", "zz99", "0"):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
            game.parse_action(text)
        assert repr(text) in str(refused.value)


def test_parse_state_inverts_format_state(game, playout):
    for state in sample(playout):
        text = game.format_state(state)
        parsed = game.parse_state(text)
        chex.assert_trees_all_equal(parsed, state)
        chex.assert_trees_all_equal_dtypes(parsed, state)
        assert game.format_state(parsed) == text


def test_a_position_is_one_line_of_rows_and_the_side_to_move(board_game, playout):
    height, width, _ = board_game.observation_shape
    for state in sample(playout):
        board, side, *_ = board_game.format_state(state).split(" ")
        rows = board.split("/")
        assert [len(row) for row in rows] == [width] * height
        assert set(board) <= set("XO./")
        assert side == "XO"[int(state.current_player)]


def test_parse_state_refuses_other_text_in_one_line(game, playout):
    text = game.format_state(at(playout.states, 1, 0))
    board = text.split(" ")[0]
    for wrong in ("", board, text[2:], text[0] + text, "?" + text[1:], text + "X", text + "/"):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
            game.parse_state(wrong)
        assert repr(wrong) in str(refused.value)


def test_a_rendering_contains_every_coordinate_and_every_piece(board_game, playout):
    coordinates = {
        word
        for action in range(board_game.num_actions)
        for word in re.findall(r"[a-z](?=\d)|\d+", board_game.format_action(action))
    }
    for state in sample(playout, 4):
        rendering = board_game.render(state)
        assert coordinates <= set(rendering.split())
        board = board_game.format_state(state).split(" ")[0]
        for symbol in "XO.":
            assert rendering.count(symbol) == board.count(symbol)


def test_a_record_of_moves_is_parsed_to_actions_and_a_wrong_one_refused(game):
    assert list(game.parse_moves("")) == []
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
        game.parse_moves("?")

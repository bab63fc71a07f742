"""Auxiliary heads in training: records, targets, symmetries and losses."""

import functools
import itertools

import jax
import numpy as np
import pytest

from azjax.networks import MLPConfig, Outputs
from azjax.training import (
    ActionValues,
    Ownership,
    Reply,
    TrainConfig,
    check_train_config,
    make_context,
)
from azjax.training.parts.auxiliary_heads import OwnershipTarget, SearchedValues
from azjax.training.replay import insert
from azjax.training.state import Positions, Replay, Trajectory
from azjax.training.targets import compute_targets, game_ends

from .tiny import CONFIG, GAME, PROGRESS, change, legal_at, start, stones, with_parts

PARTS = Reply(weight=3.0), ActionValues(weight=5.0), Ownership()
WITH_HEADS = with_parts(change(CONFIG, network={"value_head": "wdl"}), *PARTS)
CONTEXT = make_context(WITH_HEADS)
ROWS, GAMES = CONFIG.replay_moves, CONFIG.num_games
INDICES = [x.reshape(-1) for x in np.mgrid[:ROWS, :GAMES]]

UNCHANGED = np.zeros(ROWS * GAMES, np.int32)

compiled_ends = jax.jit(game_ends)


@pytest.fixture(scope="module")
def replay():
    """Returns a full ring, of self-play by a fresh network with all heads."""
    play = jax.jit(functools.partial(CONTEXT.config.algorithm.play, CONTEXT))
    compiled_insert = jax.jit(insert)
    state = start(WITH_HEADS)
    for i in range(5):
        games, moves, _ = play(state, jax.random.key(i), PROGRESS)
        state = state._replace(games=games, replay=compiled_insert(state.replay, moves))
    return jax.device_get(state.replay)


@jax.jit
def batch_of_all(replay, symmetry=UNCHANGED):
    """Returns the batch of all positions, [ROWS * GAMES, ...]."""
    targets = compute_targets(CONTEXT, replay, 1.0)
    positions = Positions(*INDICES, symmetry, keys=None)
    return CONTEXT.config.algorithm.make_batch(CONTEXT, replay, targets, positions)


@pytest.fixture(scope="module")
def targets(replay):
    """Returns the targets of all positions in replay, [ROWS, GAMES, ...]."""
    found = jax.device_get(batch_of_all(replay).of_parts)
    return jax.tree.map(lambda x: x.reshape(ROWS, GAMES, *x.shape[1:]), found)


def rows_in_order(num_written):
    return [i % ROWS for i in range(max(0, num_written - ROWS), num_written)]


def ring_of(discount, num_written):
    zeros = np.zeros((ROWS, GAMES), np.float32)
    trajectory = Trajectory(*5 * [zeros], np.float32(discount), {})
    return Replay(trajectory, np.int32(num_written))


@pytest.mark.parametrize("num_written", [4, 3 * ROWS + 8])
def test_the_end_of_a_game_is_its_next_end_in_the_order_of_moves(num_written):
    discount = np.random.default_rng(num_written).choice(
        [-1, 1, 0], (ROWS, GAMES), p=[0.5, 0.3, 0.2]
    )
    discount[num_written:] = 0  # rows that are not written
    ends = compiled_ends(ring_of(discount, num_written))
    order = rows_in_order(num_written)
    for game in range(GAMES):
        for i, row in enumerate(order):
            end = next((later for later in order[i:] if discount[later, game] == 0), ROWS)
            assert ends[row, game] == end


def test_a_reply_is_the_policy_at_the_next_position_of_the_same_game(replay, targets):
    trajectory, order = replay.trajectory, rows_in_order(int(replay.num_written))
    assert order[0] == 4  # the ring has wrapped around
    for row, next_row in zip(order, [*order[1:], None], strict=True):
        has_reply = (trajectory.discount[row] != 0) & (next_row is not None)
        weights = trajectory.action_weights[next_row or 0] * has_reply[:, None]
        np.testing.assert_array_equal(targets["reply"][row], weights)
        assert (legal_at(trajectory.state)[next_row or 0][weights > 0]).all()


def test_a_reply_has_the_weight_of_its_own_move(replay, targets):
    order = rows_in_order(int(replay.num_written))
    weight = np.zeros((ROWS, GAMES), np.float32)
    weight[order[1::2]] = 4.0
    moves = replay.trajectory
    moves = moves._replace(records=moves.records | {"policy_weight": weight})
    found = batch_of_all(replay._replace(trajectory=moves)).of_parts
    reply = np.asarray(found["reply"]).reshape(ROWS, GAMES, -1)
    np.testing.assert_array_equal(reply[order[::2]], 4 * targets["reply"][order[::2]])
    assert (reply[order[1::2]] == 0).all()


def test_action_values_are_those_of_the_search_from_the_view_of_the_mover(replay, targets):
    qvalues, is_visited = targets["action_values"]
    np.testing.assert_array_equal(qvalues, replay.trajectory.records["action_values"].qvalues)
    assert not is_visited[~legal_at(replay.trajectory.state)].any()
    assert is_visited.any(axis=-1).all()
    weights = np.where(is_visited, np.maximum(replay.trajectory.action_weights, 1e-30), 0)
    value = (weights * qvalues).sum(axis=-1) / weights.sum(axis=-1)
    assert np.ptp(value) > 0.5
    np.testing.assert_allclose(replay.trajectory.search_value, value, atol=1e-5)


def test_ownership_is_that_of_the_final_board_from_the_view_of_the_mover(replay, targets):
    cells, is_known = targets["ownership"]
    state, order = replay.trajectory.state, rows_in_order(int(replay.num_written))
    assert 0.5 < is_known.mean() < 1
    mover = state.current_player[..., None]
    board = state.board.reshape(ROWS, GAMES, 9)
    # Stones stay where they are, so those of every position are among the final ones.
    for owner, sign in ((mover, 1), (1 - mover, -1)):
        assert (cells[is_known][(board == owner)[is_known]] == sign).all()
    is_last = replay.trajectory.discount == 0
    assert (np.abs(cells).sum(axis=-1)[is_last] == stones(state)[is_last] + 1).all()
    for row, next_row in itertools.pairwise(order):
        goes_on = is_known[row] & (replay.trajectory.discount[row] != 0)
        np.testing.assert_array_equal(cells[row][goes_on], -cells[next_row][goes_on])
        np.testing.assert_array_equal(is_known[row][goes_on], is_known[next_row][goes_on])


def test_symmetries_transform_targets_with_the_position(replay):
    symmetry = np.arange(ROWS * GAMES, dtype=np.int32) % 8
    plain, batch = jax.device_get((batch_of_all(replay), batch_of_all(replay, symmetry)))
    actions = GAME.symmetries.actions[symmetry]
    for name in ("reply", "action_values"):
        found, expected = (jax.tree.leaves(x.of_parts[name]) for x in (batch, plain))
        for array, before in zip(found, expected, strict=True):
            np.testing.assert_array_equal(array, np.take_along_axis(before, actions, axis=1))
    cells, is_known = batch.of_parts["ownership"]
    planes = batch.observation.reshape(len(cells), 9, 2)[is_known]
    assert (cells[is_known][planes[..., 0] == 1] == 1).all()
    assert (cells[is_known][planes[..., 1] == 1] == -1).all()


def test_losses_are_cross_entropy_and_squared_errors_where_there_is_a_target():
    rng = np.random.default_rng(3)
    logits, values, qvalues = (rng.normal(size=(3, 4)).astype(np.float32) for _ in range(3))
    reply = np.float32([[0.5, 0.5, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    is_visited = np.array([[1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 1]], bool)
    qvalues[~is_visited] = 100
    cells = rng.choice([-1, 0, 1], (3, 6)).astype(np.int8)
    owners, margin = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in ((3, 6), 3))
    auxiliary = {"reply_logits": logits, "action_values": values}
    auxiliary |= {"ownership": owners, "margin": margin}
    outputs = Outputs(None, None, None, auxiliary)
    of_parts = {
        "reply": reply,
        "action_values": SearchedValues(qvalues, is_visited),
        "ownership": OwnershipTarget(cells, np.array([True, False, True])),
    }
    found = {part.name: part.loss(outputs, of_parts[part.name]).mean() for part in PARTS}
    log_policy = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    assert found["reply"] == pytest.approx(-(reply * log_policy).sum() / 3, rel=1e-5)
    errors = np.square(values - qvalues)
    means = [errors[i][is_visited[i]].mean() for i in range(3)]
    assert found["action_values"] == pytest.approx(np.mean(means), rel=1e-5)
    of_cells = np.square(owners - cells).mean(axis=1)
    of_margin = np.square(margin - cells.mean(axis=1))
    expected = (of_cells + of_margin)[[0, 2]].sum() / 3
    assert found["ownership"] == pytest.approx(expected, rel=1e-5)


def test_a_game_without_owners_of_cells_has_no_head_for_them():
    def config_of(*parts):
        return TrainConfig("coins", network=MLPConfig(), parts=parts)

    check_train_config(config_of(Reply(), ActionValues()))
    message = "parts: must be without ownership, as cells of coins have no owners"
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_train_config(config_of(Ownership()))

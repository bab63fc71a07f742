"""AlphaGo's stages: imitation of games, a pool of the past, and values of single positions."""

import jax
import numpy as np
import pytest

from azjax.networks import MLPConfig, Network
from azjax.search import Gumbel
from azjax.training import check_train_config, make_context
from azjax.training.algorithms.alphago import _rows_of_games
from azjax.training.state import Positions, Replay, Trajectory
from azjax.training.targets import Targets

from .frozen_replies import preferred, preferring, replies_of
from .tiny import REINFORCED, SUPERVISED, VALUE, change, iterate, legal_at, run, start

compiled_apply = jax.jit(Network.apply, static_argnums=0)


def trained(config, num_iterations):
    return run(num_iterations, config=config)


def leaves(tree):
    return [np.asarray(x) for x in jax.tree.leaves(tree)]


def test_a_supervised_policy_learns_the_moves_that_replay_holds():
    context = make_context(SUPERVISED)
    state = start(SUPERVISED)
    moves = state.replay.trajectory
    centre = np.zeros(moves.action_weights.shape, np.float32)
    centre[..., 4] = 1  # the centre, wherever the games begin
    discount = np.full(moves.discount.shape, -1, np.float32)
    discount[[1, 6]] = 0  # games of two moves and of five; the rest has not ended
    replay = Replay(moves._replace(action_weights=centre, discount=discount), np.int32(8))
    state = state._replace(replay=replay)
    losses = []
    for _ in range(40):
        state, metrics = iterate(SUPERVISED, state, 0.2)  # at the highest learning rate
        losses.append(float(metrics.policy_loss))
        assert metrics.simulations_per_move == 0
        assert metrics.value_loss == 0
        assert metrics.game_length == 3.5
    assert losses[-1] < 0.4 * losses[0]
    np.testing.assert_array_equal(state.replay.trajectory.action_weights, centre)
    empty = np.zeros((512, 3, 3, 2), np.float32)
    logits, _ = compiled_apply(context.network, state.actor, empty)
    assert np.asarray(logits)[0].argmax() == 4


def test_the_pool_begins_with_the_first_policy_and_takes_the_newest_at_times():
    states, _ = trained(REINFORCED, 5)
    first = leaves(states[0].learner.variables)
    for pool, network in zip(leaves(states[0].opponent.variables), first, strict=True):
        assert pool.shape == (3, *network.shape)
        assert (pool == network[None]).all()
    assert [int(state.opponent.num_updates) for state in states] == [0, 0, 1, 1, 2, 2]
    for slot, iteration in ((0, 2), (1, 4)):
        pairs = zip(
            leaves(states[5].opponent.variables),
            leaves(states[iteration].learner.variables),
            strict=True,
        )
        assert all((pool[slot] == network).all() for pool, network in pairs)
    for pool, network in zip(leaves(states[5].opponent.variables), first, strict=True):
        assert (pool[2] == network).all()


def test_in_each_iteration_another_of_the_pool_replies():
    """Each member is sure of another cell, so the replies of an iteration tell whose they are."""
    states, _ = trained(REINFORCED, 5)
    first_cells = 0, 4, 8
    pool = preferring(states[0].opponent.variables, np.array(first_cells))
    state = states[0]._replace(opponent=states[0].opponent._replace(variables=pool))
    members = set()
    for seed in range(12):
        begun = state._replace(key=jax.random.key(seed))
        after, _ = iterate(REINFORCED, begun)
        replies = replies_of(jax.device_get(after.replay.trajectory))
        assert len(replies.cell) > 30
        [member] = [
            member
            for member, first in enumerate(first_cells)
            if (replies.cell == preferred(replies.legal, first)).all()
        ]
        members.add(member)
    assert members == {0, 1, 2}


def test_a_state_that_begins_from_a_network_freezes_it_too():
    for config in (REINFORCED, VALUE):
        states, _ = trained(config, 2)
        newest = states[-1].learner.variables
        begun = jax.device_get(states[0].with_network(newest))
        for frozen, network in zip(leaves(begun.opponent.variables), leaves(newest), strict=True):
            assert (frozen == network).all()
            assert frozen.shape[-network.ndim :] == network.shape


def test_the_frozen_policy_plays_both_sides_and_does_not_learn():
    states, metrics = trained(VALUE, 4)
    for before, after in zip(
        leaves(states[0].opponent.variables), leaves(states[-1].opponent.variables), strict=True
    ):
        assert (before == after).all()
    context, moves = make_context(VALUE), states[-1].replay.trajectory
    observe = jax.jit(jax.vmap(jax.vmap(context.game.observe)))
    boards = np.asarray(observe(moves.state)).reshape(-1, 3, 3, 2)
    logits, _ = compiled_apply(context.network, states[0].opponent.variables, boards)
    logits = np.where(legal_at(moves.state), np.asarray(logits).reshape(32, 16, 9), -np.inf)
    policy = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(moves.action_weights, policy, atol=1e-5)
    assert metrics[-1].games_finished > 0


@pytest.mark.parametrize("num_written", [16, 56])
def test_all_positions_of_a_game_stand_for_one_of_them(num_written):
    rows, games, rng = 32, 6, np.random.default_rng(num_written)
    discount = np.where(rng.random((rows, games)) < 0.2, 0, -1).astype(np.float32)
    discount[:, 0] = -1  # no game of this environment ends
    discount[num_written:] = 0
    zeros = np.zeros_like(discount)
    replay = Replay(Trajectory(*5 * [zeros], discount, {}), np.int32(num_written))
    row, game = (x.reshape(-1).astype(np.int32) for x in np.mgrid[:rows, :games])
    positions = Positions(row, game, row, keys=None)
    rows_of_games = jax.jit(_rows_of_games)
    found = rows_of_games(replay, positions, np.arange(games))
    of_next_device, _ = rows_of_games(replay, positions, games + np.arange(games))
    assert (of_next_device != found[0]).any()
    chosen, is_known = (np.asarray(x).reshape(rows, games) for x in found)
    order = [i % rows for i in range(max(0, num_written - rows), num_written)]
    sizes = set()
    for column in range(games):
        game, last = [], None
        for i in order:
            game.append(i)
            if discount[i, column] == 0:
                assert len({chosen[j, column] for j in game}) == 1
                assert chosen[game[0], column] in game
                sizes.add((len(game), game.index(chosen[game[0], column])))
                game, last = [], chosen[i, column]
        # Those of a game that has not ended stand for the one before it, if there is one.
        assert [chosen[j, column] for j in game] == [j if last is None else last for j in game]
        assert (is_known[order, column] == (last is not None)).all()
    assert not is_known[order, 0].any()
    assert is_known[order].any()
    assert len({index for size, index in sizes if size > 2}) > 1


def test_positions_of_games_that_have_not_ended_have_no_value_to_learn():
    states, _ = trained(VALUE, 4)
    context, replay = make_context(VALUE), states[-1].replay
    moves = replay.trajectory
    endless = replay._replace(trajectory=moves._replace(discount=-np.ones_like(moves.discount)))

    @jax.jit
    def losses_of(replay):
        games = jax.numpy.arange(16)
        positions = Positions(0 * games, games, 0 * games, keys=None)
        targets = Targets(jax.numpy.full((32, 16), 0.5), {})
        batch = VALUE.algorithm.make_batch(context, replay, targets, positions)
        variables = jax.tree.map(jax.numpy.asarray, states[-1].learner.variables)
        return VALUE.algorithm.loss(context, variables, batch)[0]

    assert losses_of(replay).value_loss > 0
    assert losses_of(endless).value_loss == 0
    assert losses_of(endless).policy_loss > 0


@pytest.mark.parametrize(
    ("config", "changes", "message"),
    [
        (SUPERVISED, {"network": MLPConfig()}, r"network.value_head='scalar': must be 'none'"),
        (SUPERVISED, {"replay": None}, r"replay=None: must be a file of games"),
        (REINFORCED, {"num_moves": 4}, r"replay_moves=8: must be num_moves=4"),
        (REINFORCED, {"replay": "games.npz"}, r"replay='games.npz': must be left out"),
        (VALUE, {"search": Gumbel()}, r"search.name='gumbel': must be 'policy'"),
    ],
)
def test_what_does_not_fit_is_refused(config, changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        check_train_config(change(config, **changes))

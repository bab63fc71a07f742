"""The policy gradient: games against a search, returns, the loss, and the rounds."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_same

from azjax.games import make
from azjax.networks import Variables
from azjax.search import UCT, Gumbel
from azjax.training import PolicyGradient, Reanalyse, TrainContext, check_train_config, make_context
from azjax.training.algorithms.reinforce import ActionBatch, ReturnTargets
from azjax.training.state import Positions, Replay, Trajectory

from . import tiny
from .frozen_replies import preferred, preferring, replies_of
from .table_network import Table
from .tiny import POLICY_GRADIENT as CONFIG
from .tiny import change, compiled, legal_at

CONTEXT = make_context(CONFIG)
GAME = CONTEXT.game


@pytest.fixture(scope="module")
def iterate():
    return functools.partial(tiny.iterate, CONFIG)


@pytest.fixture(scope="module")
def states():
    """Returns the states of four iterations, the first included."""
    return tiny.train(CONFIG, 4).states


def test_a_row_is_a_move_of_the_policy_and_the_reply_to_it(states):
    moves = states[-1].replay.trajectory
    legal, action = legal_at(moves.state), moves.action
    assert np.take_along_axis(legal, action[..., None], axis=-1).all()
    assert (moves.action_weights[~legal] == 0).all()
    stones = (moves.state.board >= 0).sum(axis=(2, 3))
    goes_on = moves.discount[:-1] != 0
    assert goes_on.any()
    assert (moves.discount[:-1][goes_on] == 1).all()
    np.testing.assert_array_equal((stones[1:] - stones[:-1])[goes_on], 2)
    seat = moves.state.current_player
    np.testing.assert_array_equal(seat[1:][goes_on], seat[:-1][goes_on])
    assert set(seat[stones < 2].ravel()) == {0, 1}  # the policy plays both seats
    assert (moves.reward[moves.discount != 0] == 0).all()
    assert set(np.unique(moves.reward)) == {-1, 0, 1}


def returns_of(reward, discount):
    zeros = np.zeros_like(reward)
    replay = Replay(Trajectory(*4 * [zeros], reward, discount, {}), np.int32(4))
    algorithm = PolicyGradient(result_discount=0.5)
    return jax.device_get(
        jax.jit(lambda replay: algorithm.compute_targets(CONTEXT, replay))(replay)
    )


def test_results_are_discounted_by_the_moves_of_the_policy_to_the_end():
    reward = np.float32([[0, 0], [1, 0], [0, 0], [-1, 0]])
    discount = np.float32([[1, 1], [0, 1], [1, 0], [0, 1]])
    found = returns_of(reward, discount)
    np.testing.assert_allclose(found.returns, [[0.5, 0], [1, 0], [-0.5, 0], [-1, 0]])
    is_known = np.array([[1, 1], [1, 1], [1, 1], [1, 0]], bool)  # the last game goes on
    np.testing.assert_allclose(found.advantage[is_known].mean(), 0, atol=1e-6)
    np.testing.assert_allclose(np.diff(found.advantage[is_known] - found.returns[is_known]), 0)
    assert (found.advantage[~is_known] == 0).all()


def test_actions_are_transformed_with_their_positions(states):
    """All positions of replay, each by all symmetries of the board."""
    replay = states[-1].replay
    moves, symmetries = replay.trajectory, GAME.symmetries
    rows, games, s = (x.reshape(-1) for x in np.mgrid[:8, :16, :8].astype(np.int32))
    assert len(symmetries.cells) == len(symmetries.actions) == 8
    numbers = np.arange(8 * 16, dtype=np.float32).reshape(8, 16)
    targets = ReturnTargets(numbers, -numbers, numbers > 0)
    positions = Positions(rows, games, s, keys=None)
    make_batch = jax.jit(functools.partial(CONFIG.algorithm.make_batch, CONTEXT))
    batch = jax.device_get(make_batch(replay, targets, positions))

    one_hot = np.eye(9)[moves.action[rows, games]]
    transformed = np.take_along_axis(one_hot, symmetries.actions[s], axis=1)
    np.testing.assert_array_equal(np.eye(9)[batch.action], transformed)
    legal = np.take_along_axis(legal_at(moves.state)[rows, games], symmetries.actions[s], axis=1)
    np.testing.assert_array_equal(batch.legal, legal)
    boards = jax.jit(jax.vmap(jax.vmap(GAME.observe)))(moves.state)
    planes = np.asarray(boards)[rows, games].reshape(len(rows), 9, -1)
    planes = np.take_along_axis(planes, symmetries.cells[s][..., None], axis=1)
    np.testing.assert_array_equal(batch.observation.reshape(planes.shape), planes)
    assert_same(batch.targets, jax.tree.map(lambda x: x[rows, games], targets))


@jax.jit
def differentiate(params, batch, entropy_weight):
    """Returns the gradient of the loss by the logits, and the losses."""
    config = change(CONFIG, algorithm={"entropy_weight": entropy_weight})
    context = TrainContext(config, GAME, Table())

    def loss(params):
        losses, _ = config.algorithm.loss(context, Variables(params, {}), batch)
        return losses.loss, losses

    gradient, losses = jax.grad(loss, has_aux=True)(params)
    return gradient["policy_logits"], losses


def test_the_loss_moves_the_policy_towards_actions_of_high_return():
    """And towards a high entropy.

    The gradient by logits is advantage * (policy - one-hot action) + weight * policy * (log policy
    + entropy), and 0 where illegal.
    """
    rng, weight = np.random.default_rng(0), 0.5
    logits, legal = rng.normal(size=(3, 9)).astype(np.float32), np.ones((3, 9), bool)
    legal[:, :3] = False
    action = np.array([4, 7, 5], np.int32)
    advantage, returns = np.float32([1.5, -0.5, 0]), np.float32([1, -0.4, 0])  # the last goes on
    targets = ReturnTargets(advantage, returns, np.array([True, True, False]))
    batch = ActionBatch(np.zeros((3, 3, 3, 2), np.float32), legal, action, targets)
    gradient, losses = differentiate({"policy_logits": logits}, batch, np.float32(weight))
    weights = np.where(legal, np.exp(logits), 0)
    policy = weights / weights.sum(axis=1, keepdims=True)
    log_policy = np.log(np.where(legal, policy, 1))
    entropy = -(policy * log_policy).sum(axis=1)
    expected = advantage[:, None] * (policy - np.eye(9)[action])
    expected += weight * policy * (log_policy + entropy[:, None])
    np.testing.assert_allclose(gradient, expected / 3, atol=1e-6)
    policy_loss = -(advantage * log_policy[[0, 1, 2], action]).mean()
    np.testing.assert_allclose(losses.policy_loss, policy_loss, rtol=1e-5)
    np.testing.assert_allclose(losses.loss, policy_loss - weight * entropy.mean(), rtol=1e-5)
    assert losses.extra == pytest.approx({"mean_return": 0.6 / 2})


def test_rounds_raise_simulations_and_the_weight_of_the_prior():
    config = change(CONFIG, search={"num_simulations": 500})
    algorithm, search = config.algorithm, config.search
    simulations = [int(algorithm.round_simulations(search, i)) for i in range(7)]
    assert simulations == [100, 200, 300, 400, 500, 500, 500]
    weights = [algorithm.round_search(search, i).prior_weight for i in range(6)]
    np.testing.assert_allclose(weights, [0.5, 0.6, 0.7, 0.8, 0.9, 0.9], atol=1e-6)


def test_a_round_changes_the_search_and_not_the_program(states, iterate):
    for round_, simulations in ((0, 2), (4, 10)):
        frozen = states[-1].opponent._replace(num_updates=np.int32(round_))
        state, metrics = iterate(states[-1]._replace(opponent=frozen), np.float32(0))
        assert metrics.simulations_per_move == simulations
        assert state.opponent.num_updates == round_
    traced = compiled(CONFIG).traced
    assert all(types == traced[0] for types in traced)


def test_the_opponent_stays_as_it_is_while_the_policy_learns(states):
    first, last = (jax.tree.leaves(x.opponent.variables) for x in (states[0], states[-1]))
    assert all((x == y).all() for x, y in zip(first, last, strict=True))
    before, after = (jax.tree.leaves(x.learner.variables.params) for x in (states[0], states[-1]))
    assert any((x != y).any() for x, y in zip(before, after, strict=True))


def test_the_frozen_copy_replies(iterate, states):
    """In the last round, where the prior that the search trusts is the frozen copy's."""
    for first in (0, 4):
        variables = preferring(states[-1].opponent.variables, first)
        frozen = states[-1].opponent._replace(variables=variables, num_updates=np.int32(4))
        state, _ = iterate(states[-1]._replace(opponent=frozen), np.float32(0))
        replies = replies_of(jax.device_get(state.replay.trajectory))
        np.testing.assert_array_equal(replies.cell, preferred(replies.legal, first))
        assert len(replies.cell) > 30


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": (Reanalyse(),)}, r"parts: reanalyse does not go with algorithm policy_gradient"),
        ({"search": Gumbel()}, r"search.name='gumbel': must be a TreeSearch that is anytime, such"),
        (
            {"search": UCT()},
            r"search.name='uct': must be one with search.prior_weight, such as policy_rollouts",
        ),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        check_train_config(dataclasses.replace(CONFIG, **changes))


@pytest.mark.slow
def test_a_policy_learns_the_coin_game():
    """It leaves a multiple of three coins mostly where it can; a random policy does in half."""
    config = change(
        CONFIG,
        game="coins",
        num_games=128,
        num_updates=2,
        batch_size=512,
        algorithm={"entropy_weight": 0.1},
        random_starts={"fraction": 0.9, "moves": 12.0},
    )
    game, network = make("coins"), make_context(config).network
    coins = np.array([n for n in range(1, 22) if n % 3])
    boards = jnp.stack([game.observe(game.parse_state(f"{n} X")) for n in coins])
    apply = jax.jit(network.apply)
    state, shares = tiny.start(config), []
    for i in range(150):
        state, _ = tiny.iterate(config, state, i / 150)
        if (i + 1) % 50 == 0:
            logits, _ = apply(state.learner.ema_variables, boards)
            shares.append((1 + np.asarray(logits).argmax(axis=1) == coins % 3).mean())
    assert np.mean(shares) > 0.75

"""MuZero: what it records, its loss, and what its search may do."""

from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from azjax.networks import MLPConfig, ResNetConfig
from azjax.search import PUCT, Gumbel, network_model, search
from azjax.training import MuZero, TrainConfig, check_train_config, make_context
from azjax.training.algorithms.muzero import UnrolledBatch
from azjax.training.state import Losses, Positions

from . import tiny
from .tiny_muzero import CONFIG, CONTEXT, GAME

pytestmark = pytest.mark.slow

HALF_VALUE = tiny.change(CONFIG, algorithm={"value_loss_weight": 0.5})


@pytest.fixture(scope="module")
def trained():
    return tiny.run(6, config=CONFIG)


def test_the_actions_recorded_are_those_played_and_latents_become_consistent(trained):
    states, metrics = trained
    assert metrics[-1].extra["consistency_loss"] < metrics[0].extra["consistency_loss"] - 0.1
    moves, order = states[-1].replay.trajectory, range(8, 15)  # rows of one game or the next
    step = jax.jit(jax.vmap(GAME.step))
    for row in order:
        state = jax.tree.map(lambda x, i=row: x[i], moves.state)
        after = step(state, moves.action[row].astype(np.int32))
        goes_on = moves.discount[row] != 0
        assert goes_on.any()
        np.testing.assert_array_equal(
            np.asarray(after.board)[goes_on], moves.state.board[row + 1][goes_on]
        )


def test_a_search_plays_legal_moves_and_looks_at_any_below_the_root(trained):
    states, _ = trained
    positions = jax.tree.map(lambda x: x[-1], states[-1].replay.trajectory.state)
    keys = jax.random.split(jax.random.key(0), len(positions.terminated))
    result = jax.jit(search, static_argnums=0)(
        network_model(GAME, CONTEXT.network),
        tiny.as_float32(Gumbel(num_simulations=24)),
        states[-1].actor,
        keys,
        positions,
    )
    legal = tiny.legal_at(positions)
    weights, visits = np.asarray(result.action_weights), result.tree.children_visits
    assert (weights[~legal] == 0).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    assert legal[np.arange(len(legal)), result.action].all()
    below = np.asarray(visits[:, 1:]).sum(axis=1)
    assert (below[~legal] > 0).any()  # a stone on a stone, which the model does not know yet
    discounts = np.asarray(result.tree.children_discounts)
    assert set(np.unique(discounts[np.asarray(visits) > 0])) == {-1}


def test_two_steps_of_the_model_return_to_the_same_player(trained):
    """A value backed up over two plies keeps its sign; over one it changes."""
    states, _ = trained
    model = network_model(GAME, CONTEXT.network)
    positions = jax.tree.map(lambda x: x[-1], states[-1].replay.trajectory.state)
    result = jax.jit(search, static_argnums=0)(
        model,
        tiny.as_float32(PUCT(num_simulations=1)),
        states[-1].actor,
        jax.random.split(jax.random.key(0), len(positions.terminated)),
        positions,
    )
    root, child = np.asarray(result.tree.raw_values).T
    np.testing.assert_allclose(np.asarray(result.tree.node_values)[:, 0], (root - child) / 2, 1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": MLPConfig()}, "network.name='mlp': must be 'resnet' for"),
        ({"network": ResNetConfig(norm="batch")}, "network.norm='batch': must be none or layer"),
        ({"search": Gumbel(proven_values=True)}, "search.proven_values=True: must be"),
        ({"network": ResNetConfig(channels=7)}, "network.channels=7: must be a multiple of 2 for"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        check_train_config(TrainConfig(**{"algorithm": MuZero()} | changes))


def make_batch(states):
    """Returns a batch of all positions in replay, each by another symmetry of the board."""
    replay = states[-1].replay
    rows, games = (x.reshape(-1) for x in np.mgrid[: CONFIG.replay_moves, : CONFIG.num_games])
    keys = jax.random.split(jax.random.key(0), 1)
    positions = Positions(rows, games, np.arange(len(rows)) % 8, keys)

    @jax.jit
    def make(replay, positions):
        targets = CONFIG.algorithm.compute_targets(CONTEXT, replay)
        return CONFIG.algorithm.make_batch(CONTEXT, replay, targets, positions)

    return jax.device_get(make(replay, positions))


def test_actions_lead_from_each_observation_to_the_next(trained):
    """Whatever the symmetry: the mover's stones and the action are the opponent's stones then."""
    states, _ = trained
    batch = make_batch(states)
    seen = np.concatenate([batch.observation[:, None], batch.next_observation], axis=1)
    is_real = (batch.targets.is_known & ~batch.targets.is_ended)[:, 1:]
    stone = np.eye(9)[batch.targets.action[:, :-1]].reshape(*is_real.shape, 3, 3)
    before, after = seen[:, :-1, ..., 0] + stone, seen[:, 1:, ..., 1]
    assert is_real.mean() > 0.3
    np.testing.assert_array_equal(before[is_real], after[is_real])


def test_a_symmetry_transforms_policies_with_observations(trained):
    batch = make_batch(trained[0])
    is_legal, policy = batch.legal, batch.targets.action_weights[:, 0]
    is_known = batch.targets.is_known[:, 0]
    assert not is_legal.all(axis=1).all()
    assert (policy[is_known][~is_legal[is_known]] == 0).all()
    np.testing.assert_allclose(policy[is_known].sum(axis=1), 1, atol=1e-5)


class Learnt(NamedTuple):
    """The loss of a batch, and what it is of; samples first."""

    loss: Any  # []
    losses: Losses
    batch: UnrolledBatch
    logits: Any  # [S, K + 1, A]
    value_errors: Any  # [S, K + 1], the value less its target
    consistency: Any  # []


@pytest.fixture(scope="module")
def learnt(trained):
    states, _ = trained
    batch, variables = make_batch(states), states[-1].learner.variables
    context = make_context(HALF_VALUE)
    planes = GAME.action_planes[batch.targets.action[:, :-1]]

    @jax.jit
    def evaluate(batch):
        losses, _ = HALF_VALUE.algorithm.loss(context, variables, batch)
        steps_first = (np.swapaxes(planes, 0, 1), batch.next_observation.swapaxes(0, 1))
        return losses, CONTEXT.network.unroll(variables, batch.observation, *steps_first)

    losses, unrolled = jax.device_get(evaluate(batch))
    targets, outputs = batch.targets, unrolled.outputs
    is_real = (targets.is_known & ~targets.is_ended)[:, 1:]
    return Learnt(
        losses.loss,
        losses,
        batch,
        logits=np.swapaxes(outputs.policy_logits, 0, 1),
        value_errors=outputs.value.T - targets.value,
        consistency=-(is_real * unrolled.similarity.T).mean(),
    )


def policy_errors(learnt):
    """Returns the cross-entropy [S, K + 1]."""
    log_policy = jax.nn.log_softmax(learnt.logits)
    return -np.asarray((learnt.batch.targets.action_weights * log_policy).sum(axis=-1))


def test_the_loss_is_that_of_the_position_and_the_mean_of_the_steps(learnt):
    targets = learnt.batch.targets
    policy = targets.policy_weight * policy_errors(learnt)
    value = targets.is_known * learnt.value_errors**2
    of_step = (policy + 0.5 * value).mean(axis=0)
    expected = of_step[0] + of_step[1:].mean()
    expected += HALF_VALUE.algorithm.consistency_loss_weight * learnt.consistency
    np.testing.assert_allclose(learnt.loss, expected, rtol=1e-4)
    np.testing.assert_array_equal(learnt.losses.loss, learnt.loss)

"""Samples: positions of replay with what a network without a learnt model is trained on."""

from typing import Any, NamedTuple

import chex
import jax

from azjax.games import State
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.replay.auxiliary_targets import sample_auxiliary
from azjax.training.replay.targets import Targets
from azjax.training.state import Positions, Replay


class Sample(NamedTuple):
    """Positions to learn from."""

    state: State  # [S, ...]
    action_weights: chex.Array  # [S, A]
    targets: Targets  # [S]
    symmetry: chex.Array  # [S] int32, the symmetry of the board to transform the position by
    auxiliary: dict[str, Any]  # [S, ...] by head
    policy_weight: chex.Array | None = None  # [S], None where all are 1


def gather_samples(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> Sample:
    """Returns what replay [C, B, ...] and targets [C, B] hold of S positions."""
    rows, envs, symmetry, _ = positions
    moves = replay.trajectory
    sampled_targets = jax.tree.map(lambda x: x[rows, envs], targets)
    return Sample(
        state=jax.tree.map(lambda x: x[rows, envs], moves.state),
        action_weights=moves.action_weights[rows, envs],
        targets=sampled_targets,
        symmetry=symmetry,
        auxiliary=sample_auxiliary(context, replay, sampled_targets.game_end, rows, envs),
        policy_weight=None if moves.policy_weight is None else moves.policy_weight[rows, envs],
    )

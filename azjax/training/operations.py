"""Counts the floating-point operations of training in the program that is compiled.

Products of matrices and convolutions count, a multiplication with an addition as two operations.
How a convolution is computed depends on the machine: Winograd's method needs fewer.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.extend.core as jax_core
import numpy as np

from azjax.training.context import make_context
from azjax.training.hooks import TrainConfig
from azjax.training.iteration import init_train_state, train_iteration


class Operations(NamedTuple):
    """Operations of an iteration; NaN where a loop over products has no known length."""

    self_play: float
    learning: float  # with reanalysing


@functools.cache
def count_iteration(config: TrainConfig) -> Operations:
    """Counts the operations of one iteration.

    Of alternatives the costliest counts, as if all searches had as many simulations as the search
    that has the most.
    """
    context = make_context(config)
    state = jax.eval_shape(lambda: init_train_state(config, jax.random.key(0)))
    self_play = 0.0
    if config.replay is None:
        play = functools.partial(context.config.algorithm.play, context)
        self_play = count_operations(play, state, jax.random.key(0), 0.0)
    whole = count_operations(functools.partial(train_iteration, config), state, 0.0)
    return Operations(self_play, whole - self_play)


def count_operations(function: Callable[..., Any], *arguments: Any) -> float:
    """Counts the operations of a call, given its arguments or their shapes."""
    return _count(jax.make_jaxpr(function)(*arguments).jaxpr)


def _count(jaxpr: jax_core.Jaxpr) -> float:
    return sum(map(_count_equation, jaxpr.eqns))


def _count_equation(equation: jax_core.JaxprEqn) -> float:
    name, parameters = equation.primitive.name, equation.params
    if name in ("dot_general", "conv_general_dilated"):
        avals: list[Any] = [x.aval for x in (*equation.invars, *equation.outvars)]
        left, right, result = avals
        return 2.0 * result.size * _num_terms(parameters["dimension_numbers"], left, right)
    counts = [_count(jaxpr) for jaxpr in _inner(parameters)]
    if name == "while":
        return math.nan if any(counts) else 0.0
    combine = np.max if name == "cond" else np.sum  # NaN if a part is
    return float(combine(counts or [0.0])) * parameters.get("length", 1)


def _num_terms(dimensions: Any, left: Any, right: Any) -> int:
    """Returns how many products are added for each number of the result."""
    if isinstance(dimensions, jax.lax.ConvDimensionNumbers):
        return right.size // right.shape[dimensions.rhs_spec[0]]
    (contracted, _), _ = dimensions
    return math.prod(left.shape[axis] for axis in contracted)


def _inner(parameters: dict[str, Any]) -> list[jax_core.Jaxpr]:
    """Returns the programs of loops, alternatives and calls."""
    kinds = jax_core.Jaxpr, jax_core.ClosedJaxpr
    leaves = jax.tree.leaves(list(parameters.values()), is_leaf=lambda x: isinstance(x, kinds))
    programs = [x for x in leaves if isinstance(x, kinds)]
    return [x.jaxpr if isinstance(x, jax_core.ClosedJaxpr) else x for x in programs]

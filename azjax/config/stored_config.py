"""Configurations in files of runs and agents, which mean what their version meant.

A file holds every field that its version had. A field that was added later has the value that
describes what that version did, not today's default: a new default never changes an old agent.
"""

import copy
from collections.abc import Iterator
from typing import Any

from azjax.config.nested_dicts import parse_value, to_dict
from azjax.config.run_config import RunConfig, unused_hyperparameters
from azjax.training import algorithm_names

# A field that is added to RunConfig needs a line here: what files without it did. The lines stay.
_ADDED = {
    "train.search.rescale_values": True,
    "train.search.proven_values": False,
    "train.initial_simulations": 0,
    "train.fast_simulations": 0,
    "hparams.full_search_share": 0.25,
    "train.network.global_pooling": False,
    "train.network.value_head": "scalar",
    "train.network.auxiliary_heads": [],
    "hparams.reply_loss_weight": 0.15,
    "hparams.action_values_loss_weight": 1.0,
    "hparams.ownership_loss_weight": 1.0,
    "hparams.warmup_share": 0.03,
    "evaluation_hparams": None,
    "train.growing_window": False,
    "hparams.window_min_moves": 32.0,
    "hparams.window_growth": 0.4,
    "hparams.window_exponent": 0.75,
    "train.surprise_sampling": False,
    "train.weighted_traces": False,
    "hparams.random_move_fraction": 0.0,
    "hparams.surprise_weight": 0.5,
    "train.algorithm": "alphazero",
    "train.reanalyse_fraction": 0.0,
    "train.unroll_steps": 5,
    "hparams.consistency_loss_weight": 2.0,
    "hparams.search.prior_weight": 0.9,
    "hparams.first_prior_weight": 0.5,
    "hparams.result_discount": 0.95,
    "hparams.entropy_weight": 0.03,
    "train.rounds": 5,
    "train.pool_size": 8,
    "train.pool_interval": 10,
    "games": None,
    "train.search.sampled_actions": 0,
    "evaluation_choices": None,
    "train.deterministic": False,
}
# Tables of the same fields, which are given where evaluations have values of their own.
_OF_EVALUATION = {"train.search": "evaluation_choices", "hparams.search": "evaluation_hparams"}
# The schedule of the learning rate counted updates. It no longer matters to an agent that plays.
_REMOVED = ("hparams.warmup_updates", "hparams.decay_updates")


def read_config(stored: Any) -> RunConfig:
    """Returns the configuration that a file of this version or an older one holds.

    Args:
      stored: The nested dicts that `to_dict` returned when the file was written.

    Raises:
      ValueError: A field is missing, unknown, of the wrong type or out of range.
    """
    upgraded = upgrade(stored)
    _reset_unused(upgraded)
    config = parse_value(RunConfig, upgraded)
    # No default may have been taken: it would be today's.
    if missing := [name for name in _names(to_dict(config)) if not _has(upgraded, name)]:
        raise ValueError(f"field {missing[0]!r} is missing from the configuration")
    return config


def upgrade(stored: Any) -> Any:
    """Returns nested dicts of an older version with the fields of this one, which mean the same."""
    upgraded = copy.deepcopy(stored)
    for name in _REMOVED:
        table, field = _find(upgraded, name)
        table.pop(field, None)
    for name, value in _ADDED.items():
        table, field = _find(upgraded, name)
        table.setdefault(field, value)
        of_evaluation = _OF_EVALUATION.get(name.rpartition(".")[0])
        if of_evaluation:
            table, _ = _find(upgraded, f"{of_evaluation}.{field}")
            table.setdefault(field, value)
    return upgraded


def _reset_unused(table: Any) -> None:
    """Gives hyperparameters that the algorithm does not have their defaults, which changes nothing.

    Older versions let them have any value.
    """
    train, field = _find(table, "train.algorithm")
    algorithm = train.get(field)
    if algorithm not in algorithm_names():
        return  # which is refused
    hparams, _ = _find(table, "hparams.search")
    for name, default in unused_hyperparameters(algorithm).items():
        if isinstance(hparams.get(name), float):
            hparams[name] = default


def _find(table: Any, name: str) -> tuple[dict[str, Any], str]:
    """Returns the table that a dotted name leads into, empty if it is missing, and the field."""
    *parents, field = name.split(".")
    for parent in parents:
        table = table.get(parent) if isinstance(table, dict) else None
    return (table if isinstance(table, dict) else {}), field


def _has(table: Any, name: str) -> bool:
    own, field = _find(table, name)
    return field in own


def _names(table: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yields the dotted name of each field of nested tables."""
    for field, value in table.items():
        if isinstance(value, dict):
            yield from _names(value, f"{path}{field}.")
        else:
            yield f"{path}{field}"

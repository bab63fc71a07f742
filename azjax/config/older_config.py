"""Configurations of agent files of format 3, in which numbers had one table for all methods.

A field that a file lacks means what its version did, whatever the default is now.
"""

from typing import Any

from azjax.config.fields import SIMULATIONS, with_fields
from azjax.config.run_config import RunConfig
from azjax.support.component import Component
from azjax.support.component_registry import get_component

_OPTIMIZER = (
    "learning_rate",
    "warmup_share",
    "final_learning_rate",
    "weight_decay",
    "max_gradient_norm",
)
_OF_ALGORITHM = (
    "temperature",
    "temperature_moves",
    "value_loss_weight",
    "result_discount",
    "entropy_weight",
    "first_prior_weight",
    "consistency_loss_weight",
)
_SIZES = ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size", "symmetries")
_STATIC_OF_ALGORITHM = ("unroll_steps", "rounds", "pool_size", "pool_interval")
# What versions did that do not have a field.
_OLDEST_SEARCH = {"rescale_values": True, "proven_values": False, "sampled_actions": 0}
_OLDEST_NETWORK = {"value_head": "scalar", "global_pooling": False}
_OLDEST_NUMBERS = {"warmup_share": 0.03}
_RUN_FIELDS = ("games", "evaluate_every", "evaluation_simulations", "stop_when_perfect")


def read_older_config(stored: Any) -> RunConfig:
    """Returns the configuration that an agent file of format 3 holds.

    Raises:
      KeyError: A table is missing.
      ValueError: A field is of the wrong type or out of range.
    """
    train, hparams = stored["train"], _OLDEST_NUMBERS | stored["hparams"]
    search, network = _OLDEST_SEARCH | train["search"], _OLDEST_NETWORK | train["network"]
    algorithm = train.get("algorithm", "alphazero")
    numbers = hparams["search"]
    values = _table("search", search["algorithm"], search | numbers)
    values |= _table("network", network["architecture"], network)
    of_algorithm = {name: hparams[name] for name in _OF_ALGORITHM if name in hparams}
    of_algorithm |= {name: train[name] for name in _STATIC_OF_ALGORITHM if name in train}
    of_algorithm["td_lambda"] = 1 - hparams["search_value_weight"]
    of_algorithm["consistency"] = "consistency" in network.get("auxiliary_heads", ())
    values |= _table("algorithm", algorithm, of_algorithm)
    values |= {f"optimizer.{name}": hparams[name] for name in _OPTIMIZER if name in hparams}
    values |= {name: train[name] for name in ("game", *_SIZES)}
    values |= {name: stored[name] for name in _RUN_FIELDS if name in stored}
    values |= {"deterministic": train.get("deterministic", False)}
    values |= {"ema_decay": hparams["average_decay"]}
    parts = _parts(train, hparams)
    values["parts"] = list(parts)
    values |= {f"{part}.{name}": v for part, own in parts.items() for name, v in own.items()}
    values |= _evaluation(stored, search, numbers)
    return with_fields(RunConfig(), values)


def _table(kind: str, name: str, fields: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns the fields that a component has, by their names; None stands for no value."""
    component: type[Component] = get_component(kind, name)
    own = {field for field in component.__dataclass_fields__}
    table = prefix or kind
    values = {f"{table}.{field}": value for field, value in fields.items() if field in own}
    return {f"{table}.name": name} | values


def _parts(train: dict[str, Any], hparams: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the fields of the parts that were on, by part."""
    parts: dict[str, dict[str, Any]] = {}
    if train.get("algorithm") != "supervised_policy":
        parts["random_starts"] = _renamed(hparams, "random_start_", ("fraction", "moves"))
    if hparams.get("random_move_fraction"):
        parts["random_moves"] = _renamed(hparams, "random_move_", ("fraction",))
    if train.get("initial_simulations"):
        parts["growing_simulations"] = {"initial": train["initial_simulations"]}
    if train.get("fast_simulations"):
        share = hparams.get("full_search_share", 0.25)
        fast = train["fast_simulations"]
        parts["playout_caps"] = {"fast_simulations": fast, "full_share": share}
    if train.get("growing_window"):
        parts["growing_window"] = _renamed(hparams, "window_", ("min_moves", "growth", "exponent"))
    if train.get("surprise_sampling"):
        parts["surprise_sampling"] = _renamed(hparams, "surprise_", ("weight",))
    if train.get("weighted_traces"):
        parts["weighted_traces"] = {}
    if train.get("gating_games"):
        parts["gating"] = {"games": train["gating_games"]}
    if train.get("reanalyse_fraction"):
        moves = round(train["reanalyse_fraction"] * train["replay_moves"])
        parts["reanalyse"] = {"moves": moves}
    for head in train["network"].get("auxiliary_heads", ()):
        if head != "consistency":
            parts[head] = _renamed(hparams, f"{head}_loss_", ("weight",))
    return parts


def _renamed(hparams: dict[str, Any], prefix: str, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: hparams[prefix + name] for name in names if prefix + name in hparams}


def _evaluation(
    stored: dict[str, Any], search: dict[str, Any], numbers: dict[str, Any]
) -> dict[str, Any]:
    """Returns the fields of the search in evaluations, if it was one of its own."""
    own = stored.get("evaluation_choices")
    own_numbers = stored.get("evaluation_hparams")
    name = stored.get("evaluation_algorithm")
    if own is None and own_numbers is None and name is None:
        return {}
    fields = _OLDEST_SEARCH | (own or search) | (own_numbers or numbers)
    fields.pop(SIMULATIONS, None)
    return _table("search", name or search["algorithm"], fields, "evaluation.search")

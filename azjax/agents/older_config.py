"""Configurations of agent files of format 3, in which numbers had one table for all methods.

A field that a file lacks means what its version did, whatever the default is now.
"""

from typing import Any

from azjax.config.fields import EVALUATION, RUN_FIELDS, SIMULATIONS, train_fields, with_fields
from azjax.config.run_config import RunConfig
from azjax.support.component import get_component

# What versions did that do not have a field.
_OLDEST = {"deterministic": False, "warmup_share": 0.03, "full_search_share": 0.25}
_OLDEST_SEARCH = {"rescale_values": True, "proven_values": False, "sampled_actions": 0}
_OLDEST_NETWORK = {"value_head": "scalar", "global_pooling": False}
# By part: the field that turned it on, and the former names of its own fields.
_PARTS = {
    "random_moves": ("random_move_fraction", {"fraction": "random_move_fraction"}),
    "growing_simulations": ("initial_simulations", {"initial": "initial_simulations"}),
    "playout_caps": (
        "fast_simulations",
        {"fast_simulations": "fast_simulations", "full_share": "full_search_share"},
    ),
    "growing_window": (
        "growing_window",
        {"min_moves": "window_min_moves", "growth": "window_growth", "exponent": "window_exponent"},
    ),
    "surprise_sampling": ("surprise_sampling", {"weight": "surprise_weight"}),
    "weighted_traces": ("weighted_traces", {}),
    "gating": ("gating_games", {"games": "gating_games"}),
    "reanalyse": ("reanalyse_fraction", {"moves": "reanalyse_moves"}),
}
_STARTS = {"fraction": "random_start_fraction", "moves": "random_start_moves"}


def read_older_config(stored: Any) -> RunConfig:
    """Returns the configuration that an agent file of format 3 holds.

    Raises:
      KeyError: A table is missing.
      ValueError: A field is of the wrong type or out of range.
    """
    fields = _OLDEST | stored["hparams"] | stored["train"]
    search, numbers = _OLDEST_SEARCH | fields["search"], stored["hparams"]["search"]
    network = _OLDEST_NETWORK | fields["network"]
    heads = network.get("auxiliary_heads", ())
    fields |= {
        "ema_decay": fields["average_decay"],
        "td_lambda": 1 - fields["search_value_weight"],
        "consistency": "consistency" in heads,
        "replay": stored.get("games"),
        "reanalyse_moves": round(fields.get("reanalyse_fraction", 0) * fields["replay_moves"]),
    }
    algorithm = fields.get("algorithm", "alphazero")
    parts = {} if algorithm == "supervised_policy" else {"random_starts": _STARTS}
    parts |= {part: names for part, (switch, names) in _PARTS.items() if fields.get(switch)}
    parts |= {head: {"weight": f"{head}_loss_weight"} for head in heads if head != "consistency"}
    values: dict[str, Any] = {"parts": list(parts)}
    for part, names in parts.items():
        values |= {f"{part}.{new}": fields[old] for new, old in names.items() if old in fields}
    values |= _table("search", search["algorithm"], search | numbers)
    values |= _table("network", network["architecture"], network)
    values |= _table("algorithm", algorithm, fields)
    values |= _table("optimizer", "adamw", fields)
    values |= {name: fields[name] for name in ("game", *train_fields())}
    values |= {name: stored[name] for name in RUN_FIELDS if name in stored}
    own = [stored.get(f"evaluation_{name}") for name in ("choices", "hparams", "algorithm")]
    if own != [None, None, None]:  # evaluations had a search of their own
        of_search = _OLDEST_SEARCH | (own[0] or search) | (own[1] or numbers)
        of_search.pop(SIMULATIONS, None)
        values |= _table("search", own[2] or search["algorithm"], of_search, EVALUATION)
    return with_fields(RunConfig(), values)


def _table(kind: str, name: str, fields: dict[str, Any], table: str = "") -> dict[str, Any]:
    """Returns the fields that a component has, by their names."""
    own, table = get_component(kind, name).__dataclass_fields__, table or kind
    values = {f"{table}.{field}": value for field, value in fields.items() if field in own}
    return {f"{table}.name": name} | values

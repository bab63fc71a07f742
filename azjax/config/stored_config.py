"""Configurations in files of runs and agents, which mean what their version meant.

A file holds every value, the names of those that are not defaults, and the versions of components.
So a new field with a default makes no file unreadable, here or in an older azjax, and a changed
default changes no old agent.
"""

import copy
from typing import Any

from azjax.config.fields import (
    changed_fields,
    choose,
    chooses_component,
    default_like,
    flatten,
    list_fields,
    tables,
    to_tables,
    unchecked,
    with_fields,
)
from azjax.config.run_config import RunConfig
from azjax.training import TrainConfig

_CHANGED, _VERSIONS = "changed", "versions"


def store_config(config: RunConfig) -> dict[str, Any]:
    """Returns what a file holds of a configuration."""
    versions = {table: component.version for table, component in tables(config).items()}
    return {**to_tables(config), _CHANGED: list(changed_fields(config)), _VERSIONS: versions}


def read_config(stored: Any) -> RunConfig:
    """Returns the configuration that a file holds.

    Fields that this azjax does not have are left out where they have the default of the azjax that
    wrote them; fields that it has in addition have the defaults of their components.

    Raises:
      ValueError: A field is unknown, of the wrong type or out of range, or a component is of
        another version.
    """
    if not isinstance(stored, dict):
        raise ValueError(f"configuration must be a table of fields, not {stored!r}")
    stored = copy.deepcopy(stored)
    changed, versions = stored.pop(_CHANGED, None), stored.pop(_VERSIONS, None)
    if not isinstance(changed, list) or not isinstance(versions, dict):
        raise ValueError("it is of an older azjax: train again, or use the azjax that made it")
    values = dict(flatten(stored))
    if (of_games := values.pop("games", None)) is not None:
        values["replay"] = of_games  # its name until it could hold positions
    names = {name: value for name, value in values.items() if chooses_component(name)}
    config = default_like(choose(RunConfig(), names))
    for table, component in tables(config).items():
        found, here = versions.get(table), component.version
        if found != here:
            what = f"{component.kind} {component.name}"
            raise ValueError(f"{what} is of version {found}, and this azjax has version {here}")
    known = list_fields(config)
    for name in values.keys() - known.keys():
        if name in changed:
            raise ValueError(f"unknown field {name!r}")
    return with_fields(config, {name: value for name, value in values.items() if name in known})


def list_stored(stored: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields that a file holds, by name, as it holds them: no component is needed."""
    return dict(flatten({k: v for k, v in stored.items() if k not in (_CHANGED, _VERSIONS)}))


def store_train_config(config: TrainConfig) -> dict[str, Any]:
    """Returns what `read_train_config` reads, in another process of the same azjax."""
    return to_tables(unchecked(train=config))


def read_train_config(stored: Any) -> TrainConfig:
    """Returns the configuration of training that another process has sent."""
    return choose(unchecked(train=TrainConfig()), dict(flatten(stored))).train

"""The fields of a run's configuration by name, as in flags, presets, overrides and sweeps.

A field of a component is named by its table and itself, such as `search.value_scale` or
`random_starts.fraction`. The table of a network, a search, an algorithm or an optimizer is its
kind, and has the field `name`; the table of a part has the part's name. Fields of the run and of
`[train]` have no prefix.
"""

import dataclasses
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from azjax.config.run_config import RunConfig
from azjax.config.stored_values import parse_value
from azjax.support.component import (
    Component,
    carry_over,
    component_names,
    get_component,
    marks,
    number_fields,
)
from azjax.support.ranges import Range
from azjax.support.suggestions import did_you_mean, nearest
from azjax.training import TrainConfig

KINDS = ("network", "search", "algorithm", "optimizer")
RUN_FIELDS = ("evaluate_every", "evaluation_simulations", "stop_when_perfect")
EVALUATION = "evaluation.search"
SIMULATIONS = "num_simulations"  # in evaluations they are a field of the run
_TRAIN = "train"
_RANGE_ENDS = {"low", "high"}


def train_fields() -> list[str]:
    """Returns the fields of `[train]`: fields of TrainConfig that are no components."""
    others = {"game", "parts", *KINDS}
    return [f.name for f in dataclasses.fields(TrainConfig) if f.name not in others]


def tables(config: RunConfig) -> dict[str, Component]:
    """Returns the components of a configuration by the names of their tables."""
    train = config.train
    found: dict[str, Component] = {kind: getattr(train, kind) for kind in KINDS}
    found |= {part.name: part for part in train.parts}
    return found | ({EVALUATION: config.evaluated_by} if config.evaluated_by else {})


def list_fields(config: RunConfig) -> dict[str, Any]:
    """Returns the value of each field of a configuration, by its name."""
    train = config.train
    values: dict[str, Any] = {"game": train.game, "parts": tuple(part.name for part in train.parts)}
    values |= {name: getattr(config, name) for name in RUN_FIELDS}
    values |= {name: getattr(train, name) for name in train_fields()}
    for table, component in tables(config).items():
        if table in (*KINDS, EVALUATION):
            values[f"{table}.name"] = component.name
        for field in dataclasses.fields(component):
            values[f"{table}.{field.name}"] = getattr(component, field.name)
    values.pop(f"{EVALUATION}.{SIMULATIONS}", None)
    return values


def list_numbers(config: RunConfig) -> list[str]:
    """Returns the names of the numbers, in which members of a population may differ."""
    kinds = _kinds_of_train(config).items()
    return [f"{prefix}{name}" for prefix, kind in kinds for name in number_fields(kind)]


def declared_ranges(config: RunConfig) -> dict[str, Range]:
    """Returns the ranges that the chosen components declare for their numbers, by name."""
    kinds = _kinds_of_train(config).items()
    return {
        f"{prefix}{name}": x for prefix, kind in kinds for name, x in marks(kind, Range).items()
    }


def _kinds_of_train(config: RunConfig) -> dict[str, type[Component]]:
    """Returns the classes of what trains, by the prefix of their fields."""
    chosen = {f"{table}.": type(x) for table, x in tables(config).items() if table != EVALUATION}
    return {"": TrainConfig} | chosen


def changed_fields(config: RunConfig) -> dict[str, Any]:
    """Returns the fields that are not what they are by default, given the chosen components."""
    like, plain = list_fields(default_like(config)), list_fields(RunConfig())
    return {
        name: value
        for name, value in list_fields(config).items()
        if name != "game" and value != (plain if chooses_component(name) else like).get(name)
    }


def chooses_component(name: str) -> bool:
    """Tells whether a field chooses a component."""
    return name == "parts" or name in [f"{table}.name" for table in (*KINDS, EVALUATION)]


def default_like(config: RunConfig) -> RunConfig:
    """Returns the same components with their default values, which may not fit together."""
    train, own = config.train, config.evaluated_by
    changes: dict[str, Any] = {kind: type(getattr(train, kind))() for kind in KINDS}
    changes["parts"] = tuple(type(part)() for part in train.parts)
    defaults = TrainConfig(game=train.game, **changes)
    return unchecked(train=defaults, evaluated_by=own and type(own)())


def unchecked(**values: Any) -> RunConfig:
    """Returns a configuration of choices that may not fit together; others are the defaults."""
    config = object.__new__(RunConfig)
    for field in dataclasses.fields(RunConfig):
        object.__setattr__(config, field.name, values.get(field.name, field.default))
    return config


def with_fields(config: RunConfig, values: Mapping[str, Any]) -> RunConfig:
    """Returns the configuration with other values of some fields, by name.

    Another component of a kind, such as `{"search.name": "puct"}`, keeps the values of the fields
    that both have.

    Raises:
      ValueError: There is no such field, or a value is of the wrong type or out of range.
    """
    return RunConfig(**_change(config, values))


def choose(config: RunConfig, names: Mapping[str, Any]) -> RunConfig:
    """Returns the configuration with components by `parts` and fields such as `search.name`.

    They may not fit together yet; raises ValueError if there is no such component.
    """
    return unchecked(**_change(config, names))


def _change(config: RunConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of RunConfig with other values of some."""
    given, train = {str(name): value for name, value in values.items()}, config.train
    changes: dict[str, Any] = {
        kind: _with_table(kind, kind, getattr(train, kind), given) for kind in KINDS
    }
    changes["parts"] = _with_parts(train.parts, given)
    if f"{EVALUATION}.{SIMULATIONS}" in given:
        raise ValueError(f"{EVALUATION}.{SIMULATIONS}: choose evaluation_simulations instead")
    own: Component | None = config.evaluated_by
    if any(name.startswith(f"{EVALUATION}.") for name in given):
        own = _with_table("search", EVALUATION, own or changes["search"], given)
    changes |= _take(TrainConfig, ("game", *train_fields()), given)
    of_run = _take(RunConfig, RUN_FIELDS, given)
    for name in given:
        known = [*list_fields(config), *component_names("part")]
        hint = did_you_mean(name, known, otherwise="`azjax train PRESET --help` lists the names")
        raise ValueError(f"no field is named {name!r}; {hint}")
    fields = {name: getattr(config, name) for name in RUN_FIELDS} | of_run
    return {"train": dataclasses.replace(train, **changes), "evaluated_by": own, **fields}


def _take(kind: type, names: Sequence[str], given: dict[str, Any]) -> dict[str, Any]:
    """Removes some fields from what is given, and returns their values."""
    hints = typing.get_type_hints(kind)
    return {
        name: parse_value(hints[name], given.pop(name), name) for name in names if name in given
    }


def _with_table(kind: str, table: str, current: Component, given: dict[str, Any]) -> Component:
    """Removes the fields of a table from what is given, and returns their component."""
    prefix = f"{table}."
    own = {
        name.removeprefix(prefix): given.pop(name)
        for name in list(given)
        if name.startswith(prefix)
    }
    if not own:
        return current
    name = current.name if kind == "part" else own.pop("name", current.name)
    chosen = type(current)
    if name != current.name:
        chosen = get_component(kind, parse_value(str, name, f"{table}.name"))
    hints = typing.get_type_hints(chosen)
    names = [field.name for field in dataclasses.fields(chosen)]
    fields = {}
    for field, value in own.items():
        if field not in names:
            known = ["name", *names]
            meant = nearest(field, known)
            hint = f"did you mean '{prefix}{meant}'?" if meant else f"it has {', '.join(known)}"
            raise ValueError(f"{kind} {chosen.name} has no field '{prefix}{field}'; {hint}")
        fields[field] = parse_value(hints[field], value, f"{prefix}{field}")
    try:
        return carry_over(current, chosen, **fields)
    except ValueError as error:
        raise ValueError(f"{prefix}{error}") from None


def _with_parts(current: tuple[Component, ...], given: dict[str, Any]) -> tuple[Component, ...]:
    """Removes `parts` and their tables from what is given, and returns the parts."""
    chosen = {part.name: part for part in current}
    if "parts" in given:
        names = parse_value(tuple[str, ...], given.pop("parts"), "parts")
        chosen = {name: chosen.get(name) or get_component("part", name)() for name in names}
        if len(chosen) < len(names):
            raise ValueError(f"parts={list(names)}: one is there twice")
    for name in {name.partition(".")[0] for name in given} & {*component_names("part")}:
        if name not in chosen:
            field = next(field for field in given if field.startswith(f"{name}."))
            names = " ".join([*chosen, name])
            raise ValueError(f"{field}: {name} is none of the parts; choose --parts {names}")
    return tuple(_with_table("part", name, part, given) for name, part in chosen.items())


def check_has_field(config: RunConfig, name: str) -> None:
    """Raises ValueError if a name is a component's field, but the chosen components lack it."""
    table = name.rpartition(".")[0]
    if table in (*KINDS, EVALUATION, *component_names("part")) and name not in list_fields(config):
        choose(config, {name: None})


def to_tables(config: RunConfig) -> dict[str, Any]:
    """Returns a configuration as the nested tables of a preset file."""
    found: dict[str, Any] = {}
    for name, value in list_fields(config).items():
        *parents, field = name.split(".")
        if not parents and name in train_fields():
            parents = [_TRAIN]
        table = found
        for parent in parents:
            table = table.setdefault(parent, {})
        table[field] = list(value) if isinstance(value, tuple) else value
    for part in config.train.parts:
        found.setdefault(part.name, {})
    return found


def flatten(
    table: Mapping[str, Any], path: str = "", *, has_ranges: bool = False
) -> Iterator[tuple[str, Any]]:
    """Yields the name and the entry of each field in nested tables; ValueError if one is none.

    In the tables of a search space an entry may be a range, itself a table.
    """
    for key, value in table.items():
        name = f"{path}{key}"
        if isinstance(value, Mapping) and not (has_ranges and _RANGE_ENDS & value.keys()):
            yield from flatten(value, "" if name == _TRAIN else f"{name}.", has_ranges=has_ranges)
        elif name in (*KINDS, _TRAIN, "evaluation", EVALUATION):
            raise ValueError(f"{name} must be a table of fields, not {value!r}")
        else:
            yield name, value


def describe_dropped(before: RunConfig, after: RunConfig) -> list[str]:
    """Returns a line on the fields that went with their components, if any was no default."""
    left = list_fields(after)
    dropped = ", ".join(name for name in changed_fields(before) if name not in left)
    return [f"left out, as the chosen components have no such fields: {dropped}"] * bool(dropped)

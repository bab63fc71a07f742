"""Flags of `azjax train` as one writes them, for values that a file of a run holds."""

from collections.abc import Mapping
from typing import Any

from azjax.config.fields import choose, chooses_component, list_fields
from azjax.config.presets import get_preset


def differing_fields(preset: str, stored: Mapping[str, Any]) -> dict[str, tuple[Any, Any]] | None:
    """Returns the fields that differ from a preset as it is today, each with the preset's value.

    Fields of other components than the preset's are compared with what they are without flags.
    It is None where the preset or a component is unknown here, as of a preset file.
    """
    own = {name: tuple(x) if isinstance(x, list) else x for name, x in stored.items()}
    try:
        config = get_preset(preset).config
        known = list_fields(choose(config, {x: own[x] for x in own if chooses_component(x)}))
    except ValueError:
        return None
    usual = known | {x: v for x, v in list_fields(config).items() if chooses_component(x)}
    usual |= {x: None for x in known.keys() - list_fields(config) if chooses_component(x)}
    return {x: (own[x], usual[x]) for x in known if x in own and own[x] != usual[x]}


def as_flags(fields: Mapping[str, Any]) -> list[str]:
    """Returns the flags that give fields these values; None has no flag."""
    words = []
    for name, value in fields.items():
        table, dot, field = name.replace("_", "-").rpartition(".")
        if isinstance(value, bool):
            words.append(f"--{table}{dot}{'' if value else 'no-'}{field}")
        elif value is not None:
            values = value if isinstance(value, list | tuple) else [value]
            words += [f"--{table}{dot}{field}", *map(str, values)]
    return words


def shown_value(value: Any) -> str:
    """Returns the value of a field as one reads it."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)

"""How tyro reads the fields of a dataclass: types in words, registered names, help on one line."""

import dataclasses
import functools
import inspect
import pathlib
import types
import typing
from typing import Annotated, Any, NamedTuple

import tyro
from tyro._docstrings import get_field_docstring
from tyro.constructors import (
    ConstructorRegistry,
    PrimitiveConstructorSpec,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from azjax.config.fields import EVALUATION, SIMULATIONS, flatten, list_fields, tables, with_fields
from azjax.config.run_config import RunConfig
from azjax.support.component import Component
from azjax.support.errors import input_errors
from azjax.support.registry import registry
from azjax.training import TrainConfig

_SIMPLE = (int, float, str, pathlib.Path)
_METAVARS = {int: "INTEGER", float: "NUMBER", pathlib.Path: "PATH"}
_TYPES_IN_WORDS = {int: "a whole number", float: "a number"}


class NameOf(NamedTuple):
    """Marks a text that names something registered, which help lists: `NameOf("search")`."""

    kind: str


def flag_registry() -> ConstructorRegistry:
    """Returns the rules by which dataclasses are made from flags."""
    registry = ConstructorRegistry()
    registry.struct_rule(_struct_spec)
    return registry


def number(kind: type, word: str) -> Any:
    """Returns the number in a word of the command line; raises ValueError for another word."""
    try:
        return kind(word)
    except ValueError:
        raise ValueError(f"{word or repr(word)}: must be {_TYPES_IN_WORDS[kind]}") from None


def _struct_spec(info: StructTypeInfo) -> StructConstructorSpec | None:
    kind: Any = info.type
    if kind is RunConfig:
        has_default = isinstance(info.default, RunConfig)
        return _run_config_spec(info.default if has_default else RunConfig())
    if kind is _EvaluationSearch:
        return _table_spec(info.default.component, without=(SIMULATIONS,))
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        return None
    if issubclass(kind, Component):
        return _table_spec(info.default)
    hints, helps = typing.get_type_hints(kind, include_extras=True), _helps(kind)
    fields = []
    for field in dataclasses.fields(kind):
        default = _default(field, info.default if isinstance(info.default, kind) else None)
        fields.append(_field_spec(field.name, hints[field.name], default, helps))
    return StructConstructorSpec(functools.partial(_make, kind), tuple(fields))


class _EvaluationSearch(NamedTuple):
    component: Any  # without its simulations, which are a field of the run


def _run_config_spec(config: RunConfig) -> StructConstructorSpec:
    """Returns how a configuration is made: of its own fields, and of a table for each component."""
    values = list_fields(config)
    hints: dict[str, Any] = typing.get_type_hints(TrainConfig) | typing.get_type_hints(RunConfig)
    helps = _helps(TrainConfig, RunConfig)
    hints["parts"] = Annotated[tuple[str, ...], NameOf("part")]
    own = {name: value for name, value in values.items() if "." not in name}
    fields = [_field_spec(name, hints[name], value, helps) for name, value in own.items()]
    for name, component in tables(config).items():
        table = _EvaluationSearch(component) if name == EVALUATION else component
        fields.append(StructFieldSpec(name, type(table), table, _help_of(component)))

    def make(**given: Any) -> RunConfig:
        with input_errors():
            return with_fields(config, dict(flatten(given)))

    return StructConstructorSpec(make, tuple(fields))


def _help_of(component: Component) -> str:
    """Returns the first paragraph of a component's docstring."""
    kind = type(component)
    text = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0]
    is_generated = text.startswith(f"{kind.__name__}(")  # by `dataclass`, of the fields
    return "" if is_generated else " ".join(text.split())


def _table_spec(component: Component, without: tuple[str, ...] = ()) -> StructConstructorSpec:
    """Returns how the fields of a component are read; they stay a table, by its names."""
    kind = type(component)
    names = [] if kind.kind == "part" else ["name"]
    hints: dict[str, Any] = typing.get_type_hints(kind, include_extras=True)
    hints |= {"name": Annotated[str, NameOf(kind.kind)]}  # in place of the class variable
    docstrings = _helps(kind)  # type: ignore[arg-type]  # classes are hashable
    helps = docstrings | {"name": f"The {kind.kind} by its name."}
    names += [field.name for field in dataclasses.fields(kind) if field.name not in without]
    fields = [_field_spec(name, hints[name], getattr(component, name), helps) for name in names]
    return StructConstructorSpec(dict, tuple(fields))


def _field_spec(name: str, hint: Any, default: Any, helps: dict[str, str]) -> StructFieldSpec:
    return StructFieldSpec(name, _flag_type(name, hint, default), default, helps[name])


def _make(kind: type, **fields: object) -> object:
    """Returns an instance; raises InputError where it is not valid, which tyro lets through."""
    with input_errors():
        return kind(**fields)


def _default(field: dataclasses.Field[Any], instance: object | None) -> Any:
    """Returns the value of a field in the instance, or its default where there is no instance."""
    if instance is not None:
        return getattr(instance, field.name)
    if callable(field.default_factory):
        return field.default_factory()
    return tyro.MISSING_NONPROP if field.default is dataclasses.MISSING else field.default


def _flag_type(name: str, hint: Any, default: Any) -> Any:
    """Returns the type of a field for tyro, with what its flag shows and how its words are read."""
    bare, *marks = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    container = typing.get_origin(bare) if typing.get_origin(bare) in (list, tuple) else None
    is_optional = types.NoneType in typing.get_args(bare)
    kind = typing.get_args(bare)[0] if container or is_optional else bare
    if kind not in _SIMPLE:
        return hint
    names = [registry(mark.kind).names() for mark in marks if isinstance(mark, NameOf)]
    metavar = f"{{{','.join(names[0])}}}" if names else _METAVARS.get(kind, name.upper())
    spec = _spec(kind, metavar, container, is_optional=is_optional)
    if default is None or (container and default is tyro.MISSING_NONPROP):
        return Annotated[hint, spec, tyro.conf.arg(help_behavior_hint="")]  # no "(default: None)"
    return Annotated[hint, spec]


def _spec(
    kind: type, metavar: str, container: type | None, *, is_optional: bool
) -> PrimitiveConstructorSpec[Any]:
    """Returns how a word, or any number of words for a container, is read and shown."""

    def read(words: list[str]) -> Any:
        values = [number(kind, word) if kind in _TYPES_IN_WORDS else kind(word) for word in words]
        return container(values) if container else values[0]

    def show(value: Any) -> list[str]:
        values = value if container else [value]
        return [f"{value:g}" if isinstance(value, float) else str(value) for value in values]

    return PrimitiveConstructorSpec(
        nargs="*" if container else 1,
        metavar=f"{metavar} ..." if container else metavar,
        instance_from_str=lambda words: None if is_optional and words == ["None"] else read(words),
        is_instance=lambda value: (
            isinstance(value, container or kind) or (is_optional and value is None)
        ),
        str_from_instance=show,
    )


@functools.cache
def _helps(*kinds: type) -> dict[str, str]:
    """Returns the string below each field, on one line; empty where there is none."""
    found = {}
    for kind in kinds:
        for name in typing.get_type_hints(kind):
            found[name] = " ".join((get_field_docstring(kind, name, ()) or "").split())
    return found

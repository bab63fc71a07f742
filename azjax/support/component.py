"""Components: what a user chooses by name, each a table of its own options and numbers.

A component is a frozen dataclass in one file. Its fields of type float are its *numbers*: leaves of
a pytree, so they may be traced, and the members of a population may differ in them. All other
fields are its *options*: they are part of the tree's structure, so static under `jit`. The methods
of a component are its hooks, and read both alike: `self.value_scale`, `self.num_simulations`.
"""

import dataclasses
import functools
import typing
from typing import Annotated, Any, ClassVar, Self

import jax

from azjax.support.ranges import Off, Range


@dataclasses.dataclass(frozen=True)
class Component:
    """The base of all components.

    Subclasses are frozen dataclasses whose fields all have defaults. The string below a field is
    the help of its flag; a `Range` in its annotation makes a number sweepable.

    Attributes:
      kind: What it is, such as `search`; set by the base class of the kind.
      name: Its name in presets and flags; empty for a base class, which cannot be chosen.
      version: Changes when what it does changes, or a field changes its meaning.
    """

    kind: ClassVar[str]
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Makes the subclass a pytree."""
        super().__init_subclass__(**kwargs)
        unflatten = functools.partial(_unflatten, cls)
        jax.tree_util.register_pytree_with_keys(cls, _flatten_with_keys, unflatten)

    def __post_init__(self) -> None:
        """Checks the fields; numbers that are arrays, such as traced ones, are not checked."""
        numbers = {name: getattr(self, name) for name in number_fields(type(self))}
        for name, value in numbers.items():
            if isinstance(value, int):
                object.__setattr__(self, name, float(value))
        if all(isinstance(value, float | int) for value in numbers.values()):
            self.check()

    def check(self) -> None:
        """Raises ValueError if a field is out of range; the message begins with its name."""

    def without_noise(self) -> Self:
        """Returns the component for play at full strength: numbers marked `Off` have its value."""
        off = marks(type(self), Off)
        return dataclasses.replace(self, **{name: mark.value for name, mark in off.items()})


def number_fields(kind: type[Component]) -> tuple[str, ...]:
    """Returns the names of a component's numbers, its fields of type float."""
    return _number_fields(kind)  # type: ignore[arg-type]  # classes are hashable


@functools.cache
def _number_fields(kind: Any) -> tuple[str, ...]:
    hints = typing.get_type_hints(kind)
    return tuple(field.name for field in dataclasses.fields(kind) if hints[field.name] is float)


def ranges(kind: type[Component]) -> dict[str, Range]:
    """Returns field name to range for the numbers of a component that declare one."""
    return marks(kind, Range)


def marks(kind: type[Component], mark: type) -> dict[str, Any]:
    """Returns field name to mark for the fields of a component whose annotation has one."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {
        field.name: note
        for field in dataclasses.fields(kind)
        if typing.get_origin(hints[field.name]) is Annotated
        for note in typing.get_args(hints[field.name])[1:]
        if isinstance(note, mark)
    }


def carry_over(component: Component, chosen: type[Component], **changes: Any) -> Any:
    """Returns a component of another class, with the values of the fields that both have.

    Some of them may be changed. Raises ValueError if a value is out of range.
    """
    names = {field.name for field in dataclasses.fields(component)}
    shared = names & {field.name for field in dataclasses.fields(chosen)}
    values = {name: getattr(component, name) for name in shared}
    return chosen(**(values | changes))


def structure(component: Component) -> jax.tree_util.PyTreeDef:
    """Returns what a program is compiled for: a component's options, and all but its numbers."""
    return jax.tree.structure(component)


def _flatten_with_keys(component: Component) -> tuple[Any, Any]:
    """Returns the fields that are leaves or subtrees; and their names, and the static fields."""
    numbers = number_fields(type(component))
    names, children, static = [], [], []
    for field in dataclasses.fields(component):
        name, value = field.name, getattr(component, field.name)
        if name in numbers or _is_tree(value):
            names.append(name)
            children.append((jax.tree_util.GetAttrKey(name), value))
        else:
            static.append((name, value))
    return tuple(children), (tuple(names), tuple(static))


def _is_tree(value: Any) -> bool:
    """Tells whether a value is a component, or a tuple of components."""
    items = value if isinstance(value, tuple) else (value,)
    return bool(items) and all(isinstance(item, Component) for item in items)


def _unflatten(kind: type[Component], names: Any, children: Any) -> Component:
    """Returns a component without checks: its numbers may be arrays, or anything else."""
    dynamic, static = names
    component = object.__new__(kind)
    for name, value in (*zip(dynamic, children, strict=True), *static):
        object.__setattr__(component, name, value)
    return component

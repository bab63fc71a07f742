"""Components: what a user chooses by name, each a table of its own options and numbers.

A component is a frozen dataclass in one file. Its fields of type float are its *numbers*: leaves of
a pytree, so they may be traced, and the members of a population may differ in them. All other
fields are its *options*: they are part of the tree's structure, so static under `jit`. The methods
of a component are its hooks, and read both alike: `self.value_scale`, `self.num_simulations`.
"""

import dataclasses
import difflib
import functools
import inspect
import typing
from typing import Annotated, Any, ClassVar, Self, TypeVar

import jax

from azjax.support.ranges import Off, Range
from azjax.support.registry import calling_module, is_builtin, registry

# Tables and fields of presets and of files of runs: a part of such a name would hide them.
RESERVED = frozenset(
    {"train", "network", "search", "algorithm", "optimizer", "evaluation", "parts", "game"}
    | {"num_games", "num_moves", "replay_moves", "replay", "num_updates", "batch_size"}
    | {"symmetries", "deterministic", "ema_decay", "evaluate_every", "evaluation_simulations"}
    | {"versions", "stop_when_perfect", "summary", "minutes", "iterations", "changed"}
)


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


ComponentT = TypeVar("ComponentT", bound=type[Component])


def register(component: ComponentT) -> ComponentT:
    """Registers a component under its name, which presets and flags then take; returns it.

    Raises:
      ValueError: The name is missing or taken, it is no frozen dataclass, a field has no default,
        or the name of a method is like a hook's.
    """
    if not (isinstance(component, type) and issubclass(component, Component)):
        raise ValueError(f"{component!r} is no Component: derive it from Search, Part or another")
    kind, name = component.kind, component.name
    if not name:
        raise ValueError(f"{component.__name__} has no name: write name = '...' in its class")
    if kind == "part" and (name in RESERVED or not name.isidentifier()):
        raise ValueError(f"part {name!r}: choose another name; it must be a new one, as in my_part")
    _check_fields(component, f"{kind} {name}")
    module = calling_module()
    if not is_builtin(module):
        _check_methods(component, f"{kind} {name}")
    registry(kind).register(name, component, module)
    return component


def get_component(kind: str, name: str) -> Any:
    """Returns the class of a kind and a name; raises ValueError, with the nearest, for no name."""
    return registry(kind).get(name)


def component_names(kind: str) -> list[str]:
    """Returns the names of the components of a kind, in the order of registration."""
    return registry(kind).names()


def plugin_of(component: Component) -> str | None:
    """Returns the module outside azjax that registered a component; None if it is built in."""
    return registry(component.kind).plugin(component.name)


def number_fields(kind: type[Component]) -> tuple[str, ...]:
    """Returns the names of a component's numbers, its fields of type float."""
    return _number_fields(kind)  # type: ignore[arg-type]  # classes are hashable


@functools.cache
def _number_fields(kind: Any) -> tuple[str, ...]:
    hints = typing.get_type_hints(kind)
    return tuple(field.name for field in dataclasses.fields(kind) if hints[field.name] is float)


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


def _check_fields(component: type[Component], what: str) -> None:
    if "__dataclass_fields__" not in vars(component) or component.__hash__ is None:
        raise ValueError(f"{what}: {component.__name__} must be a dataclass(frozen=True)")
    for field in dataclasses.fields(component):
        if field.default is field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{what}: field {field.name} needs a default")
    for name in marks(component, Range):
        if name not in number_fields(component):
            raise ValueError(f"{what}: field {name} has a Range, so it must be a float")


def _check_methods(component: type[Component], what: str) -> None:
    """Raises ValueError for a new public method whose name is like a hook's: nothing calls it."""
    base = component.__mro__[1]
    hooks = [name for name in dir(base) if callable(getattr(base, name)) and name[0] != "_"]
    for name, member in vars(component).items():
        is_new = inspect.isfunction(member) and name[0] != "_" and name not in hooks
        for hook in difflib.get_close_matches(name, hooks, n=1) if is_new else ():
            raise ValueError(
                f"{what}: no hook {name!r}, did you mean {hook!r}? Name other methods _{name}"
            )


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

"""The components by kind and name. `register` adds one, built in or a researcher's own."""

import dataclasses
import difflib
import inspect
from typing import Any, TypeVar

from azjax.support.component import Component, marks, number_fields
from azjax.support.ranges import Range
from azjax.support.registry import calling_module, is_builtin, registry

ComponentT = TypeVar("ComponentT", bound=type[Component])

# Tables and fields of presets and of files of runs: a part of such a name would hide them.
RESERVED = frozenset(
    {"train", "network", "search", "algorithm", "optimizer", "evaluation", "parts", "game", "games"}
    | {"num_games", "num_moves", "replay_moves", "num_updates", "batch_size", "symmetries"}
    | {"deterministic", "ema_decay", "evaluate_every", "evaluation_simulations", "versions"}
    | {"stop_when_perfect", "summary", "minutes", "iterations", "changed"}
)


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
                f"{what}: no hook is named {name!r}, did you mean {hook!r}? Begin the name of a "
                "method that is no hook with _"
            )

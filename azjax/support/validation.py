"""Checks of configurations: the same message for the same mistake.

A field is named like its flag, such as `search.num_simulations`.
"""

import math
from collections.abc import Sequence


def check_at_least(name: str, value: float, minimum: float) -> None:
    """Raises ValueError if a value is below the minimum, or NaN."""
    if not value >= minimum:
        raise ValueError(f"{name}={value}: must be at least {minimum}")


def check_size(name: str, value: int, minimum: int, maximum: int) -> None:
    """Raises ValueError if a size is out of its range.

    The maximum is far above any use. It ends a configuration of a damaged or crafted file before
    anything of that size is traced or allocated.
    """
    check_at_least(name, value, minimum)
    if value > maximum:
        raise ValueError(f"{name}={value}: must be at most {maximum}")


def check_even(name: str, value: int, minimum: int) -> None:
    """Raises ValueError unless a number is even, and not below the minimum."""
    if value < minimum or value % 2:
        raise ValueError(f"{name}={value}: must be even and at least {minimum}")


def check_multiple(name: str, value: int, other: str, divisor: int) -> None:
    """Raises ValueError unless a number is a multiple of the value of another field."""
    if value % divisor:
        raise ValueError(f"{name}={value}: must be a multiple of {other}={divisor}")


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raises ValueError unless a value is in a range, both ends included."""
    if not low <= value <= high:
        raise ValueError(f"{name}={value}: must be from {low} to {high}")


def check_above(name: str, value: float, bound: float) -> None:
    """Raises ValueError unless a value is above the bound, and finite."""
    if not bound < value < math.inf:
        raise ValueError(f"{name}={value}: must be above {bound}, and finite")


def check_number(name: str, value: float) -> None:
    """Raises ValueError unless a value is a finite number, 0 or above."""
    if not 0 <= value < math.inf:
        raise ValueError(f"{name}={value}: must be a number from 0 up")


def check_share(name: str, value: float) -> None:
    """Raises ValueError unless a value is a share, from 0 to 1, both included."""
    check_range(name, value, 0, 1)


def check_decay(name: str, value: float) -> None:
    """Raises ValueError unless a value is a decay rate, from 0 to below 1."""
    if not 0 <= value < 1:
        raise ValueError(f"{name}={value}: must be from 0 to below 1")


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raises ValueError if a value is none of the choices, of which there are at least two."""
    if value not in choices:
        raise ValueError(f"{name}={value!r}: must be {', '.join(choices[:-1])} or {choices[-1]}")


def check_distinct(name: str, values: Sequence[str]) -> None:
    """Raises ValueError if a list names something twice."""
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{name}: {value!r} is there twice")


def check_seed(seed: int) -> None:
    """Raises ValueError if a seed is out of the range that JAX supports."""
    check_range("seed", seed, 0, 2**32 - 1)


def check_seeds(seed: int, seeds: int) -> None:
    """Raises ValueError unless there are seeds, from the first on, all in JAX's range."""
    check_at_least("seeds", seeds, 1)
    check_seed(seed)
    check_seed(seed + seeds - 1)

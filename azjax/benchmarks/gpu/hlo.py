"""Compiled programs as text: the computations of an HLO module, and their instructions."""

import math
import re
from typing import NamedTuple

_BITS = {"pred": 8, "bf16": 16, "c64": 64, "c128": 128}  # else the digits of the name, as in f32
_ARRAY = re.compile(r"\b(pred|bf16|[sucf]\d+|f8\w+)\[([\d,]*)\]")
_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{$")
_RESULT = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = ")
_NUM_TURNS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")


class Array(NamedTuple):
    """The type and the sizes of an array."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def num_bytes(self) -> int:
        """Its size in memory; bits are stored as bytes."""
        bits = _BITS.get(self.dtype) or int(re.sub(r"\D+", " ", self.dtype).split()[0])
        return math.prod(self.shape) * max(bits, 8) // 8


class Instruction(NamedTuple):
    """One instruction of a computation."""

    name: str
    opcode: str  # as in the text, such as fusion
    results: tuple[Array, ...]  # of a tuple all of them
    operands: tuple[str, ...]  # names in the same computation; of a parameter its number
    attributes: str  # what follows the operands

    def called(self, attribute: str) -> str | None:
        """Returns the name of the computation that an attribute gives, such as body."""
        found = re.search(rf"\b{attribute}=%?([\w.\-]+)", self.attributes)
        return found[1] if found else None

    @property
    def branches(self) -> tuple[str, ...]:
        """The computations of which a conditional runs one."""
        found = _BRANCHES.search(self.attributes)
        if found:
            return tuple(name.strip().lstrip("%") for name in found[1].split(","))
        branches = self.called("true_computation"), self.called("false_computation")
        return tuple(name for name in branches if name)

    @property
    def num_turns(self) -> int | None:
        """The turns of a loop if XLA knows them, else None: they depend on data."""
        found = _NUM_TURNS.search(self.attributes)
        return int(found[1]) if found else None

    @property
    def target(self) -> str:
        """The function that a custom call calls, else an empty text."""
        found = re.search(r'custom_call_target="([^"]+)"', self.attributes)
        return found[1] if found else ""


class Module(NamedTuple):
    """An HLO module: instructions by the name of their computation."""

    entry: str
    computations: dict[str, tuple[Instruction, ...]]


def parse_module(text: str) -> Module:
    """Parses the text of a compiled module.

    Raises:
      ValueError: It has no entry computation.
    """
    computations: dict[str, list[Instruction]] = {}
    entry, current = "", None
    for line in text.splitlines():
        head = _COMPUTATION.match(line)
        if head:
            current = computations.setdefault(head[2], [])
            entry = head[2] if head[1] else entry
        elif line.startswith("}"):
            current = None
        elif current is not None and (result := _RESULT.match(line)):
            current.append(_parse_instruction(result[1], line[result.end() :]))
    if not entry:
        raise ValueError("the module has no entry computation")
    return Module(entry, {name: tuple(lines) for name, lines in computations.items()})


def parse_arrays(text: str) -> tuple[Array, ...]:
    """Returns the arrays of a type as text, such as (f32[2,3]{1,0}, s32[])."""
    return tuple(
        Array(dtype, tuple(int(size) for size in sizes.split(",") if size))
        for dtype, sizes in _ARRAY.findall(text)
    )


def _parse_instruction(name: str, rest: str) -> Instruction:
    """Parses `TYPE OPCODE(OPERANDS), ATTRIBUTES`; the type of a tuple is in parentheses."""
    type_end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.index(" ")
    opening = rest.index("(", type_end)
    closing = _closing(rest, opening)
    opcode, arguments = rest[type_end:opening].strip(), rest[opening + 1 : closing]
    is_number = opcode == "parameter"
    operands = (arguments,) if is_number else tuple(re.findall(r"%([\w.\-]+)", arguments))
    return Instruction(name, opcode, parse_arrays(rest[:type_end]), operands, rest[closing + 1 :])


def _closing(text: str, opening: int) -> int:
    """Returns the index of the parenthesis that closes the one at `opening`."""
    depth = 0
    for index in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise ValueError(f"no closing parenthesis: {text}")

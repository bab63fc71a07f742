"""The loops of a program that XLA has compiled for a GPU, and the kernels that a turn launches."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["convolution", "product", "collective", "other"]

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{$")
# `%name = TYPE OPCODE(`: a type has no word between a space and a parenthesis.
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = .*?\s([a-z][\w\-]*)\((.*)$")
_NUM_TURNS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
_TARGET = re.compile(r'custom_call_target="([^"]+)"')
_NAMES = re.compile(r"[\w.\-]+")
_COLLECTIVES = {*("all-reduce", "all-gather", "reduce-scatter", "collective-permute", "all-to-all")}
_NO_LAUNCH = {
    *("parameter", "get-tuple-element", "tuple", "bitcast", "constant", "while", "conditional"),
    *("call", "after-all", "partition-id", "replica-id", "opt-barrier"),
}


class Instruction(NamedTuple):
    """One instruction of a computation."""

    opcode: str  # as in the text, such as fusion
    rest: str  # its operands and attributes

    def called(self, attribute: str) -> str:
        """Returns the name of the computation that an attribute gives, such as body; else ""."""
        found = re.search(rf"\b{attribute}=%?([\w.\-]+)", self.rest)
        return found[1] if found else ""

    @property
    def branches(self) -> list[str]:
        """The computations of which a conditional runs one."""
        if found := re.search(r"branch_computations=\{([^}]*)\}", self.rest):
            return _NAMES.findall(found[1])
        return [self.called("true_computation"), self.called("false_computation")]


Computations = dict[str, list[Instruction]]  # of a compiled program, by name


class Kernel(NamedTuple):
    """One launch."""

    kind: Kind
    is_grouped: bool  # a convolution in groups
    is_fused: bool  # a convolution with bias and activation


class Counts(NamedTuple):
    """The launches of a region and all inside it."""

    kernels: int = 0
    convolutions: int = 0  # of the kernels
    fused_convolutions: int = 0  # with bias and activation
    products: int = 0
    collectives: int = 0
    waits: int = 0  # of the host, for a number that the GPU has computed

    def plus(self, other: "Counts", times: int = 1) -> "Counts":
        """Returns the sum with a number of others."""
        return Counts(*(own + times * more for own, more in zip(self, other, strict=True)))


class Region(NamedTuple):
    """The program, a loop, a choice of branches or a branch; its kernels are of one turn."""

    kind: Literal["program", "loop", "choice", "branch"]
    kernels: tuple[Kernel, ...]
    inner: tuple["Region", ...]  # in the order of the program
    num_turns: int | None = 1  # None if they depend on data

    def walk(self) -> Iterator["Region"]:
        """Yields the region and all inside it."""
        yield self
        for region in self.inner:
            yield from region.walk()

    def of_a_turn(self) -> Counts:
        """Returns what one turn launches."""
        kinds = [kernel.kind for kernel in self.kernels]
        counts = Counts(
            kernels=len(kinds),
            convolutions=kinds.count("convolution"),
            fused_convolutions=sum(kernel.is_fused for kernel in self.kernels),
            products=kinds.count("product"),
            collectives=kinds.count("collective"),
        )
        for region in self.inner:
            counts = counts.plus(region.total())
        return counts

    def total(self) -> Counts:
        """Returns what all turns launch: of a choice its largest branch, of a loop over data one.

        The host waits for what decides how a choice or a loop over data goes on.
        """
        if self.kind == "choice":
            branches = [branch.total() for branch in self.inner]
            return Counts(waits=1).plus(max(branches, default=Counts()))
        if self.num_turns is None:
            return self.of_a_turn().plus(Counts(waits=1))
        return Counts().plus(self.of_a_turn(), self.num_turns)


def read_program(text: str) -> Region:
    """Returns a compiled program, given as text, as a tree of its loops and choices.

    Raises:
      ValueError: It has no entry computation.
    """
    computations: Computations = {}
    entry, current = "", []
    for line in text.splitlines():
        if head := _COMPUTATION.match(line):
            current = computations.setdefault(head[2], [])
            entry = head[2] if head[1] else entry
        elif found := _INSTRUCTION.match(line):
            current.append(Instruction(*found.groups()))
    if not entry:
        raise ValueError("the module has no entry computation")
    return _read(computations, entry, "program")


def find_simulation(program: Region, num_turns: int) -> Region:
    """Returns the loop over the simulations of a search: the largest that evaluates a network.

    A loop around another one of as many turns that does is not it.

    Raises:
      ValueError: No loop has so many turns.
    """

    def may_be(region: Region) -> bool:
        counts = region.of_a_turn()
        return region.num_turns == num_turns and counts.convolutions + counts.products > 0

    found = [each for each in program.walk() if may_be(each)]
    innermost = [each for each in found if sum(map(may_be, each.walk())) == 1]
    if not innermost:
        raise ValueError(f"the program has no loop of {num_turns} turns with a network")
    return max(innermost, key=Region.of_a_turn)


def outline(region: Region, depth: int = 0) -> list[str]:
    """Returns the program as an indented list: a line for each loop, choice and branch."""
    lines = [] if region.kind == "choice" else ["  " * depth + _line(region)]
    for inner in region.inner:
        lines += outline(inner, depth + (region.kind != "choice"))
    return lines


def _line(region: Region) -> str:
    turns = f" of {region.num_turns} turns" if region.num_turns else " over data"
    name = region.kind + turns * (region.kind == "loop")
    kinds = sorted(kernel.kind for kernel in region.kernels)
    parts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    grouped = sum(kernel.is_grouped for kernel in region.kernels)
    return f"{name}: {len(kinds)} kernels ({parts})" + (f", {grouped} GROUPED" if grouped else "")


def _read(
    computations: Computations, name: str, kind: Literal["program", "loop", "branch"]
) -> Region:
    launches = (each for each in computations[name] if _is_launch(each.opcode))
    kernels = (_read_kernel(computations, each) for each in launches)
    return Region(kind, tuple(kernels), tuple(_inner(computations, name)))


def _inner(computations: Computations, name: str) -> Iterator[Region]:
    for each in computations[name]:
        if each.opcode == "while":
            turns = _NUM_TURNS.search(each.rest)
            loop = _read(computations, each.called("body"), "loop")
            yield loop._replace(num_turns=int(turns[1]) if turns else None)
        elif each.opcode == "conditional":
            branches = (_read(computations, name, "branch") for name in each.branches)
            yield Region("choice", (), tuple(branches))
        elif each.opcode == "call":
            yield _read(computations, each.called("to_apply"), "branch")


def _is_launch(opcode: str) -> bool:
    return opcode not in _NO_LAUNCH and not opcode.endswith("-done")


def _read_kernel(computations: Computations, instruction: Instruction) -> Kernel:
    body = computations.get(instruction.called("calls"), [])
    target = (_TARGET.findall(instruction.rest) or [""])[0]  # of a custom call
    opcodes = {instruction.opcode.removesuffix("-start"), *(each.opcode for each in body)}
    kind: Kind = "other"
    if target.startswith("__cudnn$conv") or "convolution" in opcodes:
        kind = "convolution"
    elif target.startswith("__cublas") or "dot" in opcodes:
        kind = "product"
    elif opcodes & _COLLECTIVES:
        kind = "collective"
    return Kernel(
        kind,
        "feature_group_count=" in instruction.rest,
        target == "__cudnn$convBiasActivationForward",
    )

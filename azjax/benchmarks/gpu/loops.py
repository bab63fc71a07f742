"""The loops of a compiled program, with the kernels that each turn launches."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from azjax.benchmarks.gpu.hlo import Instruction, Module
from azjax.benchmarks.gpu.kernels import Kernel, read_kernels


class Region(NamedTuple):
    """The program, a loop, a choice of branches or a branch; its kernels are of one turn."""

    kind: Literal["program", "loop", "choice", "branch"]
    kernels: tuple[Kernel, ...]
    inner: tuple["Region", ...]  # in the order of the program
    num_turns: int | None = 1  # None if they depend on data
    condition: tuple[Kernel, ...] = ()  # of such a loop, launched once more than its turns

    @property
    def waits_for_data(self) -> bool:
        """Whether the host waits for what decides how the region goes on."""
        return self.num_turns is None or self.kind == "choice"

    def walk(self) -> Iterator["Region"]:
        """Yields the region and all inside it."""
        yield self
        for region in self.inner:
            yield from region.walk()


def read_program(module: Module) -> Region:
    """Returns the program as a tree of its loops and choices."""
    return _read(module, module.entry, "program")


def _read(module: Module, computation: str, kind: Literal["program", "loop", "branch"]) -> Region:
    instructions = module.computations[computation]
    return Region(kind, read_kernels(module, computation), tuple(_inner(module, instructions)))


def _inner(module: Module, instructions: tuple[Instruction, ...]) -> Iterator[Region]:
    for instruction in instructions:
        if instruction.opcode == "while":
            yield _read_loop(module, instruction)
        elif instruction.opcode == "conditional":
            branches = tuple(_read(module, name, "branch") for name in instruction.branches)
            yield Region("choice", (), branches)
        elif instruction.opcode == "call":
            yield _read(module, instruction.called("to_apply") or "", "branch")


def _read_loop(module: Module, instruction: Instruction) -> Region:
    body, condition = instruction.called("body") or "", instruction.called("condition") or ""
    loop = _read(module, body, "loop")
    turns = instruction.num_turns
    kernels = () if turns is not None else read_kernels(module, condition)
    return loop._replace(num_turns=turns, condition=kernels)

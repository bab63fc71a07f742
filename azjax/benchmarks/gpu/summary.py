"""What decides how fast a compiled loop of training is on a GPU, in few numbers."""

from typing import NamedTuple

from azjax.benchmarks.gpu.estimate import Costs, Totals, total, total_turn
from azjax.benchmarks.gpu.loops import Region


class Summary(NamedTuple):
    """The figures of one program."""

    simulation: Totals  # of one simulation of all games
    iteration: Totals  # of the whole program
    fused_convolutions: int  # of a simulation, with bias and activation
    grouped_convolutions: int  # in the text of the program
    temporary_bytes: int


def summarise(program: Region, num_turns: int, temporary_bytes: int, costs: Costs) -> Summary:
    """Returns the figures of a program whose search is a loop of a number of turns.

    Raises:
      ValueError: No loop of the program has as many turns.
    """
    simulation = find_simulation(program, num_turns, costs)
    kernels = [kernel for region in program.walk() for kernel in region.kernels]
    return Summary(
        total_turn(simulation, costs),
        total(program, costs),
        sum(kernel.is_fused for kernel in simulation.kernels),
        sum(kernel.is_grouped for kernel in kernels),
        temporary_bytes,
    )


def find_simulation(program: Region, num_turns: int, costs: Costs) -> Region:
    """Returns the loop over the simulations of a search: of those of as many turns the slowest.

    A loop around another one of as many turns is not it.

    Raises:
      ValueError: There is none.
    """

    def count(region: Region) -> int:
        return sum(inner.num_turns == num_turns for inner in region.walk())

    loops = [each for each in program.walk() if each.num_turns == num_turns and count(each) == 1]
    if not loops:
        raise ValueError(f"the program has no loop of {num_turns} turns")
    return max(loops, key=lambda loop: total_turn(loop, costs).seconds)

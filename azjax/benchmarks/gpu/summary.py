"""What decides how fast a compiled loop of training is on a GPU, in few numbers."""

from typing import NamedTuple

from azjax.benchmarks.gpu.estimate import Costs, Totals, total, total_turn
from azjax.benchmarks.gpu.loops import Region
from azjax.benchmarks.gpu.memory import Memory


class Summary(NamedTuple):
    """The figures of one program."""

    simulation: Totals  # of one simulation of all games
    iteration: Totals  # of self-play and learning
    fused_convolutions: int  # of a simulation, with bias and activation
    grouped_convolutions: int  # in the text of the program
    memory: Memory


def summarize(program: Region, num_turns: int, memory: Memory, costs: Costs) -> Summary:
    """Returns the figures of a program whose search is a loop of a number of turns.

    Raises:
      ValueError: No loop of the program has as many turns.
    """
    simulation = find_simulation(program, num_turns, costs)
    return Summary(
        total_turn(simulation, costs),
        total(program, costs),
        sum(kernel.is_fused for region in simulation.walk() for kernel in region.kernels),
        sum(kernel.is_grouped for region in program.walk() for kernel in region.kernels),
        memory,
    )


def find_simulation(program: Region, num_turns: int, costs: Costs) -> Region:
    """Returns the loop over the simulations of a search, the slowest that evaluates a network.

    A loop around another one of as many turns that does is not it.

    Raises:
      ValueError: There is none.
    """

    def may_be(region: Region) -> bool:
        return region.num_turns == num_turns and total_turn(region, costs).flops > 0

    found = [each for each in program.walk() if may_be(each)]
    innermost = [each for each in found if sum(map(may_be, each.walk())) == 1]
    if not innermost:
        raise ValueError(f"the program has no loop of {num_turns} turns with a network")
    return max(innermost, key=lambda loop: total_turn(loop, costs).seconds)

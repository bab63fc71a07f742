"""An estimate of time: a launch takes what its bytes, its products or launching it takes."""

from collections.abc import Iterable
from typing import NamedTuple

from azjax.benchmarks.gpu.kernels import Kernel
from azjax.benchmarks.gpu.loops import Region


class Costs(NamedTuple):
    """What is assumed of the GPU and its host; of an H100, with a part of its peaks reached.

    The part that bfloat16 products reach fits what was measured on an H200, which has an H100's
    multiprocessors and faster memory (experiments/results/gpu.md); the rest was not measured.
    """

    launch_seconds: float = 3e-6
    wait_seconds: float = 15e-6  # of the host, for a number that the GPU has computed
    bytes_per_second: float = 0.75 * 3.35e12
    bfloat16_flops: float = 0.6 * 989e12  # dense, as the others
    tf32_flops: float = 0.6 * 494e12
    float32_flops: float = 0.5 * 67e12
    collective_seconds: float = 30e-6  # of a sum over GPUs, whatever its size
    link_bytes_per_second: float = 300e9  # of each GPU: NVLink within a host
    depth: int = 6  # the turns of a loop whose turns depend on data: levels of a search tree

    def seconds(self, kernel: Kernel) -> float:
        """Returns the seconds that a launch takes; a sum reads and writes what the links move."""
        if kernel.kind == "collective":
            return self.collective_seconds + kernel.num_bytes / self.link_bytes_per_second
        by_dtype = {
            "bf16": self.bfloat16_flops,
            "f16": self.bfloat16_flops,
            "tf32": self.tf32_flops,
        }
        flops = by_dtype.get(kernel.dtype, self.float32_flops)
        return max(
            self.launch_seconds, kernel.num_bytes / self.bytes_per_second, kernel.flops / flops
        )


ACROSS_HOSTS = Costs(collective_seconds=60e-6, link_bytes_per_second=40e9)  # 400 Gbit/s a GPU


class Totals(NamedTuple):
    """Sums over the launches of a region and all inside it."""

    kernels: int = 0
    convolutions: int = 0  # of the kernels
    waits: int = 0
    num_bytes: float = 0.0
    flops: float = 0.0
    seconds: float = 0.0
    collectives: int = 0  # of the kernels
    collective_bytes: float = 0.0  # read and written
    collective_seconds: float = 0.0

    def plus(self, other: "Totals", times: int = 1) -> "Totals":
        """Returns the sum with a number of others."""
        return Totals._make(own + times * more for own, more in zip(self, other, strict=True))


def total(region: Region, costs: Costs) -> Totals:
    """Returns the totals of all turns of a region; of a choice those of its slowest branch."""
    if region.kind == "choice":
        branches = [total(branch, costs) for branch in region.inner]
        slowest = max(branches, key=lambda totals: totals.seconds, default=Totals())
        return _wait(costs).plus(slowest)
    turns = costs.depth if region.num_turns is None else region.num_turns
    all_turns = Totals().plus(total_turn(region, costs), turns)
    if not region.waits_for_data:
        return all_turns
    condition = _sum(region.condition, costs).plus(_wait(costs))
    return all_turns.plus(condition, turns + 1)


def total_turn(region: Region, costs: Costs) -> Totals:
    """Returns the totals of one turn of a region."""
    totals = _sum(region.kernels, costs)
    for inner in region.inner:
        totals = totals.plus(total(inner, costs))
    return totals


def _sum(kernels: Iterable[Kernel], costs: Costs) -> Totals:
    totals = Totals()
    for kernel in kernels:
        convolutions = int(kernel.kind == "convolution")
        made = kernel.num_bytes, kernel.flops, costs.seconds(kernel)
        is_collective = kernel.kind == "collective"
        moved = (1, kernel.num_bytes, made[2]) if is_collective else ()
        totals = totals.plus(Totals(1, convolutions, 0, *made, *moved))
    return totals


def _wait(costs: Costs) -> Totals:
    return Totals(waits=1, seconds=costs.wait_seconds)

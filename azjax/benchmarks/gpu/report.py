"""The figures of programs as tables and as JSON."""

from collections.abc import Iterable

from azjax.benchmarks.gpu.estimate import Costs
from azjax.benchmarks.gpu.loops import Region
from azjax.benchmarks.gpu.memory import Memory
from azjax.benchmarks.gpu.summary import Summary

Figures = dict[str, int | float]


def figures_of(summary: Summary) -> Figures:
    """Returns the figures that a budget is set for."""
    return {
        "kernels_per_simulation": summary.simulation.kernels,
        "convolutions_per_simulation": summary.simulation.convolutions,
        "fused_convolutions_per_simulation": summary.fused_convolutions,
        "waits_per_simulation": summary.simulation.waits,
        "grouped_convolutions": summary.grouped_convolutions,
        "temporaries_mb": round(summary.memory.temporary_bytes / 1e6),
        "state_mb": round(summary.memory.argument_bytes / 1e6),
        "copied_mb": round(summary.memory.copied_bytes / 1e6),
        "collectives_per_iteration": summary.iteration.collectives,
        "collective_mb_per_iteration": round(summary.iteration.collective_bytes / 2e6, 3),
    }


def rows_of(summaries: Iterable[Summary]) -> list[tuple[str, ...]]:
    """Returns the rows of a table of programs side by side: a name, and the text of each."""
    programs = list(summaries)
    rows = {
        "kernels": lambda each: f"{each.simulation.kernels}",
        "of them convolutions": lambda each: f"{each.simulation.convolutions}",
        "of them with bias and activation": lambda each: f"{each.fused_convolutions}",
        "waits of the host": lambda each: f"{each.simulation.waits}",
        "bytes": lambda each: f"{each.simulation.num_bytes / 1e6:,.0f} MB",
        "products": lambda each: f"{each.simulation.flops / 1e9:,.0f} GFLOP",
        "estimated time": lambda each: f"{1e6 * each.simulation.seconds:,.0f} microseconds",
        "grouped convolutions in the program": lambda each: f"{each.grouped_convolutions}",
    }
    return [(name, *map(describe, programs)) for name, describe in rows.items()]


def describe_memory(memory: Memory) -> str:
    """Returns the memory that a program takes on each device, as a sentence."""
    return (
        f"Memory of each device: {memory.argument_bytes / 1e6:,.0f} MB of state, "
        f"{memory.copied_bytes / 1e6:,.0f} MB of it copied, and "
        f"{memory.temporary_bytes / 1e6:,.0f} MB of temporaries."
    )


def describe_collectives(summary: Summary) -> str:
    """Returns what the GPUs of a run exchange in an iteration, as a sentence."""
    iteration = summary.iteration
    return (
        f"An iteration takes {1e3 * iteration.seconds:,.0f} ms by the estimate, of which "
        f"{1e3 * iteration.collective_seconds:,.1f} ms are {iteration.collectives} sums over all "
        f"GPUs, of {iteration.collective_bytes / 2e6:,.1f} MB in all."
    )


def describe_costs(costs: Costs) -> str:
    """Returns what the estimate assumes, as a sentence."""
    return (
        f"Assumed: {1e6 * costs.launch_seconds:g} microseconds a launch, "
        f"{1e6 * costs.wait_seconds:g} a wait, {1e6 * costs.collective_seconds:g} a sum over GPUs, "
        f"whose links move {costs.link_bytes_per_second / 1e9:.0f} GB/s; "
        f"{costs.bytes_per_second / 1e12:.2f} TB/s, "
        f"{costs.bfloat16_flops / 1e12:.0f} TFLOP/s in bfloat16, {costs.tf32_flops / 1e12:.0f} in "
        f"TF32, {costs.float32_flops / 1e12:.0f} in float32; loops over data turn {costs.depth} "
        "times."
    )


def outline(region: Region, depth: int = 0) -> list[str]:
    """Returns the program as an indented list: a line for each loop, choice and branch."""
    lines = [] if region.kind == "choice" else ["  " * depth + _line(region)]
    for inner in region.inner:
        lines += outline(inner, depth + (region.kind != "choice"))
    return lines


def _line(region: Region) -> str:
    name: str = region.kind
    if region.kind == "loop":
        turns = region.num_turns
        name += (
            f" of {turns} turns" if turns else f" over data, {len(region.condition)} a condition"
        )
    kinds = [kernel.kind for kernel in region.kernels]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(sorted(kinds))}
    parts = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    grouped = sum(kernel.is_grouped for kernel in region.kernels)
    return f"{name}: {len(kinds)} kernels ({parts})" + (f", {grouped} GROUPED" if grouped else "")

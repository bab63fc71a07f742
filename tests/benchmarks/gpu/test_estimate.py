"""The sums over loops, and the time that they are estimated to take."""

import pytest

from azjax.benchmarks.gpu.estimate import Costs, total, total_turn
from azjax.benchmarks.gpu.kernels import Kernel
from azjax.benchmarks.gpu.loops import Region
from azjax.benchmarks.gpu.memory import Memory
from azjax.benchmarks.gpu.report import figures_of, outline
from azjax.benchmarks.gpu.summary import find_simulation, summarize

COSTS = Costs(1.0, 10.0, 1.0, bfloat16_flops=4.0, tf32_flops=2.5, float32_flops=2.0, depth=3)
SMALL = Kernel("other", 0, 0, "f32", is_grouped=False, is_fused=False)
CONV = Kernel("convolution", 5, 80, "bf16", is_grouped=True, is_fused=True)


def loop(num_turns, kernels, inner=(), condition=()):
    return Region("loop", tuple(kernels), tuple(inner), num_turns, tuple(condition))


WALK = loop(None, [SMALL, SMALL], condition=[SMALL])
SEARCH = loop(33, [CONV, SMALL], [WALK])


def test_a_launch_takes_what_is_slowest_in_it():
    assert COSTS.seconds(SMALL) == 1
    assert COSTS.seconds(CONV) == 20
    assert COSTS.seconds(CONV._replace(dtype="f32")) == 40
    assert COSTS.seconds(CONV._replace(dtype="tf32")) == 32
    assert COSTS.seconds(CONV._replace(flops=0.0)) == 5


def test_a_loop_over_data_turns_as_often_as_assumed_and_waits_once_more():
    walk = total(WALK, COSTS)
    assert (walk.kernels, walk.waits) == (3 * 2 + 4, 4)
    assert walk.seconds == 10 + 4 * 10
    turn = total_turn(SEARCH, COSTS)
    assert (turn.kernels, turn.convolutions, turn.waits) == (12, 1, 4)
    assert turn.seconds == 20 + 1 + 50
    assert total(SEARCH, COSTS).seconds == 33 * turn.seconds


def test_of_a_choice_the_slowest_branch_counts():
    branches = Region("branch", (SMALL,), ()), Region("branch", (CONV, SMALL), ())
    chosen = total(Region("choice", (), branches), COSTS)
    assert (chosen.kernels, chosen.waits, chosen.seconds) == (2, 1, 31)


def test_the_search_is_found_among_loops_of_as_many_turns():
    program = Region("program", (SMALL,), (loop(33, [SMALL]), loop(33, [SMALL], [SEARCH])))
    assert find_simulation(program, 33, COSTS) is SEARCH
    with pytest.raises(ValueError, match="no loop of 20 turns with a network"):
        find_simulation(program, 20, COSTS)
    assert figures_of(summarize(program, 33, Memory(9_000_000, 7_000_000, 0), COSTS)) == {
        "kernels_per_simulation": 12,
        "convolutions_per_simulation": 1,
        "fused_convolutions_per_simulation": 1,
        "waits_per_simulation": 4,
        "grouped_convolutions": 1,
        "temporaries_mb": 7,
        "state_mb": 9,
        "copied_mb": 0,
        "collectives_per_iteration": 0,
        "collective_mb_per_iteration": 0.0,
    }


def test_sums_over_gpus_take_their_latency_and_what_the_links_move():
    summed = Kernel("collective", 4_000_000, 0, "f32", is_grouped=False, is_fused=False)
    costs = COSTS._replace(collective_seconds=3.0, link_bytes_per_second=1e6)
    program = Region("program", (SMALL, summed), (loop(5, [summed]),))
    totals = total(program, costs)
    assert (totals.collectives, totals.collective_bytes) == (6, 24e6)
    assert totals.collective_seconds == 6 * 7
    assert totals.seconds == 1 + 6 * 7


def test_the_outline_has_a_line_for_each_loop():
    program = Region("program", (SMALL,), (SEARCH,))
    assert outline(program) == [
        "program: 1 kernels (1 other)",
        "  loop of 33 turns: 2 kernels (1 convolution, 1 other), 1 GROUPED",
        "    loop over data, 1 a condition: 2 kernels (2 other)",
    ]

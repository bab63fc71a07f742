"""The visits of sequential halving.

"Almost optimal exploration in multi-armed bandits", Karnin, Koren and Somekh 2013: all candidates
are visited equally often, then the better half of them, until two are left.
"""

import math

import numpy as np


def visit_schedules(most_candidates: int, num_simulations: int) -> np.ndarray:
    """Returns [most_candidates + 1, num_simulations] int32: a schedule for each number of them."""
    schedules = [_visit_schedule(n, num_simulations) for n in range(most_candidates + 1)]
    return np.array(schedules, np.int32)


def _visit_schedule(num_candidates: int, num_simulations: int) -> list[int]:
    """Returns the visits that the action of each simulation has before it.

    The candidates that are left have this number of visits or one more: so the actions that a
    simulation may select are known from the visits alone.
    """
    if num_candidates <= 1:
        return list(range(num_simulations))
    num_halvings = math.ceil(math.log2(num_candidates))
    schedule: list[int] = []
    visits, left = 0, num_candidates
    while len(schedule) < num_simulations:
        rounds = max(1, num_simulations // (num_halvings * left))
        schedule += [visit for visit in range(visits, visits + rounds) for _ in range(left)]
        visits, left = visits + rounds, max(2, left // 2)
    return schedule[:num_simulations]

"""The evaluations of a run: when they are due, and what measures and gates it."""

import math

from azjax.evaluation import AccuracyCheck, SearchAgent, SolvedPositions
from azjax.runs.evaluation.gating import Gate
from azjax.runs.evaluation.round_test import RoundTest
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.machine.devices import devices_of_process
from azjax.training import Gating, PolicyGradient, TrainConfig, make_game_and_network

_EVALUATIONS_PER_RUN = 8  # at least, if the run has so many iterations


def is_evaluation_due(
    run: RunDirectory, iteration: int, seconds: float, iteration_seconds: float
) -> bool:
    """Tells whether a run is evaluated after an iteration that is not its last.

    It is at multiples of `evaluate_every`, and where the share of the run that is done reaches a
    multiple of 1/8.

    Args:
      run: The run.
      iteration: The iteration, from 1.
      seconds: Seconds of training so far.
      iteration_seconds: Those of this iteration.
    """
    before = run.limits.share_done(iteration - 1, seconds - iteration_seconds)
    after = run.limits.share_done(iteration, seconds)
    is_share = math.floor(_EVALUATIONS_PER_RUN * before) < math.floor(_EVALUATIONS_PER_RUN * after)
    return is_share or is_gating_due(run, iteration)


def is_gated(config: TrainConfig) -> bool:
    """Tells whether evaluations change a run: by gating, or by the test of a round."""
    return _find_gating(config) is not None or isinstance(config.algorithm, PolicyGradient)


def is_gating_due(run: RunDirectory, iteration: int) -> bool:
    """Tells whether a gated run is gated after an iteration.

    Gating changes the run, so it depends on nothing but the iteration.
    """
    return iteration % run.config.evaluate_every == 0


def make_accuracy_check(
    run: RunDirectory, positions: SolvedPositions | None
) -> AccuracyCheck | None:
    """Returns the accuracy check, or None if there are no solved positions."""
    if positions is None:
        return None
    agent = SearchAgent(*make_game_and_network(run.config.train), run.config.evaluation_search)
    return AccuracyCheck(agent, positions, devices_of_process(run.num_devices))


def make_gate(run: RunDirectory) -> Gate | RoundTest | None:
    """Returns the gate or the test of rounds, or None if the newest network always plays."""
    train, num_devices = run.config.train, devices_of_process(run.num_devices)
    game, network = make_game_and_network(train)
    if isinstance(train.algorithm, PolicyGradient):
        return RoundTest(game, network, train.algorithm, train.search, num_devices)
    if gating := _find_gating(train):
        return Gate(SearchAgent(game, network, train.search), gating.games, num_devices)
    return None


def _find_gating(config: TrainConfig) -> Gating | None:
    return next((part for part in config.parts if isinstance(part, Gating)), None)

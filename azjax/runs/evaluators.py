"""The accuracy check and the gate of a run, from its configuration."""

from azjax.evaluation import AccuracyCheck, SearchAgent, SolvedPositions
from azjax.runs.gating import Gate
from azjax.runs.run_directory import RunDirectory
from azjax.search import SearchConfig
from azjax.training import make_game_and_network


def make_accuracy_check(
    run: RunDirectory, positions: SolvedPositions | None
) -> AccuracyCheck | None:
    """Returns the accuracy check, or None if there are no solved positions."""
    if positions is None:
        return None
    agent = _make_agent(run, run.config.evaluation_search)
    return AccuracyCheck(agent, positions, run.num_devices)


def make_gate(run: RunDirectory) -> Gate | None:
    """Returns the gate, or None if the newest network always plays."""
    train = run.config.train
    if not train.gating_games:
        return None
    return Gate(_make_agent(run, train.search), train.gating_games, run.num_devices)


def _make_agent(run: RunDirectory, search: SearchConfig) -> SearchAgent:
    game, network = make_game_and_network(run.config.train)
    return SearchAgent(game, network, search, run.config.hparams.search)

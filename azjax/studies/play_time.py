"""Play time: the accuracy and the cost of the same networks under several searches."""

import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from rich.console import Console

from azjax.agents.agent import Agent
from azjax.evaluation import (
    Player,
    SolvedPositions,
    are_best,
    choose_in,
    estimate_mean,
    estimate_share,
    padded_indices,
    search_player,
)
from azjax.search import Search
from azjax.studies.answers import counted_steps
from azjax.studies.summary import columns_of
from azjax.support.files.tables import Row
from azjax.support.machine.devices import make_mesh, replicate, shard_over_devices

_BATCH_REPEATS = 7  # of timing the whole batch
_SINGLE_REPEATS = 50  # of timing a single position
_DECIMALS = 6  # of milliseconds: clocks count nanoseconds


def measure_play_time(
    agents: Sequence[Agent],
    positions: SolvedPositions,
    searches: Mapping[str, Search],
    simulations: tuple[int, ...],
    console: Console,
) -> list[Row]:
    """Returns a row for each search and number of simulations.

    The accuracy is the mean over the agents' networks. `lead` is the lead over the first search
    with the same networks. Their intervals are over networks, and over positions where these are
    sampled. Times are medians without compilation, in which the searches take turns
    with the first network. In a batch, all positions are searched at once over all devices, and the
    time is per position. Alone, one position at a time is searched on one device.
    """
    rows: list[Row] = []
    advance = counted_steps(console, "play time", len(simulations))
    for n in simulations:
        players = {
            name: [_player(agent, search, n) for agent in agents]
            for name, search in searches.items()
        }
        accuracies = _accuracies(players, positions)
        times = _times({name: first for name, (first, *_) in players.items()}, positions)
        rows += [
            {"num_simulations": n, "search": name, **accuracies[name], **times[name]}
            for name in searches
        ]
        advance()
    return rows


def _accuracies(players: dict[str, list[Player]], positions: SolvedPositions) -> dict[str, Row]:
    """Returns the columns of each search's accuracy and of its lead over the first one."""
    scores = {
        name: np.stack([_scores(player, positions) for player in of_networks])
        for name, of_networks in players.items()
    }
    first = next(iter(scores.values()))
    return {
        name: columns_of("accuracy", estimate_share(own), "accuracy_")
        | columns_of("lead", estimate_mean(own - first), "lead_")
        for name, own in scores.items()
    }


def _scores(player: Player, positions: SolvedPositions) -> np.ndarray:
    """Returns [P], 1 where the player keeps the best value; its mean [] if P are not sampled."""
    scores = are_best(positions, choose_in(player, positions, len(jax.devices()))).astype(float)
    return scores.mean() if positions.is_complete else scores


def _times(players: dict[str, Player], positions: SolvedPositions) -> dict[str, Row]:
    """Returns the columns of each player's times."""
    in_batch, alone = (
        _median_seconds({name: make(player, positions) for name, player in players.items()}, rounds)
        for make, rounds in ((_in_batch, _BATCH_REPEATS), (_alone, _SINGLE_REPEATS))
    )
    size = len(positions.is_best)
    return {
        name: {
            "batch": size,
            "ms_per_position_in_batch": round(1000 * in_batch[name] / size, _DECIMALS),
            "ms_per_position_alone": round(1000 * alone[name], _DECIMALS),
        }
        for name in players
    }


def _player(agent: Agent, search: Search, num_simulations: int) -> Player:
    config = dataclasses.replace(search, num_simulations=num_simulations)
    search_agent = dataclasses.replace(agent.search_agent, search_config=config)
    return search_player(search_agent, agent.variables)


def _median_seconds(moves: dict[str, Callable[[int], Any]], rounds: int) -> dict[str, float]:
    """Returns each player's median seconds; players take turns, so that all see the same load."""
    times: dict[str, list[float]] = {name: [] for name in moves}
    for move in moves.values():
        jax.block_until_ready(move(0))  # compilation
    for number in range(rounds):
        for name, move in moves.items():
            began = time.perf_counter()
            jax.block_until_ready(move(number))
            times[name].append(time.perf_counter() - began)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def _in_batch(player: Player, positions: SolvedPositions) -> Callable[[int], Any]:
    """Returns a function that plays in all positions, sharded over all devices."""
    mesh = make_mesh(len(jax.devices()))
    indices = padded_indices(len(positions.is_best), mesh.size)
    states = jax.device_put(jax.tree.map(lambda x: np.asarray(x)[indices], positions.states))
    keys = jax.random.split(jax.random.key(0), len(indices))
    act, parameters = shard_over_devices(player.act, mesh), replicate(player.parameters, mesh)
    return lambda number: act(parameters, keys, states)


def _alone(player: Player, positions: SolvedPositions) -> Callable[[int], Any]:
    """Returns a function that plays in the position of a number, on one device."""
    size = len(positions.is_best)
    keys = jax.random.split(jax.random.key(0), 1)
    act, parameters = jax.jit(player.act), jax.device_put(player.parameters, jax.devices()[0])

    def move(number: int) -> Any:
        state = jax.tree.map(lambda x: np.asarray(x)[number % size][None], positions.states)
        return act(parameters, keys, state)

    return move

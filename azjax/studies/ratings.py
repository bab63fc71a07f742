"""Ratings of a study's agents: one tournament of them all, every one with the same search."""

import itertools
import json
import pathlib

import jax
import numpy as np
from rich.console import Console
from rich.progress import Progress

from azjax.agents.agent import load_agent
from azjax.evaluation import Match, MatchResult, Player, play_round_robin
from azjax.studies.study import Study
from azjax.support.atomic_files import write_text_atomically
from azjax.support.tables import Row

_FILE = "matches.jsonl"
OPENING_MOVES = 4
_GAMES = 5_000  # in all, as near as a match's fewest and most games allow
_FEWEST, _MOST = 10, 200  # games of a match


def rate_agents(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns every agent's rating and mean score; matches that were played before are kept.

    Elo is against the mean of the study's agents: differences within a study are what it tells.

    Args:
      study: The study.
      finals: The last look at each run, whose network is rated.
      console: Where a person sees how far it is.
    """
    names = [f"{row['cell']}/seed={row['seed']}" for row in finals]
    pairs = list(itertools.combinations(names, 2))
    file_path = study.path / _FILE
    played = _read_matches(file_path, names)
    # Written anew, because a line that was cut off would run into the next one.
    write_text_atomically(file_path, "".join(_to_json(match, names) for match in played))
    with (
        file_path.open("a", encoding="utf-8") as file,
        Progress(console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("tournament", total=len(pairs), completed=len(played))

        def note(match: Match) -> None:
            file.write(_to_json(match, names))
            file.flush()
            progress.advance(task)

        standings = play_round_robin(
            study.positions.game,
            [_load_player(study, row) for row in finals],
            anchor=0,
            games_per_match=games_per_match(len(pairs)),
            opening_moves=OPENING_MOVES,
            seed=0,
            num_devices=len(jax.devices()),
            on_match=note,
            played=played,
        )
    mean = np.mean([rating.elo for rating in standings.ratings])
    return [
        {"elo": round(rating.elo - float(mean), 2), "score": score}
        for rating, score in zip(standings.ratings, standings.scores, strict=True)
    ]


def games_per_match(num_matches: int) -> int:
    """Returns an even number of games, fewer the more matches there are."""
    return 2 * (min(_MOST, max(_FEWEST, _GAMES // num_matches)) // 2)


def _load_player(study: Study, row: Row) -> Player:
    algorithm, num_simulations = study.evaluation
    path = study.run_path(row["cell"], row["seed"])
    return load_agent(f"{path}@{row['iteration']}", num_simulations, algorithm).player()


def _to_json(match: Match, names: list[str]) -> str:
    first, second, result = match
    rewards = result.rewards.tolist()
    return json.dumps({"first": names[first], "second": names[second], "rewards": rewards}) + "\n"


def _read_matches(path: pathlib.Path, names: list[str]) -> list[Match]:
    """Returns the matches of a file, without a last line that was cut off in writing."""
    if not path.exists():
        return []
    matches = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            match = json.loads(line)
        except json.JSONDecodeError:
            break
        result = MatchResult(np.array(match["rewards"], np.int8))
        matches.append(Match(names.index(match["first"]), names.index(match["second"]), result))
    return matches

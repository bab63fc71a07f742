"""Ratings of a study's agents, by one tournament in which all use the same search."""

import itertools

import jax
import numpy as np
from rich.console import Console

from azjax import games
from azjax.agents.agent import load_evaluated_agent
from azjax.agents.tournament_record import append_match, read_matches
from azjax.evaluation import Match, MatchSettings, play_round_robin
from azjax.studies.answers import counted_steps, network_name
from azjax.studies.study import ELO, Study
from azjax.support.files.tables import Row

_FILE = "matches.jsonl"
OPENING_MOVES = 4
_GAMES = 5_000  # of the tournament, within the bounds on a match
_FEWEST, _MOST = 10, 200  # games of a match


def rate_agents(study: Study, finals: list[Row], console: Console) -> list[Row]:
    """Returns the rating and the mean score of the agent of each run's last evaluation.

    Elo is relative to the mean of the study's agents, so it compares within the study only. Matches
    that the same networks played before are read, also where a smaller study had more games each.
    """
    names = [network_name(row) for row in finals]
    pairs = list(itertools.combinations(names, 2))
    file_path = study.path / _FILE
    played = read_matches(file_path, names)
    study.check_owner()
    advance = counted_steps(console, "tournament", len(pairs), len(played))

    def save(match: Match) -> None:
        study.check_owner()
        append_match(file_path, names, match)
        advance()

    standings = play_round_robin(
        games.make(study.cells[0].config.train.game),
        [load_evaluated_agent(study.agent_name(row)).player() for row in finals],
        anchor=0,
        settings=MatchSettings(
            games_per_match(len(pairs)), OPENING_MOVES, seed=0, num_devices=len(jax.devices())
        ),
        on_match=save,
        played=played,
        same_openings=False,  # an interval over seeds needs independent errors
    )
    mean = np.mean([rating.elo for rating in standings.ratings])
    return [
        {ELO: round(rating.elo - float(mean), 2), "score": score}
        for rating, score in zip(standings.ratings, standings.scores, strict=True)
    ]


def games_per_match(num_matches: int) -> int:
    """Returns the games of a match: an even number that falls with the number of matches."""
    return 2 * (min(_MOST, max(_FEWEST, _GAMES // num_matches)) // 2)

"""How strong a player is: against exact truth, and against other players."""

from azjax.evaluation.accuracy import Lines, compile_choice, count_lines, share_correct
from azjax.evaluation.intervals import Interval, wilson_interval
from azjax.evaluation.matches import MatchResult, play_match
from azjax.evaluation.players import (
    Player,
    minimax_player,
    network_player,
    random_player,
    search_player,
)
from azjax.evaluation.solve import Solution, is_solvable, solve
from azjax.evaluation.truth import Truth, read_truth, solved_truth

__all__ = [
    "Interval",
    "Lines",
    "MatchResult",
    "Player",
    "Solution",
    "Truth",
    "compile_choice",
    "count_lines",
    "is_solvable",
    "minimax_player",
    "network_player",
    "play_match",
    "random_player",
    "read_truth",
    "search_player",
    "share_correct",
    "solve",
    "solved_truth",
    "wilson_interval",
]

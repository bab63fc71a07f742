"""How strong a player is: against exact truth, and against other players."""

from azjax.evaluation.accuracy import Lines, count_lines, share_correct
from azjax.evaluation.choices import choose_actions
from azjax.evaluation.exploitability import exploitability
from azjax.evaluation.game_record import GameRecord, record_game
from azjax.evaluation.intervals import Interval
from azjax.evaluation.matches import MatchResult, check_match, play_match
from azjax.evaluation.minimax import look_ahead, lookahead_player, tactical_player
from azjax.evaluation.players import (
    Player,
    mcts_player,
    minimax_player,
    network_player,
    random_player,
    search_player,
)
from azjax.evaluation.ratings import Match, Rating, rate
from azjax.evaluation.solve import Solution, is_solvable, solve
from azjax.evaluation.solved_positions import Truth, read_truth, solved_truth
from azjax.evaluation.tournament import Standings, play_round_robin

__all__ = [
    "GameRecord",
    "Interval",
    "Lines",
    "Match",
    "MatchResult",
    "Player",
    "Rating",
    "Solution",
    "Standings",
    "Truth",
    "check_match",
    "choose_actions",
    "count_lines",
    "exploitability",
    "is_solvable",
    "look_ahead",
    "lookahead_player",
    "mcts_player",
    "minimax_player",
    "network_player",
    "play_match",
    "play_round_robin",
    "random_player",
    "rate",
    "read_truth",
    "record_game",
    "search_player",
    "share_correct",
    "solve",
    "solved_truth",
    "tactical_player",
]

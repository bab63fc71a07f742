"""Strength of players: accuracy on solved positions, exploitability, matches and ratings."""

from azjax.evaluation.intervals import (
    INTERVAL,
    Estimate,
    describe_kind,
    detectable_difference,
    estimate_mean,
    estimate_probability,
    estimate_share,
)
from azjax.evaluation.match_result import Counts, MatchResult
from azjax.evaluation.matches import (
    MatchSettings,
    Openings,
    play_match,
    play_openings,
    sample_openings,
)
from azjax.evaluation.players.host_players import (
    FORFEITS,
    RESIGNS,
    HostPlayer,
    MatchPlayer,
    TimedPlayer,
    Turns,
    choose_action,
    in_match,
    open_match,
)
from azjax.evaluation.players.minimax import minimax_player, minimax_values
from azjax.evaluation.players.player import (
    Player,
    SearchAgent,
    choose_actions,
    mcts_player,
    network_player,
    optimal_player,
    padded_indices,
    random_player,
    search_player,
)
from azjax.evaluation.position_search import (
    PositionSearch,
    read_searches,
    search_config,
    search_position,
)
from azjax.evaluation.ratings import Match, Rating, Standings, play_round_robin, rate
from azjax.evaluation.truth.accuracy_check import (
    Accuracy,
    AccuracyCheck,
    Answers,
    Choices,
    Shares,
    choose_in,
    find_errors,
    write_position_errors,
)
from azjax.evaluation.truth.exploitability import exploitability, loss_to_exact_play
from azjax.evaluation.truth.solution import find_position, is_solvable, solve
from azjax.evaluation.truth.solved_positions import (
    SolvedPositions,
    accuracy,
    all_positions,
    are_best,
    describe_baseline,
)
from azjax.evaluation.truth.truth_files import find_positions, read_records, require_positions

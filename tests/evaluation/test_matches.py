import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.evaluation import (
    MatchResult,
    Player,
    minimax_player,
    network_player,
    play_match,
    random_player,
    wilson_interval,
)

GAMES = 400  # everywhere, so that a pair of players is compiled once


def swapped(result):
    """Returns the same match as the opponent saw it."""
    return MatchResult(result.losses[::-1], result.draws[::-1], result.wins[::-1])


@pytest.fixture(scope="module")
def untrained(tic_tac_toe, network):
    return network_player(tic_tac_toe, *network)


@pytest.fixture(scope="module")
def minimax(tic_tac_toe):
    return minimax_player(tic_tac_toe)


@pytest.fixture(scope="module")
def by_chance(tic_tac_toe):
    return random_player(tic_tac_toe)


def test_every_game_is_counted_once_and_the_seats_are_equal(tic_tac_toe, by_chance):
    result = play_match(tic_tac_toe, by_chance, by_chance, GAMES, opening_moves=0, seed=0)
    assert result.num_games == GAMES
    for seat in range(2):
        assert result.wins[seat] + result.draws[seat] + result.losses[seat] == GAMES // 2


def test_the_score_is_wins_and_half_the_draws():
    result = MatchResult(wins=(3, 1), draws=(1, 2), losses=(0, 1))
    assert result.num_games == 8
    assert result.score == pytest.approx((4 + 3 / 2) / 8)
    assert result.interval == wilson_interval(result.score, 8)


def test_random_play_wins_as_often_in_each_seat_as_is_known(tic_tac_toe, by_chance):
    matches = [play_match(tic_tac_toe, by_chance, by_chance, GAMES, 0, seed) for seed in range(20)]
    games = 20 * GAMES
    first = sum(match.wins[0] + match.losses[1] for match in matches) / games
    second = sum(match.losses[0] + match.wins[1] for match in matches) / games
    assert first == pytest.approx(737 / 1260, abs=0.025)
    assert second == pytest.approx(121 / 420, abs=0.025)


def test_a_player_against_itself_has_an_interval_around_one_half(tic_tac_toe, by_chance):
    low, high = play_match(tic_tac_toe, by_chance, by_chance, GAMES, 0, seed=2).interval
    assert low < 0.5 < high
    assert high - low < 0.1


def test_minimax_never_loses_to_random_and_beats_it(tic_tac_toe, minimax, by_chance):
    result = play_match(tic_tac_toe, minimax, by_chance, GAMES, opening_moves=0, seed=0)
    assert result.losses == (0, 0)
    assert result.interval.low > 0.8
    assert result.wins[0] > result.wins[1]  # the first seat is the better one


def test_the_other_way_round_random_loses(tic_tac_toe, minimax, by_chance):
    result = play_match(tic_tac_toe, by_chance, minimax, GAMES, opening_moves=0, seed=0)
    assert result.wins == (0, 0)
    assert result.interval.high < 0.2


def test_minimax_draws_against_itself(tic_tac_toe, minimax):
    result = play_match(tic_tac_toe, minimax, minimax, GAMES, opening_moves=0, seed=0)
    assert result.draws == (GAMES // 2, GAMES // 2)


def test_both_games_of_a_pair_share_their_opening(tic_tac_toe, minimax):
    result = play_match(tic_tac_toe, minimax, minimax, GAMES, opening_moves=3, seed=0)
    # With best play the opening decides, so who sits in a seat does not matter.
    assert result.wins[0] == result.losses[1] > 0
    assert result.losses[0] == result.wins[1]
    assert result.draws[0] == result.draws[1]


def test_equal_deterministic_players_share_every_pair(tic_tac_toe, untrained):
    result = play_match(tic_tac_toe, untrained, untrained, GAMES, opening_moves=2, seed=0)
    assert result == swapped(result)
    assert result.score == 0.5


def test_openings_make_the_games_of_deterministic_players_differ(tic_tac_toe, untrained):
    alike = play_match(tic_tac_toe, untrained, untrained, GAMES, opening_moves=0, seed=0)
    assert GAMES // 2 in (alike.wins[0], alike.draws[0], alike.losses[0])
    varied = play_match(tic_tac_toe, untrained, untrained, GAMES, opening_moves=2, seed=0)
    assert GAMES // 2 not in (varied.wins[0], varied.draws[0], varied.losses[0])


def test_the_same_seed_gives_the_same_match_and_another_does_not(tic_tac_toe, by_chance):
    def match(seed):
        return play_match(tic_tac_toe, by_chance, by_chance, GAMES, opening_moves=0, seed=seed)

    assert match(5) == match(5)
    assert match(5) != match(6)


def test_a_player_that_moves_illegally_loses_every_game(tic_tac_toe, by_chance):
    def act(parameters, keys, states):
        del parameters, keys
        return jnp.argmin(jax.vmap(tic_tac_toe.legal_action_mask)(states), -1).astype(jnp.int32)

    result = play_match(tic_tac_toe, Player(act), by_chance, GAMES, opening_moves=1, seed=0)
    assert result.losses == (GAMES // 2, GAMES // 2)


@pytest.mark.parametrize("num_games", [-2, 0, 1, 3, 999])
def test_games_that_cannot_be_shared_between_the_seats_are_refused(
    tic_tac_toe, by_chance, num_games
):
    with pytest.raises(ValueError, match=f"games={num_games}: must be even"):
        play_match(tic_tac_toe, by_chance, by_chance, num_games, opening_moves=0, seed=0)


def test_a_negative_number_of_opening_moves_is_refused(tic_tac_toe, by_chance):
    with pytest.raises(ValueError, match="opening_moves=-1: must be 0 or more"):
        play_match(tic_tac_toe, by_chance, by_chance, 2, opening_moves=-1, seed=0)


@pytest.mark.parametrize(
    ("score", "games", "low", "high"),
    [  # as tables and R's prop.test(..., correct = FALSE) have them
        (1.0, 10, 0.7225, 1.0),
        (0.0, 10, 0.0, 0.2775),
        (0.5, 100, 0.4038, 0.5962),
        (0.81, 100, 0.7222, 0.8749),
        (15 / 148, 148, 0.0624, 0.1605),  # Newcombe 1998
        (1 / 29, 29, 0.0061, 0.1718),  # Newcombe 1998
        (81 / 263, 263, 0.2553, 0.3662),  # Newcombe 1998
    ],
)
def test_the_interval_has_the_published_values(score, games, low, high):
    assert wilson_interval(score, games) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
def test_the_interval_covers_the_truth_in_95_of_100_experiments(share):
    games, experiments = 200, 4000
    wins = np.random.default_rng(0).binomial(games, share, experiments)
    intervals = [wilson_interval(count / games, games) for count in wins]
    covered = np.mean([low <= share <= high for low, high in intervals])
    assert 0.93 < covered < 0.98


def test_draws_make_the_interval_wide_rather_than_narrow():
    games, experiments = 200, 4000
    points = np.random.default_rng(0).multinomial(games, [0.2, 0.6, 0.2], experiments)
    scores = (points @ [1.0, 0.5, 0.0]) / games
    intervals = [wilson_interval(score, games) for score in scores]
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) > 0.95

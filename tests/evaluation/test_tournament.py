import itertools

import pytest

from azjax.evaluation import (
    MatchSettings,
    minimax_player,
    optimal_player,
    play_round_robin,
    random_player,
)

pytestmark = pytest.mark.slow

SETTINGS = MatchSettings(num_games=60, opening_moves=1, num_devices=2)


@pytest.fixture(scope="module")
def players(tic_tac_toe):
    tactical = minimax_player(tic_tac_toe, depth=2)
    return [random_player(tic_tac_toe), tactical, optimal_player(tic_tac_toe)]


@pytest.fixture(scope="module")
def seen():
    return []


@pytest.fixture(scope="module")
def standings(tic_tac_toe, players, seen):
    return play_round_robin(tic_tac_toe, players, 0, SETTINGS, seen.append)


def test_matches_of_a_stopped_tournament_are_not_played_again(
    tic_tac_toe, players, standings, seen
):
    assert [match[:2] for match in standings.matches] == [(0, 1), (0, 2), (1, 2)]
    assert seen == standings.matches
    played, seen = standings.matches[:2], []
    resumed = play_round_robin(tic_tac_toe, players, 0, SETTINGS, seen.append, played)
    assert [match[:2] for match in seen] == [(1, 2)]
    assert resumed.matches[0] is played[0]
    assert resumed.ratings == standings.ratings
    assert resumed.scores == standings.scores


def test_scores_are_means_over_both_matches_and_stronger_players_rated_higher(standings):
    by_chance, tactical, perfect = (rating.elo for rating in standings.ratings)
    assert by_chance == 0 < tactical < perfect
    first, second, third = (match.result.score for match in standings.matches)
    assert standings.scores == pytest.approx(
        [(first + second) / 2, (1 - first + third) / 2, (2 - second - third) / 2]
    )


@pytest.fixture
def results(tic_tac_toe, players):
    """Returns the function of the matches that are added to those played, of equal players.

    Minimax plays itself: the opening decides the result of each pair.
    """

    def play(num_players, played=(), same_openings=False):
        arguments = tic_tac_toe, [players[2]] * num_players, 0, MatchSettings(20, 3), repr
        found = play_round_robin(*arguments, played, same_openings=same_openings)
        return found.matches, [match.result.rewards.tolist() for match in found.matches]

    return play


@pytest.mark.parametrize("same_openings", [True, False])
def test_matches_have_the_same_openings_or_openings_of_their_own(results, same_openings):
    _, rewards = results(3, same_openings=same_openings)
    are_equal = [first == second for first, second in itertools.combinations(rewards, 2)]
    assert all(are_equal) if same_openings else not any(are_equal)


def test_matches_that_are_added_have_other_openings_than_those_that_were_played(results):
    """The new match comes before the recorded one in the order of the pairs."""
    [first], _ = results(2)
    _, rewards = results(3, [first._replace(second=2)])
    assert len(rewards) == 3
    assert not any(one == other for one, other in itertools.combinations(rewards, 2))

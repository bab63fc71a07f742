import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from games.moving import jitted
from search.moving_again import KEEP, PASS, Countdown

from azjax.evaluation import (
    FORFEITS,
    RESIGNS,
    MatchResult,
    MatchSettings,
    Player,
    mcts_player,
    optimal_player,
    play_match,
    play_openings,
    random_player,
    sample_openings,
)
from azjax.search import UCT

GAMES = 400  # one size, so that each pair of players compiles once


@pytest.fixture(scope="module")
def deterministic(tic_tac_toe):
    """The player of the first legal action."""

    def act(parameters, keys, states):
        return jax.vmap(tic_tac_toe.legal_action_mask)(states).argmax(axis=-1).astype(jnp.int32)

    return Player(act)


@pytest.fixture(scope="module")
def minimax(tic_tac_toe):
    return optimal_player(tic_tac_toe)


@pytest.fixture(scope="module")
def random(tic_tac_toe):
    return random_player(tic_tac_toe)


def test_every_game_is_counted_once_and_the_seats_are_equal(tic_tac_toe, random):
    games = {}

    def on_game(number, *actions_and_reward):
        assert games.setdefault(number, actions_and_reward) is actions_and_reward

    settings = MatchSettings(GAMES, opening_moves=0, seed=0)
    result = play_match(tic_tac_toe, random, random, settings, on_game)
    assert result.num_games == GAMES == len(games)
    assert [games[i][0] for i in range(GAMES)] == [g for pair in result.actions for g in pair]
    assert [games[i][1] for i in range(GAMES)] == (result.rewards * [1, -1]).reshape(-1).tolist()
    assert sum(result.moving_first) == sum(result.moving_second) == GAMES // 2
    wins = result.moving_first.wins + result.moving_second.losses  # of the first seat
    assert wins / GAMES == pytest.approx(737 / 1260, abs=0.1)


def test_a_match_is_counted_by_seat_and_scored_by_pair():
    result = MatchResult(np.array([[1, 1], [1, 0], [0, -1], [1, 0]], np.int8))
    assert (result.moving_first, result.moving_second) == ((3, 1, 0), (1, 2, 1))
    assert (result.wins, result.draws, result.losses) == (4, 3, 1)
    assert result.num_games == 8
    assert result.pair_scores.tolist() == [1.0, 0.75, 0.25, 0.75]
    assert result.score == pytest.approx((4 + 3 / 2) / 8)
    assert repr(result).startswith("4 wins, 3 draws, 1 loss: score 68.8%, 95% interval ")


def test_games_from_one_seat_are_those_of_a_match(tic_tac_toe, deterministic):
    def act(parameters, keys, states):
        last = jax.vmap(tic_tac_toe.legal_action_mask)(states)[:, ::-1].argmax(axis=-1)
        return (8 - last).astype(jnp.int32)

    openings = sample_openings(tic_tac_toe, 50, 2, jax.random.key(0))
    arguments = tic_tac_toe, deterministic, Player(act), openings
    pairs = play_openings(*arguments, jax.random.key(2))
    for seat in (0, 1):
        rewards = play_openings(*arguments, jax.random.key(3), seats=(seat,)).rewards
        np.testing.assert_array_equal(rewards[:, seat], pairs.rewards[:, seat])
        assert not rewards[:, 1 - seat].any()
        assert len(set(rewards[:, seat].tolist())) > 1


def test_minimax_never_loses_to_random_and_beats_it(tic_tac_toe, minimax, random):
    result = play_match(tic_tac_toe, minimax, random, MatchSettings(GAMES, opening_moves=0, seed=0))
    assert result.losses == 0
    assert result.interval.low > 0.8
    assert result.moving_first.wins > result.moving_second.wins  # the first seat is the better one


def test_both_games_of_a_pair_share_their_opening(tic_tac_toe, minimax):
    """With best play the opening decides the result, not the seat."""
    result = play_match(
        tic_tac_toe, minimax, minimax, MatchSettings(GAMES, opening_moves=3, seed=0)
    )
    assert (result.rewards[:, 0] == -result.rewards[:, 1]).all()
    assert len(np.unique(result.rewards[:, 0])) > 1


def test_a_deterministic_player_shares_every_pair_with_itself(tic_tac_toe, deterministic):
    result = play_match(
        tic_tac_toe, deterministic, deterministic, MatchSettings(GAMES, opening_moves=2, seed=0)
    )
    assert (result.pair_scores == 0.5).all()
    assert result.probability_stronger == 0.5


def test_the_same_seed_gives_the_same_match_and_another_does_not(tic_tac_toe, random):
    def rewards(seed):
        return play_match(
            tic_tac_toe, random, random, MatchSettings(GAMES, 0, seed)
        ).rewards.tolist()

    assert rewards(5) == rewards(5)
    assert rewards(5) != rewards(6)


@pytest.mark.parametrize("kept_nodes", [None, pytest.param(20, marks=pytest.mark.slow)])
def test_a_match_does_not_depend_on_how_many_pairs_are_played_at_once_or_on_devices(
    tic_tac_toe, random, monkeypatch, kept_nodes
):
    player = random
    if kept_nodes is not None:
        player = mcts_player(tic_tac_toe, UCT(num_simulations=9, kept_nodes=kept_nodes))
    together = play_match(tic_tac_toe, player, random, MatchSettings(50, opening_moves=1, seed=0))
    monkeypatch.setattr("azjax.evaluation.matches._PAIRS_AT_ONCE", 7)
    settings = MatchSettings(50, opening_moves=1, seed=0, num_devices=2)
    in_turn = play_match(tic_tac_toe, player, random, settings)
    assert in_turn.rewards.tolist() == together.rewards.tolist()
    assert in_turn.actions == together.actions


def always(action):
    def act(parameters, keys, states):
        del parameters, keys
        return jnp.full(len(states.terminated), action, jnp.int32)

    return Player(act)


def test_a_player_that_keeps_the_turn_moves_again():
    """The player of the last move wins, so that always keeping the turn wins."""
    settings = MatchSettings(20, opening_moves=0, seed=0)
    result = play_match(Countdown(), always(KEEP), always(PASS), settings)
    assert result.wins == 20


def test_a_player_that_moves_illegally_loses_every_game(tic_tac_toe, random):
    def act(parameters, keys, states):
        del parameters, keys
        return jnp.argmin(jax.vmap(tic_tac_toe.legal_action_mask)(states), -1).astype(jnp.int32)

    result = play_match(
        tic_tac_toe, Player(act), random, MatchSettings(GAMES, opening_moves=1, seed=0)
    )
    assert result.losses == GAMES


@pytest.mark.parametrize("num_games", [0, 3])
def test_games_that_cannot_be_shared_between_the_seats_are_refused(tic_tac_toe, random, num_games):
    with pytest.raises(ValueError, match=f"games={num_games}: must be even"):
        play_match(tic_tac_toe, random, random, MatchSettings(num_games, opening_moves=0, seed=0))


@pytest.mark.parametrize("opening_moves", [-1, 10])
def test_openings_longer_than_a_game_or_negative_are_refused(tic_tac_toe, random, opening_moves):
    with pytest.raises(ValueError, match=f"opening_moves={opening_moves}: must be from 0 to 9"):
        play_match(tic_tac_toe, random, random, MatchSettings(2, opening_moves, seed=0))


@functools.cache
def legal_actions(game):
    return jax.jit(jax.vmap(game.legal_action_mask))


class Follower:
    """A player outside JAX that plays the first legal move, and notes all that it is told."""

    games_at_once = 4

    def __init__(self, game, gives_up=None):
        self.gives_up, self.legal = gives_up, legal_actions(game)
        self.told, self.keys, self.ended, self.is_open = [], [], set(), False

    @contextlib.contextmanager
    def open_match(self):
        self.is_open = True
        try:
            yield self
        finally:
            self.is_open = False

    def choose(self, turns):
        assert self.is_open
        mask = np.asarray(self.legal(turns.states))
        self.told += [
            (game, tuple(actions), state)
            for i, (game, actions) in enumerate(zip(turns.games, turns.actions, strict=True))
            if turns.is_turn[i]
            for state in [jax.tree.map(lambda x, i=i: x[i], turns.states)]
        ]
        self.keys += jax.random.key_data(turns.keys)[turns.is_turn].tolist()
        return mask.argmax(axis=1) if self.gives_up is None else np.full(len(mask), self.gives_up)

    def end(self, games):
        self.ended |= set(games)


def test_a_player_outside_jax_is_told_the_moves_of_each_of_its_games(tic_tac_toe, random):
    player = Follower(tic_tac_toe)
    result = play_match(tic_tac_toe, player, random, MatchSettings(20, opening_moves=2, seed=0))
    assert not player.is_open
    assert player.ended == {game for game, _, _ in player.told} == set(range(20))
    records = [game for pair in result.actions for game in pair]
    for game, actions, state in player.told:
        assert records[game][: len(actions)] == list(actions)
        assert len(actions) % 2 == game % 2  # A moves first in the even games
        replayed = replay(tic_tac_toe, actions)
        jax.tree.map(np.testing.assert_array_equal, replayed, state)
    assert len({(game, actions) for game, actions, _ in player.told}) == len(player.told)


def test_every_move_of_both_players_has_a_key_of_its_own(tic_tac_toe):
    players = Follower(tic_tac_toe), Follower(tic_tac_toe)
    play_match(tic_tac_toe, *players, MatchSettings(20, opening_moves=0, seed=0))
    keys = [tuple(key) for player in players for key in player.keys]
    assert len(set(keys)) == len(keys) > 100


def replay(game, actions):
    state = game.init(jax.random.key(0))
    for action in actions:
        state = jitted(game.step)(state, np.int32(action))
    return state


@pytest.mark.parametrize(("action", "forfeits"), [(RESIGNS, (0, 0)), (FORFEITS, (0, 20))])
def test_a_player_that_gives_up_loses(tic_tac_toe, random, action, forfeits):
    player = Follower(tic_tac_toe, gives_up=action)
    result = play_match(tic_tac_toe, random, player, MatchSettings(20, opening_moves=0, seed=0))
    assert result.wins == 20
    assert result.forfeits == forfeits
    swapped = play_match(tic_tac_toe, player, random, MatchSettings(20, opening_moves=0, seed=0))
    assert swapped.losses == 20
    assert swapped.forfeits == forfeits[::-1]

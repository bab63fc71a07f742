"""Self-play: how games start, continue across iterations, and are replaced once they end."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_same

from azjax.search import PUCT, SearchResult, evaluate_with_network
from azjax.support.errors import InputError
from azjax.training import Part, RandomMoves, SurpriseSampling, make_context
from azjax.training.selfplay import make_row, replace_finished, sample_actions, start_games
from azjax.training.state import Games, Move, Searched

from .numbered_replay import NO_STATE
from .tiny import (
    CONFIG,
    CONTEXT,
    GAME,
    NETWORK,
    as_float32,
    change,
    in_order,
    iterate,
    run,
    start,
    stones,
    with_parts,
)

ITERATIONS = 5


@jax.jit
def compiled_starts(config, init_keys, start_keys):
    return start_games(make_context(config), NO_STATE, init_keys, start_keys)


def many_starts(fraction, most):
    """Returns 2048 games of tic-tac-toe that start at random."""
    config = change(CONFIG, random_starts={"fraction": fraction, "moves": most})
    keys = jax.random.split(jax.random.key(0), (2, 2048))
    return jax.device_get(compiled_starts(as_float32(config), *keys))


def trajectories(history):
    """Returns each iteration's own moves [4, B, ...]."""
    for state in history.states[1:]:
        yield jax.tree.map(lambda x: x[-4:], in_order(state.replay))


@pytest.fixture(scope="module")
def history():
    return run(ITERATIONS)


def test_no_finished_position_is_ever_searched(history):
    for moves in trajectories(history):
        assert not moves.state.terminated.any()
        assert (moves.state.rewards == 0).all()
        assert (stones(moves.state) < 9).all()


def test_each_iteration_continues_where_the_last_one_ended(history):
    num_continued = 0
    for before, moves in zip(history.states, trajectories(history), strict=False):
        continues = ~before.games.state.terminated
        first, last = (
            jax.tree.map(lambda x, continues=continues: x[continues], states)
            for states in (jax.tree.map(lambda x: x[0], moves.state), before.games.state)
        )
        assert_same(first, last)
        num_continued += continues.sum()
    assert num_continued > 16


def test_every_move_adds_one_stone_of_the_mover_until_the_game_ends(history):
    for after, moves in zip(history.states[1:], trajectories(history), strict=True):
        boards = np.concatenate([moves.state.board, after.games.state.board[None]])
        players = np.concatenate(
            [moves.state.current_player, after.games.state.current_player[None]]
        )
        continues = moves.discount != 0
        old, new = boards[:-1][continues], boards[1:][continues]
        assert len(old) > 10
        assert ((old != new).sum(axis=(1, 2)) == 1).all()
        assert (new[old != new] == players[:-1][continues]).all()
        assert (old[old != new] == -1).all()
        assert (players[1:][continues] == 1 - players[:-1][continues]).all()
        assert (moves.action_weights[continues][(old != new).reshape(-1, 9)] > 0).all()


def test_a_game_s_age_counts_its_moves_and_starts_anew(history):
    age, ended = np.zeros(16, int), np.ones(16, bool)
    for after, moves in zip(history.states[1:], trajectories(history), strict=True):
        for discount in moves.discount:
            age = np.where(ended, 1, age + 1)
            ended = discount == 0
        np.testing.assert_array_equal(after.games.age, age)
        np.testing.assert_array_equal(after.games.state.terminated, ended)


def test_rewards_come_only_at_a_game_s_end_and_a_game_ends_in_a_result_or_a_full_board(history):
    for moves in trajectories(history):
        ended = moves.discount == 0
        assert (moves.reward[~ended] == 0).all()
        assert (moves.discount[~ended] == -1).all()
        assert (moves.reward[ended] >= 0).all()  # in tic-tac-toe no move loses at once
        draws = ended & (moves.reward == 0)
        assert (stones(moves.state)[draws] == 8).all()


def test_a_new_game_starts_from_the_empty_board_where_none_starts_at_random():
    history = run(ITERATIONS, config=change(CONFIG, random_starts={"fraction": 0.0}))
    counts = np.concatenate([stones(moves.state) for moves in trajectories(history)])
    ended = np.concatenate([moves.discount == 0 for moves in trajectories(history)])
    assert (counts[0] == 0).all()
    assert (counts[1:][ended[:-1]] == 0).all()
    assert ended[:-1].sum() > 16


@dataclasses.dataclass(frozen=True)
class RootVisits(Part):
    """Records the visits of roots."""

    name = "root_visits"

    def record_search(self, context, result):
        """Returns them, [B]."""
        return {"root_visits": result.tree.node_visits[:, 0]}


@pytest.mark.slow
def test_trees_are_kept_within_an_iteration_but_for_those_of_finished_games():
    config = with_parts(change(CONFIG, search={"kept_nodes": 16}), RootVisits())
    for moves in trajectories(run(2, config=config)):
        visits = moves.records["root_visits"]
        starts = np.concatenate([np.ones_like(moves.discount[:1], bool), moves.discount[:-1] == 0])
        assert (visits[starts] == 9).all()
        assert (visits[~starts] > 9).mean() > 0.5


def test_a_finished_game_is_replaced_whole():
    fresh = jax.tree.map(np.asarray, GAME.init(None))
    games = jax.tree.map(lambda x: np.resize(x, (4, *x.shape)), fresh)
    played = games._replace(
        board=np.ones_like(games.board),
        current_player=np.ones_like(games.current_player),
        terminated=np.array([True, False, True, False]),
        rewards=np.array([[1, -1], [0, 0], [-1, 1], [0, 0]], np.int8),
    )
    old = Games(played, np.array([5, 6, 7, 8], np.int32))
    new = Games(games, np.zeros(4, np.int32))
    replaced = jax.device_get(jax.jit(replace_finished)(old, new))
    for i in range(4):
        expected = old if i in (1, 3) else new
        assert_same(*(jax.tree.map(lambda x, i=i: x[i], g) for g in (replaced, expected)))


def test_a_recorded_row_is_from_the_mover_s_view():
    texts = ("XX./OO./... X", "OO./XX./X.. O", "XX./OO./... X", "XOX/OOX/X.O X")
    states = _stack([GAME.parse_state(text) for text in texts])

    @jax.jit
    def record_move(states, actions):
        result = SearchResult(actions, jnp.zeros((4, 9)), jnp.linspace(-1, 1, 4), tree=None)
        after = jax.vmap(GAME.step)(states, actions)
        return make_row(CONTEXT, Move(states, actions, after, Searched(result, 8)))

    row = record_move(states, np.array([2, 2, 8, 7], np.int32))
    np.testing.assert_array_equal(row.reward, [1, 1, 0, 0])  # either player wins; then a draw
    np.testing.assert_array_equal(row.discount, [0, 0, -1, 0])
    np.testing.assert_allclose(row.search_value, np.linspace(-1, 1, 4), atol=1e-6)
    assert_same(row.state, states)


def test_a_record_of_a_search_and_one_of_a_move_may_not_have_one_name():
    class Twice(Part):
        name = "twice"

        def record_search(self, context, result):
            return {"note": result.value}

        def record_move(self, context, move):
            return {"note": move.action}

    context = make_context(with_parts(CONFIG, Twice()))
    states = _stack([GAME.parse_state("XX./OO./... X")])
    result = SearchResult(jnp.zeros(1, int), jnp.zeros((1, 9)), jnp.zeros(1), tree=None)
    with pytest.raises(InputError, match="part twice: 'note' is recorded already"):
        make_row(context, Move(states, result.action, states, Searched(result, 8)))


@pytest.mark.slow
def test_the_surprise_is_relative_to_the_network_s_prior_without_noise():
    search = PUCT(num_simulations=8, dirichlet_fraction=0.75)
    config = with_parts(dataclasses.replace(CONFIG, search=search), SurpriseSampling())
    state = run(ITERATIONS).states[-1]

    @jax.jit
    def play_moves(state):
        _, moves, _ = config.algorithm.play(make_context(config), state, jax.random.key(0), 0.0)
        states = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), moves.state)
        evaluation = evaluate_with_network(GAME, NETWORK)(state.actor, None, states)
        return moves, jax.nn.softmax(evaluation.prior_logits)

    moves, prior = jax.device_get(play_moves(state))
    weights = moves.action_weights.reshape(prior.shape).astype(float)
    ratio = np.where(weights > 0, weights, 1) / np.where(weights > 0, prior, 1)
    expected = (weights * np.log(ratio)).sum(axis=-1)
    np.testing.assert_allclose(moves.records["surprise"].reshape(-1), expected, atol=1e-4)
    assert np.ptp(expected) > 0.1


def _stack(states):
    return jax.tree.map(lambda *x: np.stack([np.asarray(leaf) for leaf in x]), *states)


def test_the_depth_of_random_starts_is_uniform_up_to_its_maximum():
    fraction = 0.75
    starts = many_starts(fraction, 3.0)  # so few moves end no game
    depths = np.bincount(stones(starts.state)) / len(starts.age)
    np.testing.assert_allclose(depths, [1 - fraction] + 3 * [fraction / 3], atol=0.05)


def test_random_starts_are_unfinished_positions_that_play_can_reach():
    starts = many_starts(1.0, 8.0)
    board, player = starts.state.board, starts.state.current_player
    first, second = ((board == owner).sum(axis=(1, 2)) for owner in (0, 1))
    np.testing.assert_array_equal(first - second, player)
    assert not starts.state.terminated.any()
    assert (starts.state.rewards == 0).all()
    assert (starts.age == 0).all()
    assert (first + second >= 1).all()
    assert (first + second).max() >= 6
    for i in range(4):  # parsing refuses impossible positions
        text = GAME.format_state(jax.tree.map(lambda x, i=i: x[i], starts.state))
        assert not GAME.parse_state(text).terminated


NUM_SAMPLES = 8192
compiled_sample = jax.jit(functools.partial(sample_actions, temperature_moves=3.0))


@functools.cache
def keys():
    return jax.random.split(jax.random.key(0), NUM_SAMPLES)


def shares_of(actions):
    return np.bincount(actions, minlength=4) / NUM_SAMPLES


def choices(temperature, age, weights, best=0):
    """Returns the shares of the four actions, given their weights."""
    best, weights, age = (
        np.broadcast_to(x, (NUM_SAMPLES, *np.shape(x)))
        for x in (np.int32(best), np.float32(weights), np.int32(age))
    )
    result = SearchResult(best, weights, value=None, tree=None)
    return shares_of(compiled_sample(keys(), result, age, np.float32(temperature)))


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_early_moves_are_sampled_from_the_weights_at_the_temperature(temperature):
    weights = np.array([0.5, 0.3, 0.0, 0.2])
    expected = weights ** (1 / temperature) / (weights ** (1 / temperature)).sum()
    shares = choices(temperature, age=2, weights=weights)
    np.testing.assert_allclose(shares, expected, atol=0.025)
    assert shares[2] == 0


def test_later_moves_are_the_best_action():
    weights = np.array([0.5, 0.3, 0.0, 0.2])
    for age in (3, 4, 100):
        assert choices(1.0, age, weights, best=3)[3] == 1
    assert choices(1.0, 2, weights, best=3)[3] < 0.3


def test_a_low_temperature_plays_the_likeliest_action_and_no_illegal_one():
    shares = choices(0.01, age=0, weights=[0.3, 0.4, 0.0, 0.3])
    np.testing.assert_array_equal(shares, [0, 1, 0, 0])
    shares = choices(1e-3, age=0, weights=[0.0, 0.0, 1.0, 0.0])
    np.testing.assert_array_equal(shares, [0, 0, 1, 0])


def test_a_share_of_the_moves_is_legal_at_random():
    legal = np.array([True, True, False, True])[None].repeat(NUM_SAMPLES, axis=0)
    second = np.ones(NUM_SAMPLES, np.int32)

    @jax.jit
    def act(fraction):
        return RandomMoves(fraction).act(CONTEXT, keys(), legal, lambda: second)

    shares = shares_of(act(0.3))
    np.testing.assert_allclose(shares, [0.1, 0.8, 0, 0.1], atol=0.025)
    assert shares[2] == 0
    np.testing.assert_allclose(shares_of(act(1.0)), [1 / 3, 1 / 3, 0, 1 / 3], atol=0.025)


def test_games_are_identical_without_noise_temperature_and_random_starts():
    rng = np.random.default_rng(0)

    def play(temperature_moves):
        quiet = change(
            CONFIG,
            random_starts={"fraction": 0.0},
            algorithm={"temperature_moves": temperature_moves},
            search=CONFIG.search.without_noise(),
        )
        state = start(quiet)
        # A fresh network has ties between moves, which are broken at random.
        network = jax.tree.map(
            lambda x: x + np.float32(0.1 * rng.normal(size=x.shape)), state.actor
        )
        return jax.device_get(iterate(quiet, state.with_network(network)))

    state, metrics = play(temperature_moves=0.0)
    assert (state.games.state.board == state.games.state.board[:1]).all()
    assert metrics.distinct_positions == pytest.approx(4 / 64)
    assert play(temperature_moves=8.0)[1].distinct_positions > 0.4

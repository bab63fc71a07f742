"""Games of Pgx through the adapter: equal to Pgx's own, under the contract of azjax's games."""

import functools
import importlib
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.games import make
from azjax.games.laws import check_game
from azjax.games.pgx_adapter import PgxState
from azjax.networks import MLPConfig
from azjax.search import Gumbel
from azjax.training import TrainConfig, init_train_state, train_iteration

BATCH = 32
PLAYED = ["pgx:tic_tac_toe", pytest.param("pgx:animal_shogi", marks=pytest.mark.slow)]
TIC_TAC_TOE = make("pgx:tic_tac_toe")


class Played(NamedTuple):
    """The same random games on both sides from start to end, [T + 1, B, ...]."""

    ours: PgxState
    masks: np.ndarray
    theirs: Any  # pgx.State without the observation
    same_observation: np.ndarray  # [T + 1, B] bool
    actions: np.ndarray  # [T, B]; legal as long as a game lasts


@pytest.fixture(scope="module", params=PLAYED)
def game(request):
    return make(request.param)


@functools.cache
def play(game) -> Played:
    """Plays random games with the adapter and with Pgx, where half have Pgx's player 1 begin."""
    import pgx  # which builds arrays when it is imported

    env = pgx.make(game.env_id)

    def observe(ours, theirs):
        observed = jax.vmap(game.observe)(ours)
        same = (observed == theirs.observation).all((1, 2, 3))
        seen = ours, jax.vmap(game.legal_action_mask)(ours), theirs.replace(observation=same), same
        return (ours, theirs), seen

    def move(both, key):
        ours, theirs = both
        mask = jax.vmap(game.legal_action_mask)(ours)
        actions = jnp.where(mask, jax.random.uniform(key, mask.shape), -1.0).argmax(-1)
        after, seen = observe(
            jax.vmap(game.step)(ours, actions), jax.vmap(env.step)(theirs, actions)
        )
        return after, (seen, actions)

    def play_on(key):
        init_key, move_key = jax.random.split(key)
        keys = jax.random.split(init_key, BATCH)
        start, first = observe(jax.vmap(game.init)(keys), jax.vmap(env.init)(keys))
        _, (rest, actions) = jax.lax.scan(move, start, jax.random.split(move_key, game.max_moves))
        seen = jax.tree.map(lambda one, more: jnp.concatenate([one[None], more]), first, rest)
        return Played(*seen, actions)

    with jax.numpy_rank_promotion("allow"):
        return jax.device_get(jax.jit(play_on)(jax.random.key(0)))


def flat(tree):
    """Returns the tree with [T, B, ...] as [T * B, ...]."""
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), tree)


def at(tree, *index):
    return jax.tree.map(lambda x: x[index], tree)


# The same games


def test_games_are_the_same_as_in_pgx_at_each_step_with_player_0_first(game):
    ours, masks, theirs, same_observation, _ = play(game)
    swapped = theirs.current_player[0] == 1
    assert 0 < swapped.sum() < BATCH
    assert not ours.current_player[0].any()
    lasts = np.insert(~ours.terminated[:-1], 0, True, axis=0)  # up to the first finished state
    over = ours.terminated & lasts
    assert over.any(0).all()
    np.testing.assert_array_equal(ours.terminated[lasts], theirs.terminated[lasts])
    np.testing.assert_array_equal(masks[lasts & ~over], theirs.legal_action_mask[lasts & ~over])
    np.testing.assert_array_equal(
        ours.current_player[lasts], (theirs.current_player ^ swapped)[lasts]
    )
    rewards = np.where(swapped[:, None], theirs.rewards[..., ::-1], theirs.rewards)
    np.testing.assert_array_equal(ours.rewards[lasts], rewards[lasts])
    assert same_observation[lasts].all()
    assert {-1, 1} <= set(ours.rewards[over][:, 0].tolist())


def test_a_state_keeps_all_of_pgxs_state_while_a_game_lasts(game):
    ours, _, theirs, _, _ = play(game)
    lasts = ~ours.terminated
    for name, kept in ours.position.items():
        field = functools.reduce(getattr, name.split("."), theirs)
        np.testing.assert_array_equal(kept[lasts], field[lasts], name)
    found_elsewhere = {"observation", "legal_action_mask", "current_player", "_player_order"}
    for path, leaf in jax.tree.leaves_with_path(theirs):
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        if name not in ours.position and path[-1].name not in found_elsewhere:
            assert not leaf[lasts].any(), name


# A game of azjax


def test_it_obeys_the_laws():
    with jax.numpy_rank_promotion("allow"):
        check_game(TIC_TAC_TOE, num_games=BATCH)


@pytest.mark.parametrize("damage", ["", "?", "é", "QUJD", "cut", "another game"])
def test_parse_state_refuses_other_text_in_one_line(damage):
    another = make("pgx:connect_four")
    texts = {
        "cut": TIC_TAC_TOE.format_state(TIC_TAC_TOE.init(None))[:-4],
        "another game": another.format_state(another.init(None)),
    }
    with pytest.raises(ValueError, match=r"\Aposition [^\n]* is none of pgx:tic_tac_toe\Z"):
        TIC_TAC_TOE.parse_state(texts.get(damage, damage))


def test_a_game_is_a_draw_after_max_moves():
    game = make("pgx:tic_tac_toe:max_moves=3")
    assert game == make("pgx:tic_tac_toe", max_moves=3)
    state = game.init(None)
    for action in (0, 1, 3):
        assert not state.terminated
        state = jax.jit(game.step)(state, action)
    assert state.terminated
    assert not state.rewards.any()
    assert not game.legal_action_mask(state).any()
    assert make("pgx:tic_tac_toe", max_moves=1000) == TIC_TAC_TOE


@pytest.mark.slow
def test_a_game_first_used_inside_a_traced_function_can_be_played_outside():
    game = make("pgx:othello")
    traced = jax.jit(lambda action: game.step(game.init(None), action))(19)
    chex.assert_trees_all_equal(traced, jax.jit(game.step)(game.init(None), 19))


# Sizes


@pytest.mark.slow
def test_a_state_carries_no_observation_and_is_a_fraction_of_pgxs():
    game, shape, num_actions = make("pgx:animal_shogi"), (4, 3, 194), 132
    state = jax.eval_shape(game.init, jax.random.key(0))
    chex.assert_trees_all_equal(jax.eval_shape(game.step, state, 0), state)
    assert (game.observation_shape, game.num_actions) == (shape, num_actions)
    observation = jax.eval_shape(game.observe, state)
    assert (observation.shape, observation.dtype) == (shape, np.float32)
    mask = jax.eval_shape(game.legal_action_mask, state)
    assert (mask.shape, mask.dtype) == ((num_actions,), np.bool_)
    leaves = jax.tree.leaves(state)
    assert shape not in [leaf.shape for leaf in leaves]
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= 12210 / 5


# Names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pgx:ches", r"is 'pgx:ches'; did you mean 'pgx:chess'\?$"),
        ("pgx:backgammon", r"there are pgx:animal_shogi, .*, pgx:tic_tac_toe$"),
        ("pgx:kuhn_poker", "two players and perfect information is 'pgx:kuhn_poker'; there are"),
        ("pgx:2048", "there are pgx:animal_shogi"),
        ("pgx:minatar-breakout", "there are pgx:animal_shogi"),
        ("pgx:", "there are pgx:animal_shogi"),
    ],
)
def test_an_unknown_game_is_refused_and_the_known_games_are_listed(name, message):
    with pytest.raises(ValueError, match=message):
        make(name)


def test_impossible_keywords_are_refused():
    with pytest.raises(ValueError, match="max_moves=0: must be at least 1"):
        make("pgx:chess", max_moves=0)
    with pytest.raises(ValueError, match="pgx:chess has no size 'size'; there are max_moves"):
        make("pgx:chess", size=6)


def test_without_pgx_the_error_states_how_to_install_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"^game 'pgx:chess' needs Pgx: pip install 'azjax\[pgx\]'$"
    ):
        make("pgx:chess")


# Learning


@pytest.mark.slow
def test_a_training_iteration_plays_searches_and_learns():
    config = TrainConfig(
        game="pgx:tic_tac_toe",
        network=MLPConfig(channels=8, blocks=1),
        search=Gumbel(num_simulations=4),
        num_games=4,
        num_moves=2,
        replay_moves=4,
        num_updates=1,
        batch_size=8,
    )
    config = jax.tree.map(np.float32, config)
    state = jax.jit(init_train_state)(config, jax.random.key(0))
    after, metrics = jax.jit(train_iteration)(config, state, np.float32(0.0))
    assert np.isfinite([metrics.policy_loss, metrics.value_loss, metrics.gradient_norm]).all()
    before, learned = (jax.tree.leaves(x.learner.variables.params) for x in (state, after))
    assert any((old != new).any() for old, new in zip(before, learned, strict=True))

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

BATCH = 32
PLAYED = ["pgx:tic_tac_toe", pytest.param("pgx:connect_four", marks=pytest.mark.slow)]
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


# A game of azjax


def test_it_obeys_the_laws():
    with jax.numpy_rank_promotion("allow"):
        check_game(TIC_TAC_TOE, num_games=BATCH)


@pytest.mark.parametrize("damage", ["", "é", "QUJD", "cut", "another game"])
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


@pytest.mark.slow
def test_a_state_carries_no_observation_and_is_a_fraction_of_pgxs():
    leaves = jax.tree.leaves(jax.eval_shape(make("pgx:animal_shogi").init, jax.random.key(0)))
    assert (4, 3, 194) not in [leaf.shape for leaf in leaves]
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= 12210 / 5


# Names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pgx:ches", r"is 'pgx:ches'; did you mean 'pgx:chess'\?$"),
        ("pgx:kuhn_poker", "two players and perfect information is 'pgx:kuhn_poker'; there are"),
        ("pgx:minatar-breakout", "there are pgx:animal_shogi, .*, pgx:tic_tac_toe$"),
    ],
)
def test_an_unknown_game_is_refused_and_the_known_games_are_listed(name, message):
    with pytest.raises(ValueError, match=message):
        make(name)


def test_without_pgx_the_error_states_how_to_install_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"^game 'pgx:chess' needs Pgx: pip install 'azjax\[pgx\]'$"
    ):
        make("pgx:chess")

"""The same random games on both sides: azjax, and Pgx."""

import jax
import numpy as np
import pytest

from azjax.games import make

GAMES = 2048


def start(game, num_games=GAMES):
    """Returns the first states and masks, and the function from actions to the next ones."""

    def with_masks(states):
        return states, jax.vmap(game.legal_action_mask)(states)

    step = jax.jit(lambda states, actions: with_masks(jax.vmap(game.step)(states, actions)))
    first = with_masks(jax.vmap(game.init)(jax.random.split(jax.random.key(0), num_games)))
    return jax.device_get(first), lambda *arguments: jax.device_get(step(*arguments))


def choose_legal(generator, mask):
    """Returns a random legal action for each game, 0 where there is none."""
    return np.where(mask, generator.random(mask.shape), 0).argmax(-1).astype(np.int32)


class Pgx:
    """Games of Pgx, which chooses at random who moves first; here that is player 0."""

    def __init__(self, name, num_games=GAMES):
        import pgx  # which builds arrays when it is imported

        env = pgx.make(name)
        self._step = jax.jit(jax.vmap(env.step))
        self._states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), num_games))
        self._swap = np.asarray(self._states.current_player) == 1

    def evaluate(self, states=None):
        """Returns masks, whether the games are over, rewards and players to move."""
        states = jax.device_get(states or self._states)
        rewards = np.where(self._swap[:, None], states.rewards[:, ::-1], states.rewards)
        player = states.current_player ^ self._swap
        return states.legal_action_mask, states.terminated, rewards, player

    def after(self, actions):
        return self.evaluate(self._step(self._states, actions))

    def play(self, actions):
        self._states = self._step(self._states, actions)


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_random_games_are_the_same_in_pgx_at_each_step(name):
    (states, mask), step = start(make(name))
    theirs = Pgx(name)
    generator = np.random.default_rng(0)
    while not states.terminated.all():
        lasts = ~states.terminated
        their_mask, _, _, their_player = theirs.evaluate()
        np.testing.assert_array_equal(mask[lasts], their_mask[lasts])
        np.testing.assert_array_equal(states.current_player[lasts], their_player[lasts])

        illegal, was_wrong = mask.argmin(-1).astype(np.int32), lasts & ~mask.all(-1)
        assert_same_end(step(states, illegal)[0], theirs.after(illegal), was_wrong)

        actions = choose_legal(generator, mask)
        states, mask = step(states, actions)
        theirs.play(actions)
        assert_same_end(states, theirs.evaluate(), lasts)
    assert set(states.rewards[:, 0].tolist()) == {-1, 0, 1}


@pytest.mark.slow
def test_random_games_of_othello_are_the_same_in_pgx_which_may_end_them_with_two_passes():
    (states, mask), step = start(make("othello"), 512)
    theirs = Pgx("othello", 512)
    generator = np.random.default_rng(0)
    their_mask, has_ended, _, their_player = theirs.evaluate()
    while not has_ended.all():
        lasts, goes_on = ~states.terminated, ~has_ended
        np.testing.assert_array_equal(mask[lasts], their_mask[lasts])
        np.testing.assert_array_equal(states.current_player[lasts], their_player[lasts])
        assert (their_mask[goes_on & ~lasts] == (np.arange(65) == 64)).all()
        actions = np.where(lasts, choose_legal(generator, mask), 64)
        states, mask = step(states, actions)
        theirs.play(actions)
        seen = their_mask, has_ended, _, their_player = theirs.evaluate()
        assert_same_end(states, seen, goes_on & has_ended)
    assert set(states.rewards[:, 0].tolist()) == {-1, 0, 1}


def assert_same_end(ours, theirs, compared):
    _, terminated, rewards, _ = theirs
    np.testing.assert_array_equal(ours.terminated[compared], terminated[compared])
    np.testing.assert_array_equal(ours.rewards[compared], rewards[compared])

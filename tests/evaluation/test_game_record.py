"""The record of a game is consistent with its moves, seats, seed and keys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from games.moving import jitted

from azjax.evaluation import Player, random_player, record_game


def play_lowest(parameters, keys, states):
    return (states.board.reshape(len(keys), -1) == -1).argmax(axis=1).astype(jnp.int32)


LOWEST = Player(play_lowest)


@pytest.fixture(scope="module")
def record(tic_tac_toe):
    return record_game(tic_tac_toe, random_player(tic_tac_toe), LOWEST, seed=0)


def test_it_leads_from_the_start_to_the_end_by_its_moves(tic_tac_toe, record):
    assert len(record.states) == len(record.actions) + 1
    state = tic_tac_toe.init(jax.random.key(0))
    for before, action in zip(record.states, record.actions, strict=False):
        jax.tree.map(np.testing.assert_array_equal, before, state)
        assert not state.terminated
        assert jitted(tic_tac_toe.legal_action_mask)(state)[action]
        state = jitted(tic_tac_toe.step)(state, np.int32(action))
    jax.tree.map(np.testing.assert_array_equal, record.states[-1], state)
    assert state.terminated


def test_each_player_moves_in_its_own_seat(tic_tac_toe, record):
    def is_lowest(state, action):
        return action == np.flatnonzero(jitted(tic_tac_toe.legal_action_mask)(state))[0]

    moves = list(zip(record.states, record.actions, strict=False))
    assert all(is_lowest(*move) for move in moves[1::2])
    assert not all(is_lowest(*move) for move in moves[0::2])
    swapped = record_game(tic_tac_toe, LOWEST, random_player(tic_tac_toe), seed=0)
    moves = list(zip(swapped.states, swapped.actions, strict=False))
    assert all(is_lowest(*move) for move in moves[0::2])
    assert not all(is_lowest(*move) for move in moves[1::2])


def test_every_move_is_sampled_with_a_key_of_its_own(tic_tac_toe):
    """With one key for all moves, the random numbers of all positions would be equal."""
    seen = []

    def note_key(parameters, keys, states):
        jax.debug.callback(
            lambda data: seen.append(np.asarray(data).tobytes()), jax.random.key_data(keys)
        )
        return play_lowest(parameters, keys, states)

    record = record_game(tic_tac_toe, Player(note_key), Player(note_key), seed=0)
    jax.effects_barrier()
    assert len(set(seen)) == len(seen) == len(record.actions)

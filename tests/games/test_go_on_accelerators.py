"""Go without loops over data, as it is compiled for accelerators: the same rules."""

import jax
import numpy as np
import pytest
import scipy

from azjax.games import compiled_methods, make
from azjax.games.go import chains, superko
from azjax.games.go.chains import fill


def reach(starts, is_open):
    """Returns what is reached, by SciPy."""
    labels, _ = scipy.ndimage.label(is_open)
    return is_open & np.isin(labels, labels[starts])


def winding_boards(size):
    """Yields boards whose open cells are one long path: a serpentine, and its turn."""
    serpentine = np.ones((size, size), bool)
    for row in range(1, size, 2):
        serpentine[row] = False
        serpentine[row, 0 if row % 4 == 3 else -1] = True
    yield serpentine
    yield serpentine.T


@pytest.mark.parametrize("size", [2, 19])
def test_fill_reaches_what_paths_reach(size):
    rng = np.random.default_rng(size)
    boards = list(winding_boards(size))
    boards += [rng.random((size, size)) < share for share in (0.5, 0.6, 0.7) for _ in range(10)]
    compiled = jax.jit(fill)
    for is_open in boards:
        for cell in [np.argwhere(is_open)[:1], np.argwhere(is_open)[-1:]]:
            starts = np.zeros_like(is_open)
            starts[tuple(cell.T)] = True
            np.testing.assert_array_equal(compiled(starts, is_open), reach(starts, is_open))


def compiled(rule, *arguments):
    return jax.jit(jax.vmap(rule)).lower(*arguments).compile()


@jax.jit
@jax.vmap
def open_cells(state):
    liberties = chains.atari_liberties(state.chains)
    return chains.open_cells(state.chains, liberties, 1 - 2 * state.current_player)


@pytest.mark.parametrize("name", [pytest.param("go_5", marks=pytest.mark.slow), "go_5:size=3"])
def test_games_are_the_same(monkeypatch, name):
    """Superko forbids moves in some of them, on 3x3 most often."""
    game, keys = make(name), jax.random.split(jax.random.key(0), 256)
    states, first = jax.vmap(game.init)(keys), np.zeros(len(keys), np.int32)
    rules = []
    for is_cpu in (True, False):
        for module in (chains, superko):
            monkeypatch.setattr(module, "targets_cpu", lambda is_cpu=is_cpu: is_cpu)
        monkeypatch.setattr(compiled_methods, "device_elsewhere", lambda is_cpu=is_cpu: is_cpu)
        rules.append((compiled(game.step, states, first), compiled(game.legal_action_mask, states)))
    rng = np.random.default_rng(0)
    num_forbidden = 0
    for _ in range(game.max_moves):
        masks = [np.asarray(legal(states)) for _, legal in rules]
        np.testing.assert_array_equal(*masks)
        playable = np.asarray(open_cells(states)).reshape(len(keys), -1)
        num_forbidden += (playable & ~masks[0][:, :-1])[~np.asarray(states.terminated)].sum()
        is_pass = np.arange(game.num_actions) == game.num_actions - 1
        noise = rng.gumbel(size=masks[0].shape) - 3 * is_pass
        actions = np.where(masks[0], noise, -np.inf).argmax(axis=1).astype(np.int32)
        after = [step(states, actions) for step, _ in rules]
        jax.tree.map(np.testing.assert_array_equal, *after)
        states = after[0]
    assert states.terminated.all()
    assert num_forbidden > 40

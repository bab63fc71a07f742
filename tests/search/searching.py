"""Helpers of the tests of search: a configurable evaluation, positions, and tree walks."""

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import Game, hash_state, make
from azjax.search import Evaluation, Search, SearchResult, mask_illegal, rules_model, search
from azjax.support.component import get_component

from .moving_again import Countdown

ALGORITHMS = ("gumbel", "puct")
GAMES = ("tic_tac_toe", "connect_four")
SEARCHES = (*ALGORITHMS, "uct")
BATCH = 16  # positions per search; fewer are padded, so that each search compiles once
SIMULATIONS = {"tic_tac_toe": 128, "connect_four": 256}
_STEPS = BATCH * 256  # transitions stepped at once


class EvaluationParams(NamedTuple):
    """The parameters of `evaluate`; by default all priors are uniform and all values are 0."""

    logits: Any = 0.0  # [] or [A], the same in every position
    only_at: int = 0  # the hash of the only position with those logits, unless 0
    variation: float = 0.0  # the scale of pseudorandom logits and values of positions
    illegal_bonus: float = 0.0  # added to the raw logits of illegal actions


UNIFORM = EvaluationParams()


def evaluate(game: Game, params: EvaluationParams, keys: Any, states: Any) -> Evaluation:
    del keys
    legal = jax.vmap(game.legal_action_mask)(states)
    hashes = jax.vmap(hash_state)(states)
    factors = np.random.default_rng(1).integers(2**32, size=legal.shape[1] + 1, dtype=np.uint32)
    numbers = jnp.outer(hashes, jnp.asarray(factors | 1))  # [B, A + 1], modulo 2**32
    numbers = (numbers >> 8).astype(jnp.float32) / 2**23 - 1  # from -1 to 1
    here = (params.only_at == 0) | (hashes == params.only_at)
    logits = jnp.outer(here, params.logits) + params.variation * numbers[:, :-1]
    logits = logits + params.illegal_bonus * ~legal
    return Evaluation(mask_illegal(logits, legal), params.variation * numbers[:, -1])


def make_search(algorithm: str, num_simulations: int, **options) -> Search:
    """Returns a search of a name without noise."""
    config = get_component("search", algorithm)().without_noise()
    return dataclasses.replace(config, num_simulations=num_simulations, **options)


def search_game(game: Game) -> Callable[..., SearchResult]:
    """Returns the uncompiled `(search, params, keys, states) -> SearchResult`."""
    return functools.partial(search, rules_model(game, functools.partial(evaluate, game)))


def with_numbers(config: Search, **changes: Any) -> Search:
    """Returns a search with some of its numbers changed; it need not have all that are given."""
    known = {name: value for name, value in changes.items() if hasattr(config, name)}
    return jax.tree.map(np.float32, dataclasses.replace(config, **known))


class Searcher:
    """A compiled search, called with any number of positions up to `BATCH`."""

    def __init__(self, game: Game, config: Search):
        self.game, self.config = game, config
        self.compiled = jax.jit(search_game(game))

    @property
    def num_simulations(self) -> int:
        return self.config.num_simulations

    def __call__(
        self, states: Any, params: EvaluationParams = UNIFORM, seed: int = 0, keys=None, **changes
    ):
        """Returns the result in NumPy; `changes` are to numbers of the search, see there."""
        size = len(states.terminated)
        if keys is None:
            keys = jax.random.split(jax.random.key(seed), BATCH)[:size]
        padding = np.arange(BATCH) % size
        padded = jax.tree.map(lambda x: np.asarray(x)[padding], states)
        params = params._replace(
            logits=np.broadcast_to(np.float32(params.logits), self.game.num_actions)
        )
        only_at = np.uint32(params.only_at)
        params = jax.tree.map(np.float32, params)._replace(only_at=only_at)
        config = with_numbers(self.config, **changes)
        result = self.compiled(config, params, keys[padding], padded)
        return jax.tree.map(lambda x: _as_numpy(x)[:size], result)


def _as_numpy(array: jax.Array) -> np.ndarray:
    is_keys = jnp.issubdtype(array.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(array) if is_keys else array)


@functools.cache
def searcher(
    game_name: str, algorithm: str, num_simulations: int | None = None, **options
) -> Searcher:
    num_simulations = num_simulations or SIMULATIONS[game_name]
    return Searcher(make(game_name), make_search(algorithm, num_simulations, **options))


@functools.cache
def narrow_searcher() -> Searcher:
    """Returns the search that considers three actions, by Q-values as they are."""
    return searcher("tic_tac_toe", "gumbel", 16, max_num_considered_actions=3, rescale_values=False)


@functools.cache
def countdown_searcher(algorithm: str) -> Searcher:
    """Returns the search of a game in which the mover may keep the turn."""
    return Searcher(Countdown(), make_search(algorithm, 64))


@functools.cache
def _stepper(game: Game):
    return jax.jit(jax.vmap(game.step)), jax.jit(jax.vmap(game.legal_action_mask))


def _padded(x: np.ndarray) -> np.ndarray:
    return np.resize(x, (_STEPS, *np.shape(x)[1:]))


def step(game: Game, states: Any, actions: np.ndarray) -> Any:
    size = len(actions)
    after = _stepper(game)[0](jax.tree.map(_padded, states), _padded(np.int32(actions)))
    return jax.tree.map(lambda x: np.asarray(x)[:size], after)


def legal_actions(game: Game, states: Any) -> np.ndarray:
    size = len(states.terminated)
    return np.asarray(_stepper(game)[1](jax.tree.map(_padded, states)))[:size]


def positions(game: Game, *texts: str) -> Any:
    states = [game.parse_state(text) for text in texts]
    return jax.tree.map(lambda *x: np.stack([np.asarray(leaf) for leaf in x]), *states)


@functools.cache
def random_positions(game_name: str) -> Any:
    """Returns `BATCH` unfinished positions of many depths, some with full columns."""
    game, rng = make(game_name), np.random.default_rng(3)
    start = jax.tree.map(np.asarray, game.init(jax.random.key(0)))
    states = jax.tree.map(lambda x: np.resize(x, (_STEPS, *x.shape)), start)
    # Low actions are preferred, so that columns at the left fill up.
    preference = -0.8 * np.arange(game.num_actions)
    num_moves = rng.integers(game.max_moves - 2, size=_STEPS)
    for ply in range(num_moves.max()):
        noise = rng.gumbel(size=(_STEPS, game.num_actions)) + preference[None]
        actions = np.where(legal_actions(game, states), noise, -np.inf).argmax(axis=1)
        after = step(game, states, actions)
        continues = (ply < num_moves) & ~after.terminated
        states = jax.tree.map(
            lambda old, new, on=continues: np.where(
                on.reshape(-1, *[1] * (old.ndim - 1)), new, old
            ),
            states,
            after,
        )
    order = np.argsort((states.board != -1).sum(axis=(1, 2)), kind="stable")
    chosen = order[np.linspace(0, _STEPS - 1, BATCH).astype(int)]
    return jax.tree.map(lambda x: x[chosen], states)


class Edges(NamedTuple):
    """All E edges of a batch of trees that are reachable from their roots."""

    tree: np.ndarray  # [E]
    parent: np.ndarray  # [E]
    action: np.ndarray  # [E]
    child: np.ndarray  # [E]


def _walk(children_index: np.ndarray) -> Iterator[tuple[int, int, int]]:
    nodes = [0]
    while nodes:
        parent = nodes.pop()
        for action in np.flatnonzero(children_index[parent] >= 0):
            child = int(children_index[parent, action])
            nodes.append(child)
            yield parent, int(action), child


def walk(tree: Any) -> Edges:
    rows = [(i, *edge) for i, one in enumerate(tree.children_index) for edge in _walk(one)]
    return Edges(*np.array(rows).T)


def edge_qvalues(tree: Any) -> Any:
    """Returns [B, N, A] the Q-value of every edge, from the view of who moves along it."""
    return tree.children_rewards + tree.children_discounts * tree.children_values


def states_at(tree: Any, index: np.ndarray, nodes: np.ndarray) -> Any:
    return jax.tree.map(lambda x: x[index, nodes], tree.embeddings)

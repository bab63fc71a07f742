"""Players: pure functions from a batch of positions to moves.

A player is a function, `act`, and its parameters. `act` is hashable, and equal for two players that
differ in their parameters only; so both share one compiled program.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.truth.solution import plays_best, solve
from azjax.games import Game, State, hash_state, sample_from_mask
from azjax.networks import Network, Variables
from azjax.search import (
    Model,
    Search,
    SearchResult,
    TreeSearch,
    evaluate_with_network,
    evaluate_with_rollouts,
    likeliest_action,
    network_model,
    rules_model,
    search,
)
from azjax.support.machine.devices import make_mesh, replicate, shard_over_devices
from azjax.support.program_cache import cache_programs

Act = Callable[[Any, chex.PRNGKey, State], chex.Array]


class Player(NamedTuple):
    """A player: `act(parameters, keys [B], states [B, ...]) -> actions [B]`.

    The actions are legal in unfinished states. `act` is pure and hashable.
    """

    act: Act
    parameters: Any = ()


def choose_actions(
    player: Player, states: State, keys: chex.PRNGKey, num_devices: int = 1
) -> np.ndarray:
    """Returns [P], the player's moves in [P, ...] unfinished states, with a key for each.

    One program is compiled for all players of the same `act`; devices share the positions.
    """
    inputs = prepare_inputs(player, states, keys, num_devices)
    actions = _shard(player.act, num_devices)(*inputs)
    return np.asarray(actions)[: len(states.terminated)]


def prepare_inputs(
    player: Player, states: State, keys: chex.PRNGKey, num_devices: int
) -> tuple[Any, chex.PRNGKey, State]:
    """Returns a player's parameters on all devices, and keys and states padded for them."""
    size = len(states.terminated)
    own = for_one_position(player) if size == 1 else player
    indices = padded_indices(size, num_devices)
    padded = jax.tree.map(lambda x: np.asarray(x)[indices], states)
    return replicate(own.parameters, make_mesh(num_devices)), keys[indices], padded


def for_one_position(player: Player) -> Player:
    """Returns the player with the search that finds one position by itself the soonest."""
    if not isinstance(player.act, SearchAct):
        return player
    search = player.parameters.search.for_one_position()
    return player._replace(parameters=player.parameters._replace(search=search))


def padded_indices(size: int, num_devices: int) -> np.ndarray:
    """Returns the indices of a batch, padded so that every device has as many."""
    return np.arange(size + -size % num_devices) % size


@functools.partial(cache_programs, most=32)
def _shard(act: Act, num_devices: int) -> Callable[[Any, chex.PRNGKey, State], chex.Array]:
    return shard_over_devices(act, make_mesh(num_devices))


def random_player(game: Game) -> Player:
    """Returns the player that samples uniformly from the legal moves."""
    return Player(_Random(game))


def optimal_player(game: Game) -> Player:
    """Returns the player that samples uniformly from the best moves of the game's solution.

    Where positions can recur, a won game gets shorter by each of its moves. Raises ValueError if
    the game cannot be solved, see `solve`.
    """
    solution = solve(game)
    best = plays_best(solution)
    hashes = np.asarray(jax.jit(jax.vmap(hash_state))(solution.states))
    order = hashes.argsort()
    if len(np.unique(hashes)) != len(hashes):
        raise ValueError(f"{game.name}: two positions of the solution have the same hash")
    return Player(_Optimal(game), (hashes[order], best[order]))


def network_player(game: Game, network: Network, variables: Variables) -> Player:
    """Returns the player of the move with the largest prior logit, without search."""
    return Player(_Policy(game, network), variables)


def value_player(player: Player) -> Player:
    """Returns what says, by a network or search, each position's nearest value, as in `VALUES`."""
    return Player(_NearestValue(player.act), player.parameters)


@dataclasses.dataclass(frozen=True)
class SearchAgent:
    """A network that plays a game with search; its variables are passed separately."""

    game: Game
    network: Network
    search_config: Search

    @property
    def is_random(self) -> bool:
        """Whether the moves of its search depend on the key."""
        return SearchAct(self.game, self.network, has_rollouts=False).is_random(self.search_config)


class SearchParameters(NamedTuple):
    """The parameters of a player with search."""

    variables: Variables | tuple[()]  # the network's; () if rollouts alone evaluate the leaves
    search: Search  # without noise
    rollout_weight: float  # weight of the rollout in a leaf's value; the rest is the network's


def search_player(agent: SearchAgent, variables: Variables, rollout_weight: float = 0.0) -> Player:
    """Returns the player of the move that the agent's search selects, without noise.

    The network evaluates the leaves, mixed with rollouts if their weight is above 0;
    then the search is over the rules, whatever the network.
    """
    noiseless = agent.search_config.without_noise()
    act = SearchAct(agent.game, agent.network, has_rollouts=rollout_weight > 0)
    return Player(act, SearchParameters(variables, noiseless, rollout_weight))


def mcts_player(game: Game, config: Search) -> Player:
    """Returns the player whose search evaluates leaves by rollouts, without a network.

    By `UCT` this is plain Monte Carlo tree search.
    """
    act = SearchAct(game, None, has_rollouts=True)
    return Player(act, SearchParameters((), config.without_noise(), 1.0))


@dataclasses.dataclass(frozen=True)
class _Random:
    game: Game

    def __call__(self, parameters: tuple[()], keys: chex.PRNGKey, states: State) -> chex.Array:
        return jax.vmap(sample_from_mask)(keys, jax.vmap(self.game.legal_action_mask)(states))


@dataclasses.dataclass(frozen=True)
class _Optimal:
    game: Game

    def __call__(
        self, table: tuple[chex.Array, chex.Array], keys: chex.PRNGKey, states: State
    ) -> chex.Array:
        sorted_hashes, best = (jnp.asarray(x) for x in table)
        hashes = jax.vmap(hash_state)(jax.vmap(self.game.without_move_count)(states))
        return jax.vmap(sample_from_mask)(keys, best[jnp.searchsorted(sorted_hashes, hashes)])


@dataclasses.dataclass(frozen=True)
class _Policy:
    game: Game
    network: Network

    def __call__(self, variables: Variables, keys: chex.PRNGKey, states: State) -> chex.Array:
        evaluate = evaluate_with_network(self.game, self.network)
        return likeliest_action(evaluate(variables, keys, states).prior_logits, keys)

    def values(self, variables: Variables, keys: chex.PRNGKey, states: State) -> chex.Array:
        return evaluate_with_network(self.game, self.network)(variables, keys, states).value


@dataclasses.dataclass(frozen=True)
class SearchAct:
    """The `act` of a player that searches; how is among the player's parameters."""

    game: Game
    network: Network | None  # None: rollouts alone evaluate the leaves
    has_rollouts: bool

    def is_random(self, config: Search) -> bool:
        """Tells whether moves depend on the key: by rollouts, or by actions that are sampled."""
        if config.simulations_made == 0:
            return False
        evaluates_alone = self.network is not None and self.network.config.value_head != "none"
        samples = isinstance(config, TreeSearch) and config.sampled_actions > 0
        return self.has_rollouts or not evaluates_alone or samples

    def __call__(
        self, parameters: SearchParameters, keys: chex.PRNGKey, states: State
    ) -> chex.Array:
        """Returns the actions [B]."""
        return self.search(parameters, keys, states).action

    def values(self, parameters: SearchParameters, keys: chex.PRNGKey, states: State) -> chex.Array:
        """Returns the values [B] of the roots."""
        return self.search(parameters, keys, states).value

    def search(
        self, parameters: SearchParameters, keys: chex.PRNGKey, states: State, kept: Any = None
    ) -> SearchResult:
        """Returns the searches of B positions, given what earlier ones kept."""
        variables, config, rollout_weight = parameters
        model = self.make_model(rollout_weight)
        return search(model, config, variables, keys, states, kept=kept)

    def init_kept(self, parameters: SearchParameters, states: State) -> Any:
        """Returns what searches keep before the first; None: they keep nothing."""
        variables, config, rollout_weight = parameters
        return config.init_kept(self.make_model(rollout_weight), variables, states)

    def make_model(self, rollout_weight: chex.Numeric) -> Model:
        """Returns what is searched over: the rules, or the network's own model."""
        if self.network is None:
            return rules_model(self.game, evaluate_with_rollouts(self.game))
        weight = rollout_weight if self.has_rollouts else None
        return network_model(self.game, self.network, weight)


@dataclasses.dataclass(frozen=True)
class _NearestValue:
    act: Any  # a _Policy or a SearchAct

    def __call__(self, parameters: Any, keys: chex.PRNGKey, states: State) -> chex.Array:
        values = self.act.values(parameters, keys, states)
        return 1 + jnp.clip(jnp.round(values), -1, 1).astype(jnp.int32)

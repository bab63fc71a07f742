"""The loop of Pgx's AlphaZero example: rules by Pgx, search by mctx, a network by Haiku.

As in the example, `jax.pmap` maps self-play and learning over devices: games and batches are split,
gradients are averaged, each device keeps its statistics of batch normalization. All arrays have a
leading axis of D devices. One mistake of the example is corrected: there the first search of a
game that follows another one starts from a state that is marked as terminated.

Importing Pgx starts JAX's backend, so this module is imported after the devices have been set.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import mctx
import numpy as np
import optax
import pgx
from pgx.experimental import auto_reset

_AXIS = "devices"
SEARCHES = {"gumbel": mctx.gumbel_muzero_policy, "puct": mctx.muzero_policy}


class Model(NamedTuple):
    """The variables of a network."""

    params: Any
    batch_stats: Any


class Learner(NamedTuple):
    """What an update changes."""

    model: Model
    optimizer_state: Any


class Samples(NamedTuple):
    """Positions to train on, from the view of the player to move."""

    observation: jax.Array  # [..., H, W, C]
    policy: jax.Array  # [..., A] action weights of the search
    value: jax.Array  # [...] the result of the game
    is_known: jax.Array  # [...] bool, whether the game has ended, so that the result is known


def local_devices(*sizes: int) -> list[jax.Device]:
    """Returns as many of JAX's devices as divide all of the sizes."""
    devices, common = jax.local_devices(), math.gcd(*sizes)
    return devices[: max(n for n in range(1, len(devices) + 1) if common % n == 0)]


class PgxExample:
    """Programs of the example for one game and network, compiled at their first call."""

    def __init__(
        self,
        game: str,
        channels: int,
        blocks: int,
        devices: Sequence[jax.Device],
        learning_rate: float = 1e-3,
    ):
        self.env = pgx.make(game)
        self.devices = devices
        network = functools.partial(_resnet_v2, self.env.num_actions, channels, blocks)
        self._network = hk.without_apply_rng(hk.transform_with_state(network))
        self._optimizer = optax.adam(learning_rate)
        self.update = self._over_devices(self._update)
        self.evaluate = self._over_devices(self._evaluate)

    def init(self, seed: int) -> Learner:
        """Returns the same new learner on every device."""
        return self._over_devices(self.init_of_a_device)(
            jnp.stack([jax.random.key(seed)] * self._num_devices)
        )

    def num_parameters(self, model: Model) -> int:
        """Returns the number of parameters of a model, without its statistics."""
        return sum(x[0].size for x in jax.tree.leaves(model.params))

    def split_key(self, key: jax.Array) -> jax.Array:
        """Returns a key [D] for each device."""
        return jax.random.split(key, self._num_devices)

    def split(self, batch: Any) -> Any:
        """Returns arrays [N, ...] split over the devices, [D, N / D, ...]."""
        return jax.tree.map(lambda x: x.reshape(self._num_devices, -1, *x.shape[1:]), batch)

    def new_games(self, num_games: int) -> Any:
        """Returns the start states of games, split over the devices."""
        keys = self.split(jax.random.split(jax.random.key(0), num_games))
        return self._over_devices(jax.vmap(self.env.init))(keys)

    def selfplay(self, games: int, moves: int, simulations: int, search: str) -> Callable:
        """Returns `play(model, keys [D])`, which plays new games and returns samples [D, T, B].

        Args:
          games: Games on all devices together, a multiple of D.
          moves: T, moves played in each game; where one ends, another begins.
          simulations: Simulations of a search.
          search: A name of `SEARCHES`.
        """
        own_games = games // self._num_devices
        play = self.selfplay_of_a_device(own_games, moves, simulations, search)
        return self._over_devices(play)

    def selfplay_of_a_device(
        self, games: int, moves: int, simulations: int, search: str
    ) -> Callable:
        """Returns `play(model, key)`, one device's part of `selfplay`, without its leading axis."""
        policy = functools.partial(SEARCHES[search], num_simulations=simulations)
        return functools.partial(self._play, policy, games, moves)

    def compile_iteration(self, play: Callable, learner: Learner, batch_size: int) -> Callable:
        """Returns `iterate(learner, key)`, compiled: it plays, and trains on each position once.

        Args:
          play: Made by `selfplay`.
          learner: A learner.
          batch_size: Samples of an update on all devices together, a multiple of D. The samples
            that do not fill a batch are left out.
        """
        arguments = learner.model, self.split_key(jax.random.key(0))
        made = jax.eval_shape(play, *arguments)
        shapes = jax.tree.map(lambda x: np.zeros((batch_size, *x.shape[3:]), x.dtype), made)
        play = play.lower(*arguments).compile()
        update = self.update.lower(learner, self.split(shapes)).compile()

        def iterate(learner: Learner, key: jax.Array) -> Learner:
            play_key, order_key = jax.random.split(key)
            samples = jax.device_get(play(learner.model, self.split_key(play_key)))
            samples = jax.tree.map(lambda x: x.reshape(-1, *x.shape[3:]), samples)
            order = np.asarray(jax.random.permutation(order_key, len(samples.value)))
            for start in range(0, len(order) - batch_size + 1, batch_size):
                batch = _take(samples, order[start : start + batch_size])
                learner = update(learner, self.split(batch))
            return jax.block_until_ready(learner)

        return iterate

    def choice(self, simulations: int) -> Callable:
        """Returns `choose(model, states)`: actions of the network alone, and by Gumbel's search."""
        policy = functools.partial(
            mctx.gumbel_muzero_policy, num_simulations=simulations, gumbel_scale=0.0
        )
        return self._over_devices(functools.partial(self._choose, policy))

    @property
    def _num_devices(self) -> int:
        return len(self.devices)

    def _over_devices(self, function: Callable) -> Callable:
        return jax.pmap(function, axis_name=_AXIS, devices=self.devices)

    def init_of_a_device(self, key: jax.Array) -> Learner:
        """Returns a new learner, without the leading axis of devices."""
        observation = self.env.init(key).observation[None]
        model = Model(*self._network.init(key, observation, is_training=True))
        return Learner(model, self._optimizer.init(model.params))

    def _evaluate(self, model: Model, states: Any) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits, the lowest number for illegal actions, and values."""
        (logits, value), _ = self._network.apply(*model, states.observation, is_training=False)
        logits = logits - logits.max(axis=-1, keepdims=True)
        return jnp.where(states.legal_action_mask, logits, jnp.finfo(logits.dtype).min), value

    def _root(self, model: Model, states: Any) -> mctx.RootFnOutput:
        logits, value = self._evaluate(model, states)
        return mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)

    def _expand(self, model: Model, key: jax.Array, action: jax.Array, states: Any) -> Any:
        """Steps the environment and evaluates the next states: mctx's recurrent function."""
        del key
        after = jax.vmap(self.env.step)(states, action)
        logits, value = self._evaluate(model, after)
        output = mctx.RecurrentFnOutput(
            reward=_rewards_of(states.current_player, after),
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(after.terminated, 0.0, value),
        )
        return output, after

    def _play(
        self, policy: Callable, num_games: int, num_moves: int, model: Model, key: jax.Array
    ) -> Samples:
        step = jax.vmap(auto_reset(self.env.step, self.env.init))

        def move(states, key):
            search_key, reset_key = jax.random.split(key)
            output = self._search(policy, model, search_key, self._root(model, states))
            after = step(states, output.action, jax.random.split(reset_key, num_games))
            reward = _rewards_of(states.current_player, after)
            made = states.observation, output.action_weights, reward, after.terminated
            return _without_result(after), made

        init_key, play_key = jax.random.split(key)
        states = jax.vmap(self.env.init)(jax.random.split(init_key, num_games))
        _, made = jax.lax.scan(move, states, jax.random.split(play_key, num_moves))
        observation, action_weights, reward, ended = made
        return Samples(observation, action_weights, *_targets(reward, ended))

    def _update(self, learner: Learner, batch: Samples) -> Learner:
        model, optimizer_state = learner

        def loss(params):
            (logits, value), batch_stats = self._network.apply(
                params, model.batch_stats, batch.observation, is_training=True
            )
            policy_loss = optax.softmax_cross_entropy(logits, batch.policy).mean()
            value_loss = (optax.l2_loss(value, batch.value) * batch.is_known).mean()
            return policy_loss + value_loss, batch_stats

        gradient, batch_stats = jax.grad(loss, has_aux=True)(model.params)
        gradient = jax.lax.pmean(gradient, _AXIS)
        updates, optimizer_state = self._optimizer.update(gradient, optimizer_state)
        params = optax.apply_updates(model.params, updates)
        return Learner(Model(params, batch_stats), optimizer_state)

    def _choose(self, policy: Callable, model: Model, states: Any) -> tuple[jax.Array, jax.Array]:
        root = self._root(model, states)
        output = self._search(policy, model, jax.random.key(0), root)
        return root.prior_logits.argmax(axis=-1), output.action

    def _search(self, policy: Callable, model: Model, key: jax.Array, root: Any) -> Any:
        invalid_actions = ~root.embedding.legal_action_mask
        return policy(model, key, root, self._expand, invalid_actions=invalid_actions)


def _take(samples: Samples, indices: np.ndarray) -> Samples:
    return jax.tree.map(lambda x: x[indices], samples)


def _rewards_of(player: jax.Array, states: Any) -> jax.Array:
    """Returns the rewards [B] of a player [B]."""
    return jnp.take_along_axis(states.rewards, player[:, None], axis=1)[:, 0]


def _without_result(states: Any) -> Any:
    """Returns the states without the result of the game before, which `auto_reset` leaves there."""
    nothing = jnp.zeros_like
    return states.replace(
        terminated=nothing(states.terminated),
        truncated=nothing(states.truncated),
        rewards=nothing(states.rewards),
    )


def _targets(reward: jax.Array, ended: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Returns the values [T, B] of rewards [T, B] of the movers, and whether they are known.

    v_t = r_t - v_{t+1}, or r_t where the game ends.
    """

    def step(later, now):
        value, is_known = later
        reward, ended = now
        made = reward - jnp.where(ended, 0.0, value), is_known | ended
        return made, made

    nothing = jnp.zeros_like(reward[0]), jnp.zeros_like(ended[0])
    return jax.lax.scan(step, nothing, (reward, ended), reverse=True)[1]


def _resnet_v2(
    num_actions: int, channels: int, blocks: int, observation: jax.Array, is_training: bool
) -> tuple[jax.Array, jax.Array]:
    """Returns policy logits [B, A] and values [B]."""

    def norm_relu(x):
        return jax.nn.relu(hk.BatchNorm(True, True, 0.9)(x, is_training))

    x = hk.Conv2D(channels, 3)(observation.astype(jnp.float32))
    for _ in range(blocks):
        hidden = hk.Conv2D(channels, 3)(norm_relu(x))
        x = x + hk.Conv2D(channels, 3)(norm_relu(hidden))
    x = norm_relu(x)
    policy = hk.Flatten()(norm_relu(hk.Conv2D(2, 1)(x)))
    value = hk.Flatten()(norm_relu(hk.Conv2D(1, 1)(x)))
    value = hk.Linear(1)(jax.nn.relu(hk.Linear(channels)(value)))
    return hk.Linear(num_actions)(policy), jnp.tanh(value[:, 0])

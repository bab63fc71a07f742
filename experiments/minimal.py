"""AlphaZero in one file, from game to learning curve: read this first, and copy it.

`python experiments/minimal.py FOLDER` learns tic-tac-toe. The rules, the network and the search are
azjax's; the rest of the loop is here. All values are from the view of the player to move.
"""

import functools
import pathlib
import sys
import time
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from matplotlib.figure import Figure

from azjax import search
from azjax.evaluation import AccuracyCheck, SearchAgent, find_positions
from azjax.games import State, make, play_random_moves
from azjax.networks import MLPConfig, Variables, make_network, weight_decay_mask
from azjax.support.machine.devices import AXIS, make_mesh, use_all_cores

GAME = make("tic_tac_toe")
LAYERS = MLPConfig(channels=128, blocks=1)
NETWORK = make_network(LAYERS, GAME.observation_shape, GAME.num_actions)
MODEL = search.rules_model(GAME, search.evaluate_with_network(GAME, NETWORK))
SEARCH = search.Gumbel(num_simulations=32, gumbel_scale=0.4, value_scale=0.5)
NUM_ITERATIONS, EVALUATE_EVERY = 50, 2
NUM_GAMES, NUM_MOVES = 512, 8  # B, games side by side; T, moves in each of them per iteration
RANDOM_STARTS, RANDOM_MOVES = 0.8, 6  # share of games with random moves first; their maximum
SAMPLED_MOVES, TEMPERATURE = 4, 1.9  # so many early moves are sampled from the search's policy
REPLAY_MOVES = 64  # C, the newest moves of each game that replay holds
NUM_UPDATES, BATCH_SIZE = 16, 1024  # updates per iteration; S, samples of an update
TOTAL_UPDATES = NUM_ITERATIONS * NUM_UPDATES
RATE = optax.warmup_cosine_decay_schedule(0.002, 0.02, TOTAL_UPDATES // 8, TOTAL_UPDATES, 0.002)
OPTIMIZER = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(RATE, mask=weight_decay_mask))
VALUE_LOSS_WEIGHT, EMA_DECAY = 0.45, 0.93


class Learner(NamedTuple):
    """The network and its optimizer, the same on every device."""

    variables: Variables
    ema_variables: Variables  # the EMA of `variables` over updates, which plays
    opt_state: Any


class Moves(NamedTuple):
    """Moves of self-play, [T, B, ...], or of replay, [C, B, ...]."""

    state: State  # before the move
    policy: jax.Array  # [..., A] of the search
    value: jax.Array  # of the search
    reward: jax.Array
    discount: jax.Array  # -1 if the other player is next, 1 if the same, 0 if the game has ended


def start_games(key, num_games):
    """Samples states [B] and ages 0: from one initial state, play would collapse into few lines."""
    init_key, move_key = jax.random.split(key)
    state = jax.vmap(GAME.init)(jax.random.split(init_key, num_games))
    uniforms = jax.random.uniform(move_key, (num_games, 2 + RANDOM_MOVES))
    num_moves = jnp.int32(1 + uniforms[:, 0] * RANDOM_MOVES) * (uniforms[:, 1] < RANDOM_STARTS)
    play_random = jax.vmap(functools.partial(play_random_moves, GAME))
    return play_random(state, num_moves, uniforms[:, 2:]), jnp.zeros(num_games, jnp.int32)


def play(variables, games, key):
    """Plays T moves in each of B games: states, and ages, which count the moves since the start."""

    def move(games, key):
        start_key, search_key, action_key = jax.random.split(key, 3)
        is_over, new = games[0].terminated, start_games(start_key, len(games[1]))
        # Every array is replaced: a new game that kept `terminated` would be searched as finished.
        state, age = jax.tree.map(lambda x, y: jax.vmap(jnp.where)(is_over, x, y), new, games)
        keys = jax.random.split(search_key, len(is_over))
        found = SEARCH(MODEL, variables, keys, state)
        sampled = jax.random.categorical(action_key, jnp.log(found.action_weights) / TEMPERATURE)
        after = jax.vmap(GAME.step)(state, jnp.where(age < SAMPLED_MOVES, sampled, found.action))
        reward = jax.vmap(jnp.take)(after.rewards, state.current_player).astype(jnp.float32)
        sign = jnp.where(after.current_player == state.current_player, 1.0, -1.0)
        discount = jnp.where(after.terminated, 0.0, sign)
        return (after, age + 1), Moves(state, found.action_weights, found.value, reward, discount)

    return jax.lax.scan(move, games, jax.random.split(key, NUM_MOVES))


def outcomes(replay, num_written):
    """Returns z [C, B], z_t = r_t + d_t z_{t+1}; the last z of an unfinished game is its value."""
    oldest = num_written % REPLAY_MOVES
    moves = jax.tree.map(lambda x: jnp.roll(x, -oldest, axis=0), replay)

    def backward(z_next, step):
        z = step[0] + step[1] * z_next
        return z, z

    beyond = moves.discount[-1] * moves.value[-1]  # times d it is the value, as d is -1 or 1
    _, z = jax.lax.scan(backward, beyond, (moves.reward, moves.discount), reverse=True)
    return jnp.roll(z, oldest, axis=0)


def sample(replay, targets, num_written, key):
    """Samples S positions with their targets, each seen by a random symmetry of the board."""
    size = BATCH_SIZE // jax.lax.axis_size(AXIS)
    sizes = jnp.minimum(num_written, REPLAY_MOVES), targets.shape[1], len(GAME.symmetries.cells)
    row, game, symmetry = jax.random.randint(key, (3, size), 0, jnp.array(sizes)[:, None])
    moves, outcome = jax.tree.map(lambda x: x[row, game], (replay, targets))

    def view(state, policy, symmetry):
        cells, actions = (jnp.asarray(x)[symmetry] for x in GAME.symmetries)
        planes = GAME.observe(state).reshape(cells.size, -1)[cells].reshape(GAME.observation_shape)
        return planes, GAME.legal_action_mask(state)[actions], policy[actions]

    return *jax.vmap(view)(moves.state, moves.policy, symmetry), outcome


def loss(variables, observation, legal, policy, outcome):
    """Returns the policy's cross-entropy plus the weighted squared error of the value; and both."""
    outputs, _ = NETWORK.apply_train(variables, observation)
    logits = search.mask_illegal(outputs.policy_logits, legal)
    policy_loss = optax.safe_softmax_cross_entropy(logits, policy).mean()
    value_loss = jnp.square(outputs.value - outcome).mean()
    return policy_loss + VALUE_LOSS_WEIGHT * value_loss, (policy_loss, value_loss)


def learn(learner, replay, num_written, key):
    """Makes the updates of an iteration; returns also both losses of each."""
    targets = outcomes(replay, num_written)

    def update(learner, key):
        batch = sample(replay, targets, num_written, key)
        gradient, losses = jax.grad(loss, has_aux=True)(learner.variables, *batch)
        gradient, losses = jax.lax.pmean((gradient, losses), AXIS)
        step, opt_state = OPTIMIZER.update(gradient, learner.opt_state, learner.variables)
        variables = optax.apply_updates(learner.variables, step)
        ema = optax.incremental_update(variables, learner.ema_variables, 1 - EMA_DECAY)
        return Learner(variables, ema, opt_state), losses

    return jax.lax.scan(update, learner, jax.random.split(key, NUM_UPDATES))


def init(key):
    """Returns the learner, this device's games, and their replay."""
    variables = NETWORK.init(jax.random.fold_in(key, 0))
    games_key = jax.random.fold_in(key, 1 + jax.lax.axis_index(AXIS))
    games = start_games(games_key, NUM_GAMES // jax.lax.axis_size(AXIS))
    _, moves = jax.eval_shape(play, variables, games, key)
    replay = jax.tree.map(lambda x: jnp.zeros((REPLAY_MOVES, *x.shape[1:]), x.dtype), moves)
    return Learner(variables, variables, OPTIMIZER.init(variables)), games, replay


def iterate(learner, games, replay, num_written, key):
    """Plays, writes the moves over the oldest in replay, and learns; returns also mean losses."""
    play_key, learn_key = jax.random.split(jax.random.fold_in(key, jax.lax.axis_index(AXIS)))
    games, moves = play(learner.ema_variables, games, play_key)
    rows = (num_written + jnp.arange(NUM_MOVES)) % REPLAY_MOVES
    replay = jax.tree.map(lambda ring, new: ring.at[rows].set(new), replay, moves)
    learner, losses = learn(learner, replay, num_written + NUM_MOVES, learn_key)
    return (learner, games, replay), jax.tree.map(jnp.mean, losses)


def main(folder, seed=0):
    """Learns until no move is wrong; prints the learning curve, and plots it into the folder."""
    use_all_cores()  # a device for each: on a CPU, a device computes the body of a loop on one core
    counts = range(1, jax.local_device_count() + 1)
    mesh = make_mesh(max(n for n in counts if NUM_GAMES % n == BATCH_SIZE % n == 0))
    shard = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)
    same, specs = jax.P(), (jax.P(), jax.P(AXIS), jax.P(None, AXIS))  # learner, games, replay
    key, init_key = jax.random.split(jax.random.key(seed))
    state = jax.jit(shard(init, in_specs=same, out_specs=specs))(init_key)
    step = jax.jit(shard(iterate, in_specs=(*specs, same, same), out_specs=(specs, same)))
    agent = SearchAgent(GAME, NETWORK, SEARCH)
    measure = AccuracyCheck(agent, find_positions(GAME), mesh.size)  # all that a small game has
    print(f"replay ratio {NUM_UPDATES * BATCH_SIZE / (NUM_GAMES * NUM_MOVES)}; compiling")
    rows, start = [], time.perf_counter()
    for i in range(NUM_ITERATIONS):
        state, losses = step(*state, i * NUM_MOVES, jax.random.fold_in(key, i))
        if (i + 1) % EVALUATE_EVERY == 0:
            found = measure(state[0].ema_variables)  # shares of positions with the best move found
            row = {"iteration": i + 1, "seconds": time.perf_counter() - start}
            row |= {"policy_loss": losses[0], "value_loss": losses[1]}
            row |= {"network": found.network, "search": found.search, "random": found.random}
            row |= {"lines_lost": sum(seat.lost for seat in found.lines)} if found.lines else {}
            print("  ".join(f"{name} {number:.4g}" for name, number in row.items()), flush=True)
            rows.append(row)
            if found.is_perfect:
                break
    axes = Figure(layout="constrained").subplots()
    for name in ("search", "network", "random", "policy_loss", "value_loss"):
        axes.plot([row["iteration"] for row in rows], [row[name] for row in rows], label=name)
    axes.set(xlabel="iteration", title=GAME.name)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    axes.figure.savefig(folder / "learning_curve.png")


if __name__ == "__main__":
    print(__doc__) if sys.argv[1:] in ([], ["--help"]) else main(pathlib.Path(sys.argv[1]))

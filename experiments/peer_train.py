"""Answers: what does the loop of Pgx's AlphaZero example learn of Connect Four in some minutes?

python experiments/peer_train.py --minutes 5 --channels 64 --blocks 3

The manual has the command by which azjax trains a network of the same size.

It prints JSON lines: first the conditions, with the accuracy of uniform random play, then the
accuracy over time, on the solved positions and by the names of azjax's `metrics.jsonl`. As in
azjax, minutes are of training alone. It runs on all of JAX's devices that divide the games and the
batch; on a CPU there is one for each core, or JAX_NUM_CPU_DEVICES. It needs `pip install
'.[peers]'`.
"""

import dataclasses
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.evaluation import SolvedPositions, accuracy, read_records, require_positions
from azjax.support.errors import InputError
from azjax.support.machine.devices import use_all_cores
from azjax.support.provenance.environment import describe_machine
from azjax.support.validation import check_above, check_at_least

_GAME = "connect_four"  # in azjax and in Pgx

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class PeerTrainOptions:
    """Train the loop of Pgx's AlphaZero example on Connect Four, and measure its accuracy.

    Sizes of the example that suit a large machine are smaller here.
    """

    minutes: float = 5.0
    """Training time in minutes; the last iteration is finished."""
    evaluate_every: float = 1.0
    """Minutes of training between evaluations, at least an iteration."""
    seed: int = 0
    """Seed of the training."""
    games: int = 256
    """Games played in parallel; 1,024 in the example."""
    moves: int = 48
    """Moves played in each game per iteration; 256 in the example, for Go."""
    simulations: int = 32
    """Simulations per move, as in the example."""
    channels: int = 64
    """Channels of the residual network; 128 in the example."""
    blocks: int = 5
    """Residual blocks of the network; 6 in the example."""
    batch: int = 1024
    """Positions per gradient update; 4,096 in the example. Each position is trained on once."""
    learning_rate: float = 1e-3
    """Learning rate of Adam, as in the example."""
    evaluation_simulations: int = 64
    """Simulations of the search that is evaluated."""
    truth: str = _GAME
    """The solved positions: a CSV file with game records, or the name of one that comes with
    azjax."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range, or no batch is filled."""
        sizes = ("games", "moves", "simulations", "channels", "batch", "evaluation_simulations")
        for field in sizes:
            check_at_least(field, getattr(self, field), 1)
        check_at_least("blocks", self.blocks, 0)
        for field in ("minutes", "evaluate_every", "learning_rate"):
            check_above(field, getattr(self, field), 0)
        if self.batch > self.positions:
            raise ValueError(f"batch={self.batch}: at most games * moves = {self.positions}")

    @property
    def positions(self) -> int:
        """Positions that an iteration plays."""
        return self.games * self.moves


def main(arguments: list[str] | None = None) -> None:
    """Trains the peer; prints the conditions and the evaluations as JSON lines."""
    arguments = sys.argv[1:] if arguments is None else arguments
    warnings.filterwarnings("ignore")  # of Haiku and Pgx
    with exit_with_one_line():
        use_all_cores()
        options = parse_flags(PeerTrainOptions, arguments, "peer_train.py")
        for row in train(options):
            print(json.dumps(row), flush=True)


def train(options: PeerTrainOptions) -> Iterator[Row]:
    """Trains for the given minutes; yields the conditions, then evaluations.

    Raises:
      InputError: The solved positions cannot be read.
    """
    positions, records = _read_truth(options.truth)
    from pgx_example import PgxExample, local_devices  # importing Pgx starts JAX

    devices = local_devices(options.games, options.batch)
    example = PgxExample(_GAME, options.channels, options.blocks, devices, options.learning_rate)
    learner = example.init(options.seed)
    play = example.selfplay(options.games, options.moves, options.simulations, "gumbel")
    iterate = example.compile_iteration(play, learner, options.batch)
    evaluate = _make_evaluation(example, positions, records, options.evaluation_simulations)
    yield {
        "peer": "pgx",
        **dataclasses.asdict(options),
        **describe_machine(len(devices)),
        "parameters": example.num_parameters(learner.model),
        "random_accuracy": positions.random,
        "choice_matters": positions.choice_matters,
    }
    key = jax.random.key(options.seed)
    iteration, seconds, due = 0, 0.0, 0.0
    while True:
        is_last = seconds >= 60 * options.minutes
        if is_last or seconds >= due:
            due = seconds + 60 * options.evaluate_every
            yield {
                "minutes": round(seconds / 60, 4),
                "iteration": iteration,
                "positions": iteration * options.positions,
                **evaluate(learner.model),
            }
        if is_last:
            return
        began = time.perf_counter()
        learner = iterate(learner, jax.random.fold_in(key, iteration))
        seconds += time.perf_counter() - began
        iteration += 1


def _read_truth(given: str) -> tuple[SolvedPositions, list[Sequence[int]]]:
    """Returns solved positions, and the moves that lead to each of them."""
    game = games.make(_GAME)
    try:
        return require_positions(game, given), read_records(game, given)
    except ValueError as error:
        raise InputError(str(error)) from None


def _make_evaluation(
    example: Any, positions: SolvedPositions, records: list[Sequence[int]], simulations: int
) -> Callable[[Any], Row]:
    """Returns `evaluate(model)`, the accuracy on solved positions of a `PgxExample`.

    As in the example's checkpoints, the statistics of batch normalization are the first device's.
    """
    choose = example.choice(simulations)
    num_positions, num_devices = len(records), len(example.devices)
    # The first positions again, so that all devices have equally many.
    indices = np.arange(-(-num_positions // num_devices) * num_devices) % num_positions
    states = jax.tree.map(lambda x: x[indices], replay(example.env, records))
    split_states = example.split(states)

    def evaluate(model: Any) -> Row:
        first = jax.tree.map(lambda x: np.broadcast_to(x[0], x.shape), jax.device_get(model))
        actions = (np.ravel(x)[:num_positions] for x in choose(first, split_states))
        network, search = (accuracy(positions, x) for x in actions)
        return {"accuracy_network": network, "accuracy_search": search}

    return evaluate


def replay(env: Any, records: list[Sequence[int]]) -> Any:
    """Returns the states of Pgx, [P, ...], at the end of P game records."""
    longest = max(map(len, records))
    moves = np.array([[*record, *[-1] * (longest - len(record))] for record in records])

    @jax.jit
    @jax.vmap
    def play(moves):
        def step(state, move):
            after = env.step(state, move)
            return jax.tree.map(lambda old, new: jnp.where(move < 0, old, new), state, after), None

        return jax.lax.scan(step, env.init(jax.random.key(0)), moves)[0]

    return jax.device_get(play(moves))


if __name__ == "__main__":
    main()

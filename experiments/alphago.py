"""AlphaGo's pipeline: a policy from games, a policy gradient, a value network, and their search.

python experiments/alphago.py --game connect_four --minutes 30

A teacher plays games, which take the place of people's games ("Mastering the game of Go with deep
neural networks and tree search", Silver et al., Nature 2016). A policy imitates them; a policy
gradient against a pool of its past improves it; a value network learns from one position of each of
its games; and a search mixes that value with rollouts. Then a tournament rates every stage. The
stages are ordinary runs below --out, each begun from the one before: `azjax play`, `accuracy` and
`evaluate` take them. The same command continues a stopped pipeline.
"""

import dataclasses
import json
import pathlib
import sys
import time
from collections.abc import Mapping
from typing import Any

from azjax import games
from azjax.agents.evaluate import match_settings
from azjax.agents.player_spec import NamedPlayer, load_player
from azjax.agents.train import train
from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line, go_on_without_output, prepare_jax
from azjax.cli.tournament import tournament_command
from azjax.config.flags import parse_flags
from azjax.config.preset_file import folder_name
from azjax.config.stored_values import parse_value
from azjax.evaluation import play_match
from azjax.games import Game
from azjax.runs.recorded_games import read_games, write_games
from azjax.runs.storage.run_folders import is_run
from azjax.search import MAX_SIMULATIONS
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_json
from azjax.support.validation import check_above, check_even, check_seed, check_size

STAGES = ("supervised_policy", "reinforced_policy", "policy_value")
SHARES = (0.2, 0.4, 0.4)  # by stage, of the minutes that the games leave
NUM_GAMES = 256
COMMON = {  # of all stages
    "network.channels": 32,  # so that the minutes hold many updates
    "network.blocks": 3,
    "evaluate_every": 1000,  # the evaluations at every eighth of a run are enough
}


@dataclasses.dataclass(frozen=True)
class Options:
    """Train AlphaGo's stages one after another, and rate each of them."""

    game: str = "connect_four"
    """The game; its preset gives what the stages do not change."""
    teacher: str = "mcts:simulations=1000"
    """The player whose games are imitated, named as in `azjax evaluate`. One that is not random
    plays from openings of two random moves, which are imitated too."""
    games: int = 600
    """The teacher's games against itself, even."""
    minutes: float = 30.0
    """Minutes of the teacher's games and of the training of all stages together. Compiling the
    training, evaluations and the ratings at the end come on top."""
    seed: int = 0
    """The seed of the games and of the runs."""
    simulations: int = 64
    """Simulations of the search that mixes value and rollouts."""
    rating_games: int = 200
    """The games of each match of the tournament, even."""
    out: pathlib.Path | None = None
    """The folder of the games, the runs and the tournament; alphago/GAME if not given."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        for name in ("games", "rating_games"):
            check_even(name, getattr(self, name), 2)
        check_above("minutes", self.minutes, 0)
        check_size("simulations", self.simulations, 1, MAX_SIMULATIONS)
        check_seed(self.seed)

    @property
    def folder(self) -> pathlib.Path:
        """The folder of all results."""
        return self.out or pathlib.Path("alphago") / folder_name(self.game)

    @property
    def tournament(self) -> pathlib.Path:
        """The folder of the tournament of these numbers of simulations and of games."""
        return self.folder / f"tournament_{self.simulations}_simulations_{self.rating_games}_games"

    @property
    def identity(self) -> dict[str, Any]:
        """What the teacher's games and the stages depend on, each on the stage before."""
        names = ("game", "teacher", "games", "minutes", "seed")
        return {name: getattr(self, name) for name in names}


def record_games(options: Options) -> tuple[pathlib.Path, float]:
    """Returns the file of the teacher's games, and the minutes that they took.

    They are played if they are not there. Until the first stage begins, `minutes` may change.

    Raises:
      InputError: The folder has results of other options.
    """
    path, about = options.folder / "games.txt", options.folder / "games.json"
    if not about.exists():
        teacher = load_player(options.teacher, options.game)
        console.print(f"{options.teacher} plays {options.games:,} games against itself")
        began = time.perf_counter()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_games(teacher.game, path, play_games(options, teacher))
        describe_games(about, options, (time.perf_counter() - began) / 60)
    with reading_errors(about):
        found = read_json(about)
        minutes = parse_value(float, found.pop("minutes_of_games"), "minutes_of_games")
    is_begun = is_run(options.folder / STAGES[0])
    expected = options.identity | ({} if is_begun else {"minutes": found.get("minutes")})
    if found != expected:
        was = ", ".join(f"--{name} {value}" for name, value in found.items())
        raise InputError(f"{options.folder} has results of {was}: choose another folder with --out")
    if not is_begun:
        describe_games(about, options, minutes)
    return path, minutes


def describe_games(path: pathlib.Path, options: Options, minutes: float) -> None:
    """Writes what the games and the stages depend on, and the minutes that the games took."""
    about = {**options.identity, "minutes_of_games": minutes}
    write_text_atomically(path, json.dumps(about) + "\n")


def play_games(options: Options, teacher: NamedPlayer) -> list[list[int]]:
    """Returns the moves of the teacher's games."""
    settings = match_settings(teacher, teacher, options.games, None, options.seed)
    result = play_match(teacher.game, teacher.player, teacher.player, settings)
    return [list(moves) for pair in result.actions for moves in pair]


def supervised_policy(path: pathlib.Path, game: Game) -> dict[str, Any]:
    """Returns how the first stage differs from the preset.

    An iteration samples as many moves as there are, with replacement.
    """
    moves = sum(len(record.actions) for record in read_games(game, path))
    rows = -(-moves // NUM_GAMES)
    return COMMON | {
        "algorithm.name": "supervised_policy",
        "parts": [],
        "replay": str(path.resolve()),
        "network.value_head": "none",
        "num_games": NUM_GAMES,
        "num_moves": rows,
        "replay_moves": rows,
        "batch_size": NUM_GAMES,
        "num_updates": rows,
    }


def reinforced_policy() -> dict[str, Any]:
    """Returns how the second stage differs from the preset."""
    return COMMON | {
        "algorithm.name": "reinforced_policy",
        "parts": ["random_starts"],
        "network.value_head": "none",
        "num_games": 4 * NUM_GAMES,
        "num_moves": 32,
        "replay_moves": 32,
        "batch_size": 16 * NUM_GAMES,
        "num_updates": 4,
        "algorithm.result_discount": 1.0,
        "algorithm.entropy_weight": 0.05,
        "random_starts.fraction": 0.9,
        "random_starts.moves": 8.0,
        "optimizer.learning_rate": 3e-4,  # at 1e-3 the policy's entropy collapses
        "optimizer.weight_decay": 1e-4,
    }


def policy_value() -> dict[str, Any]:
    """Returns how the third stage differs from the preset."""
    return COMMON | {
        "algorithm.name": "policy_value",
        "search.name": "policy",
        "num_games": 4 * NUM_GAMES,
        "num_moves": 32,
        "replay_moves": 256,
        "batch_size": NUM_GAMES,
        "num_updates": 64,
        "algorithm.temperature": 1.0,
        "evaluation.search.name": "puct",
    }


def train_stage(
    options: Options, number: int, minutes: float, overrides: Mapping[str, Any]
) -> pathlib.Path:
    """Trains a stage from the one before, or continues it; returns the run's folder."""
    folder = options.folder / STAGES[number]
    console.rule(f"{STAGES[number]}, {minutes:g} minutes")
    is_begun = is_run(folder)
    before = options.folder / STAGES[number - 1] if number else None
    try:
        train(
            options.game,
            out=folder,
            seed=options.seed,
            minutes=minutes,
            resume=is_begun,
            overrides={} if is_begun else overrides,
            init_from=None if is_begun else before,
        )
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(f"{folder} is saved, and the same command continues") from stop
    return folder


def rate(options: Options, stages: list[pathlib.Path]) -> None:
    """Rates the stages: the policies, searches without and with rollouts, and the teacher."""
    first, second, third = stages
    search = f"search=puct,simulations={options.simulations}"
    tournament_command(
        [
            f"{first}:simulations=0",
            f"{second}:simulations=0",
            f"{third}:simulations=0",
            f"{third}:{search}",
            f"{third}:{search},rollouts=0.5",
            options.teacher,
            *("--game", options.game),
            *("--games", str(options.rating_games)),
            *("--seed", str(options.seed)),
            *("--out", str(options.tournament)),
        ]
    )


def main(arguments: list[str] | None = None) -> None:
    """Runs the pipeline of the arguments."""
    with exit_with_one_line():
        prepare_jax()
        go_on_without_output()
        arguments = sys.argv[1:] if arguments is None else arguments
        options = parse_flags(Options, arguments, "alphago.py", takes_plugins=True)
        path, minutes = record_games(options)
        left = options.minutes - minutes
        if left <= 0:
            raise InputError(
                f"the games took {minutes:.1f} of --minutes {options.minutes:g}: give more minutes"
            )
        game = games.make(options.game)
        designs = supervised_policy(path, game), reinforced_policy(), policy_value()
        stages = [
            train_stage(options, i, SHARES[i] * left, overrides)
            for i, overrides in enumerate(designs)
        ]
        began = time.perf_counter()
        rate(options, stages)
        rating_minutes = (time.perf_counter() - began) / 60
        console.print(f"the ratings took {rating_minutes:.1f} minutes more")


if __name__ == "__main__":
    main()

"""The command line: parse, call, print."""

import dataclasses
import difflib
import json
import math
import pathlib
import sys
from collections.abc import Callable
from typing import Annotated, Literal

import jax
import tyro
from rich.console import Console
from rich.table import Table

from azjax import games
from azjax.devices import use_virtual_cpu_devices
from azjax.evaluation import is_solvable, minimax_player, play_match, random_player, read_truth
from azjax.runs.accuracy import Accuracy, AccuracyCheck
from azjax.runs.agent import load_agent, restore
from azjax.runs.config import RunConfig
from azjax.runs.errors import InputError, RunError, input_errors
from azjax.runs.flags import exit_with_error, parse_flags
from azjax.runs.folder import RunFolder, create_run, is_run, open_run
from azjax.runs.play import play_in_terminal
from azjax.runs.presets import get_preset, preset_names
from azjax.runs.progress import TrainingProgress
from azjax.runs.train import Limits, Outcome, train
from azjax.training import make_game_and_network

_CACHE = pathlib.Path.home() / ".cache" / "azjax" / "compiled"
_console = Console()


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """Train an agent from nothing but the rules."""

    out: pathlib.Path | None = None
    """The run's folder; runs/PRESET if not given."""
    seed: int = 0
    """Of all the run's randomness."""
    minutes: float | None = None
    """Stop after so many minutes of training; those of a resumed run's earlier sessions count."""
    iterations: int | None = None
    """Stop after so many iterations in all."""
    resume: bool = False
    """Go on with the run that the folder holds, from its newest checkpoint."""
    truth: pathlib.Path | None = None
    """A CSV file of solved positions, to watch accuracy on."""
    devices: int | None = None
    """Devices to lay the games over; as many as there are and fit if not given."""
    config: Annotated[RunConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=RunConfig
    )

    def __post_init__(self):
        """Raises ValueError where a limit is out of range."""
        if self.minutes is not None and not 0 < self.minutes < math.inf:
            raise ValueError(f"minutes={self.minutes}: must be above 0")
        if self.iterations is not None and self.iterations < 1:
            raise ValueError(f"iterations={self.iterations}: must be at least 1")
        if self.seed < 0:
            raise ValueError(f"seed={self.seed}: must be 0 or more")


@dataclasses.dataclass(frozen=True)
class EvaluateOptions:
    """Play a match between an agent and an opponent, as many games from either seat."""

    run: tyro.conf.Positional[str]
    """The agent: a run's folder, FOLDER@best, or FOLDER@ITERATION."""
    opponent: str = "random"
    """random, minimax (exact, for solved games), or another run."""
    games: int = 1000
    """An even number."""
    simulations: int = 32
    """Of the agent's search, and of the opponent's if it is a run."""
    opening_moves: int | None = None
    """Random moves that begin each pair of games; 2 between runs, 0 otherwise, if not given."""
    seed: int = 0
    """Of the match."""
    json: bool = False
    """Print JSON instead of a table."""


@dataclasses.dataclass(frozen=True)
class AccuracyOptions:
    """Tell in what share of solved positions an agent's move keeps the best value."""

    run: tyro.conf.Positional[str]
    """The agent: a run's folder, FOLDER@best, or FOLDER@ITERATION."""
    truth: pathlib.Path | None = None
    """A CSV file of solved positions; without, a game as small as tic-tac-toe is solved whole."""
    simulations: int = 32
    """Of the agent's search."""
    json: bool = False
    """Print JSON instead of a table."""


@dataclasses.dataclass(frozen=True)
class PlayOptions:
    """Play against an agent in the terminal."""

    run: tyro.conf.Positional[str]
    """The agent: a run's folder, FOLDER@best, or FOLDER@ITERATION."""
    simulations: int = 64
    """Of the agent's search."""
    seat: Literal["first", "second"] | None = None
    """Yours; asked for if not given."""


@dataclasses.dataclass(frozen=True)
class FingerprintOptions:
    """Print the SHA-256 of every array of a run's newest checkpoint."""

    run: tyro.conf.Positional[pathlib.Path]
    """The run's folder."""


@dataclasses.dataclass(frozen=True)
class ListOptions:
    """Take no options."""


def train_command(arguments: list[str]) -> None:
    """Runs `azjax train PRESET ...`."""
    if arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
    elif "-h" in arguments or "--help" in arguments:
        name = "tic_tac_toe"
    else:
        raise InputError(f"which preset? `azjax train PRESET`, one of {', '.join(preset_names())}")
    with input_errors():
        preset = get_preset(name)
    command = f"azjax train {name}"
    options = parse_flags(TrainOptions, arguments, command, TrainOptions(config=preset.config))
    folder = options.out or pathlib.Path("runs") / name
    if options.resume:
        run = _reopen(folder, name, arguments, command)
    else:
        with input_errors():
            game, _ = make_game_and_network(options.config.train)
            truth = options.truth and read_truth(game, options.truth)
            num_devices = options.devices or _fitting_devices(options.config)
            options.config.train.check_devices(num_devices)
        run = create_run(folder, name, options.config, options.seed, num_devices)
    with input_errors():
        game, _ = make_game_and_network(run.config.train)
        truth = options.truth and read_truth(game, options.truth)
    limits = Limits(options.minutes, options.iterations)
    if options.minutes is None and options.iterations is None:
        limits = Limits(preset.minutes, preset.iterations)
    outcome = train(run, limits, truth, options.resume, TrainingProgress(_console))
    _print_outcome(run, options, outcome)


def _reopen(folder: pathlib.Path, preset: str, arguments: list[str], command: str) -> RunFolder:
    """Opens a run to go on with, and refuses overrides that would make it another."""
    run = open_run(folder)
    if run.preset != preset:
        raise InputError(f"{folder} holds a run of {run.preset}: azjax train {run.preset} --resume")
    default = TrainOptions(config=run.config, seed=run.seed, devices=run.num_devices)
    options = parse_flags(TrainOptions, arguments, command, default)
    asked = (options.config, options.seed, options.devices)
    if asked != (run.config, run.seed, run.num_devices):
        raise InputError(
            f"{folder} was begun with other options: a resumed run keeps its configuration, seed "
            "and devices, so leave them out"
        )
    return run


def _fitting_devices(config: RunConfig) -> int:
    """Returns the most devices of this machine that the games can be laid over evenly."""
    groups, there = config.train.num_groups, len(jax.devices())
    return max(n for n in range(1, there + 1) if groups % n == 0)


def _print_outcome(run: RunFolder, options: TrainOptions, outcome: Outcome) -> None:
    last = outcome.rows[-1]
    if outcome.was_interrupted:
        extra = f" --out {options.out}" if options.out else ""
        _console.print(
            f"Stopped and saved at iteration {last['iteration']}. "
            f"Go on with: azjax train {run.preset} --resume{extra}",
            soft_wrap=True,
        )
        return
    table = _table(f"{run.preset}, seed {run.seed}")
    table.add_row("iterations", f"{last['iteration']:,}")
    table.add_row("positions played", f"{last['positions']:,}")
    table.add_row("training time", f"{outcome.seconds:.1f} s")
    rates = sorted(row["simulations_per_second"] for row in outcome.rows)
    table.add_row("simulations per second", f"{rates[len(rates) // 2]:,.0f} (median)")
    table.add_row("replay ratio", f"{last['replay_ratio']:.2f}")
    if outcome.accuracy:
        _add_accuracy(table, outcome.accuracy, run.config.evaluation_simulations)
    table.add_row("run", str(run.path))
    table.add_row("curves", str(run.curves))
    _console.print(table)
    _console.print("Next:", *_next_commands(run, options), sep="\n  ", soft_wrap=True)


def _next_commands(run: RunFolder, options: TrainOptions) -> list[str]:
    simulations = run.config.evaluation_simulations
    game = games.make(run.config.train.game)
    opponent = "minimax" if is_solvable(game) else "random"
    commands = [
        f"azjax play {run.path}",
        f"azjax evaluate {run.path} --opponent {opponent} --games 1000 --simulations {simulations}",
    ]
    if options.truth or is_solvable(game):
        truth = f" --truth {options.truth}" if options.truth else ""
        commands.append(f"azjax accuracy {run.path}{truth} --simulations {simulations}")
    return commands


def _add_accuracy(table: Table, accuracy: Accuracy, simulations: int) -> None:
    def share(value: float) -> str:
        return f"{round(value * accuracy.positions):,} of {accuracy.positions:,} ({value:.2%})"

    table.add_row("optimal, network alone", share(accuracy.network))
    table.add_row(f"optimal, {simulations} simulations", share(accuracy.search))
    for seat, lines in zip(("first", "second"), accuracy.lines or (), strict=False):
        table.add_row(f"lines lost, moving {seat}", f"{lines.lost:,} of {lines.total:,}")


def evaluate_command(arguments: list[str]) -> None:
    """Runs `azjax evaluate RUN ...`."""
    options = parse_flags(EvaluateOptions, arguments, "azjax evaluate")
    agent = load_agent(options.run, options.simulations)
    _warn(agent.warnings)
    opening_moves = 0
    with input_errors():
        if options.opponent == "random":
            opponent = random_player(agent.game)
        elif options.opponent == "minimax":
            opponent = minimax_player(agent.game)
        elif not is_run(pathlib.Path(options.opponent.rpartition("@")[0] or options.opponent)):
            raise InputError(
                f"no opponent {options.opponent!r}: write random, minimax, or a run's folder"
            )
        else:
            other = load_agent(options.opponent, options.simulations)
            _warn(other.warnings)
            if other.game != agent.game:
                raise InputError(
                    f"{options.opponent} plays {other.game.name}, "
                    f"{options.run} plays {agent.game.name}: they must be the same"
                )
            opponent, opening_moves = other.player(), 2
        if options.opening_moves is not None:
            opening_moves = options.opening_moves
        if opening_moves < 0:
            raise InputError(f"opening-moves={opening_moves}: must be 0 or more")
        result = play_match(
            agent.game, agent.player(), opponent, options.games, opening_moves, options.seed
        )
    if options.json:
        fields = {
            "run": options.run,
            "opponent": options.opponent,
            "iteration": agent.iteration,
            "games": result.num_games,
            "simulations": options.simulations,
            "opening_moves": opening_moves,
            "seed": options.seed,
        }
        fields |= {
            "wins": sum(result.wins),
            "draws": sum(result.draws),
            "losses": sum(result.losses),
            "score": result.score,
            "interval": list(result.interval),
        }
        fields["by_seat"] = {
            seat: {"wins": result.wins[i], "draws": result.draws[i], "losses": result.losses[i]}
            for i, seat in enumerate(("first", "second"))
        }
        print(json.dumps(fields))
        return
    table = _table(f"{options.run} against {options.opponent}", "first", "second", "all")
    for name in ("wins", "draws", "losses"):
        first, second = getattr(result, name)
        table.add_row(name, str(first), str(second), str(first + second))
    _console.print(table)
    low, high = result.interval
    _console.print(f"score {result.score:.2%}, 95% interval {low:.2%} to {high:.2%}")


def accuracy_command(arguments: list[str]) -> None:
    """Runs `azjax accuracy RUN ...`."""
    options = parse_flags(AccuracyOptions, arguments, "azjax accuracy")
    agent = load_agent(options.run, options.simulations)
    _warn(agent.warnings)
    if options.truth is None and not is_solvable(agent.game):
        raise InputError(f"{agent.game.name} is too large to be solved: give --truth FILE")
    with input_errors():
        truth = options.truth and read_truth(agent.game, options.truth)
    check = AccuracyCheck(
        agent.game, agent.network, agent.search, agent.hyperparameters, truth, len(jax.devices())
    )
    accuracy = check(agent.variables)
    if options.json:
        fields = {
            "run": options.run,
            "iteration": agent.iteration,
            "simulations": options.simulations,
            "positions": accuracy.positions,
            "network": accuracy.network,
            "search": accuracy.search,
        }
        if accuracy.lines:
            fields["lines"] = {
                seat: lines._asdict()
                for seat, lines in zip(("first", "second"), accuracy.lines, strict=True)
            }
        print(json.dumps(fields))
        return
    table = _table(f"{options.run}, iteration {agent.iteration}")
    _add_accuracy(table, accuracy, options.simulations)
    _console.print(table)


def play_command(arguments: list[str]) -> None:
    """Runs `azjax play RUN ...`."""
    options = parse_flags(PlayOptions, arguments, "azjax play")
    agent = load_agent(options.run, options.simulations)
    _warn(agent.warnings)
    seat = {"first": 0, "second": 1, None: None}[options.seat]
    try:
        play_in_terminal(agent, input, print, seat)
    except (EOFError, KeyboardInterrupt):
        print("\nGame left.")


def games_command(arguments: list[str]) -> None:
    """Runs `azjax games`."""
    parse_flags(ListOptions, arguments, "azjax games")
    table = _table("games", "board", "actions", "longest game", "symmetries", "bytes per state")
    for name in games.names():
        game = games.make(name)
        state = jax.eval_shape(game.init, jax.random.key(0))
        size = sum(math.prod(x.shape) * x.dtype.itemsize for x in jax.tree.leaves(state))
        rows, columns, _ = game.observation_shape
        table.add_row(
            name,
            f"{rows} x {columns}",
            str(game.num_actions),
            f"{game.max_moves} moves",
            str(len(game.symmetries.cells)),
            str(size),
        )
    _console.print(table)


def presets_command(arguments: list[str]) -> None:
    """Runs `azjax presets`."""
    parse_flags(ListOptions, arguments, "azjax presets")
    table = _table("presets", "network", "parameters", "search", "games", "length", "made for")
    for name in preset_names():
        preset = get_preset(name)
        train = preset.config.train
        _, network = make_game_and_network(train)
        shapes = jax.eval_shape(network.init, jax.random.key(0)).parameters
        size = sum(math.prod(x.shape) for x in jax.tree.leaves(shapes))
        net = f"{train.network.architecture} {train.network.channels} x {train.network.blocks}"
        length = f"{preset.iterations} it." if preset.minutes is None else f"{preset.minutes:g} min"
        table.add_row(
            name,
            net,
            f"{size:,}",
            f"{train.search.algorithm} {train.search.num_simulations}",
            str(train.num_games),
            length,
            preset.summary,
        )
    _console.print(table)


def fingerprint_command(arguments: list[str]) -> None:
    """Runs `azjax fingerprint RUN`."""
    options = parse_flags(FingerprintOptions, arguments, "azjax fingerprint")
    restored = restore(open_run(options.run))
    _warn(restored.warnings)
    print(restored.fingerprint)


_COMMANDS: dict[str, tuple[Callable[[list[str]], None], str]] = {
    "train": (train_command, "train PRESET: train an agent from nothing but the rules"),
    "evaluate": (evaluate_command, "evaluate RUN: play a match against an opponent"),
    "accuracy": (accuracy_command, "accuracy RUN: compare an agent with exact truth"),
    "play": (play_command, "play RUN: play against an agent yourself"),
    "games": (games_command, "games: list the games"),
    "presets": (presets_command, "presets: list the configurations that `train` knows"),
    "fingerprint": (fingerprint_command, "fingerprint RUN: SHA-256 of the newest checkpoint"),
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the command that the arguments name; exits with 2 on bad input, 1 on a failed run."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print("usage: azjax COMMAND ...; azjax COMMAND --help tells a command's options\n")
        print("\n".join(f"  azjax {summary}" for _, summary in _COMMANDS.values()))
        return
    try:
        if name not in _COMMANDS:
            nearest = difflib.get_close_matches(name, _COMMANDS, n=1, cutoff=0.0)[0]
            raise InputError(f"unknown command {name!r}, did you mean {nearest!r}?")
        _prepare_jax(rest)
        _COMMANDS[name][0](rest)
    except InputError as error:
        exit_with_error(error, 2)
    except RunError as error:
        exit_with_error(error, 1)


def _prepare_jax(arguments: list[str]) -> None:
    """Shows every core as a device, and keeps compiled programs for the next time."""
    use_virtual_cpu_devices()
    jax.config.update("jax_compilation_cache_dir", str(_CACHE))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        print(f"azjax: {warning}", file=sys.stderr)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, show_header=bool(columns), title_justify="left")
    table.add_column("")
    for column in columns or ("",):
        table.add_column(column, justify="right" if columns else "left")
    return table

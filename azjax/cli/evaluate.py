"""`azjax evaluate`."""

import dataclasses
import json

import tyro

from azjax.cli.output import console, make_table, warn
from azjax.evaluation import MatchResult, Player, minimax_player, play_match, random_player
from azjax.runs.agent import Agent, load_agent, split_name
from azjax.runs.errors import InputError, input_errors
from azjax.runs.flags import check_seed, parse_flags
from azjax.runs.folder import is_run


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

    def __post_init__(self):
        """Raises ValueError where the seed is out of range."""
        check_seed(self.seed)


def evaluate_command(arguments: list[str]) -> None:
    """Runs `azjax evaluate RUN ...`."""
    options = parse_flags(EvaluateOptions, arguments, "azjax evaluate")
    agent = load_agent(options.run, options.simulations)
    warn(agent.warnings)
    opponent, opening_moves = _make_opponent(options, agent)
    if options.opening_moves is not None:
        opening_moves = options.opening_moves
    with input_errors():
        result = play_match(
            agent.game, agent.player(), opponent, options.games, opening_moves, options.seed
        )
    if options.json:
        print(json.dumps(_as_json(options, agent, opening_moves, result)))
    else:
        _print_result(options, result)


def _make_opponent(options: EvaluateOptions, agent: Agent) -> tuple[Player, int]:
    """Returns the opponent, and how many random moves make its games differ."""
    if options.opponent == "random":
        return random_player(agent.game), 0
    if options.opponent == "minimax":
        with input_errors():
            return minimax_player(agent.game), 0
    if not is_run(split_name(options.opponent)[0]):
        raise InputError(
            f"no opponent {options.opponent!r}: write random, minimax, or a run's folder"
        )
    other = load_agent(options.opponent, options.simulations)
    warn(other.warnings)
    if other.game != agent.game:
        raise InputError(
            f"{options.opponent} plays {other.game.name} and {options.run} {agent.game.name}: "
            "both must play the same game"
        )
    return other.player(), 2


def _as_json(
    options: EvaluateOptions, agent: Agent, opening_moves: int, result: MatchResult
) -> dict[str, object]:
    counts = {name: getattr(result, name) for name in ("wins", "draws", "losses")}
    return {
        "run": options.run,
        "iteration": agent.iteration,
        "opponent": options.opponent,
        "simulations": options.simulations,
        "opening_moves": opening_moves,
        "seed": options.seed,
        "games": result.num_games,
        **{name: sum(by_seat) for name, by_seat in counts.items()},
        "score": result.score,
        "interval": result.interval,
        "moving_first": {name: first for name, (first, _) in counts.items()},
        "moving_second": {name: second for name, (_, second) in counts.items()},
    }


def _print_result(options: EvaluateOptions, result: MatchResult) -> None:
    title = f"{options.run} against {options.opponent}"
    table = make_table(title, "moving first", "moving second", "all")
    for name in ("wins", "draws", "losses"):
        first, second = getattr(result, name)
        table.add_row(name, str(first), str(second), str(first + second))
    console.print(table)
    low, high = result.interval
    console.print(f"score {result.score:.2%}, 95% interval {low:.2%} to {high:.2%}")

"""The entry point of the command line: runs a command, and reports errors in one line."""

import sys
from collections.abc import Callable

from azjax.cli.accuracy import accuracy_command
from azjax.cli.check_game import check_game_command
from azjax.cli.evaluate import evaluate_command
from azjax.cli.export import export_command
from azjax.cli.fingerprint import fingerprint_command
from azjax.cli.gtp import gtp_command
from azjax.cli.listing import agents_command, games_command, presets_command
from azjax.cli.play import play_command
from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.cli.search import search_command
from azjax.cli.serve import serve_command
from azjax.cli.tournament import tournament_command
from azjax.cli.train.command import train_command
from azjax.config.plugin_flag import take_plugins
from azjax.support.errors import InputError
from azjax.support.provenance.commit import describe_package
from azjax.support.suggestions import did_you_mean

_COMMANDS: dict[str, tuple[Callable[[list[str]], None], str]] = {
    "train": (train_command, "train PRESET     train an agent"),
    "evaluate": (evaluate_command, "evaluate PLAYER  play a match between two players"),
    "tournament": (
        tournament_command,
        "tournament PLAYER PLAYER ...  rate players against each other",
    ),
    "accuracy": (
        accuracy_command,
        "accuracy RUN     measure an agent's accuracy on solved positions",
    ),
    "play": (play_command, "play PLAYER      play against an agent or another player yourself"),
    "serve": (serve_command, "serve            open the page: play, watch training, replay a run"),
    "gtp": (gtp_command, "gtp PLAYER       play as an engine, by the Go Text Protocol"),
    "search": (
        search_command,
        "search PLAYER POSITION  search one position: moves, value, principal variation",
    ),
    "export": (
        export_command,
        "export RUN       write an agent's network into a single small file",
    ),
    "agents": (agents_command, "agents           list the agents that come with azjax"),
    "games": (games_command, "games            list the games"),
    "check-game": (
        check_game_command,
        "check-game GAME  check in random play that a game obeys the laws of games",
    ),
    "presets": (presets_command, "presets          list the presets of `azjax train`"),
    "fingerprint": (
        fingerprint_command,
        "fingerprint RUN  print the SHA-256 of a run's newest state",
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the command in the arguments; exits with 2 on bad input, 1 on a failed run."""
    with exit_with_one_line():
        prepare_jax()  # before plug-ins, which may make arrays
        given = sys.argv[1:] if arguments is None else arguments
        name, *rest = take_plugins(given) or ["--help"]
        if name in ("-h", "--help"):
            _print_help()
            return
        if name == "--version":
            print(describe_package())
            return
        if name not in _COMMANDS:
            raise InputError(f"no command is named {name!r}; {did_you_mean(name, _COMMANDS)}")
        command, _ = _COMMANDS[name]
        command(rest)


def _print_help() -> None:
    print("usage: azjax COMMAND ...   (azjax COMMAND --help lists a command's options)\n")
    print("\n".join(f"  azjax {summary}" for _, summary in _COMMANDS.values()))
    print(
        "\nEvery command takes --plugin MODULE. The module (mine for mine.py in the current folder)"
        "\nregisters games, components or presets of your own."
    )

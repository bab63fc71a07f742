"""The entry point of the command line: runs a command, and reports errors in one line."""

import importlib
import sys

from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.plugin_flag import take_plugins
from azjax.support.errors import InputError
from azjax.support.provenance.commit import describe_package
from azjax.support.suggestions import did_you_mean

# By name the module, which is imported when the command is called, and a line of the help.
_COMMANDS = {
    "train": ("train.command", "train PRESET     train an agent"),
    "evaluate": ("evaluate", "evaluate PLAYER  play a match between two players"),
    "tournament": ("tournament", "tournament PLAYER PLAYER ...  rate players against each other"),
    "accuracy": ("accuracy", "accuracy RUN     measure an agent's accuracy on solved positions"),
    "play": ("play", "play PLAYER      play against an agent or another player yourself"),
    "serve": ("serve", "serve            open the page: play, watch training, replay a run"),
    "gtp": ("engine", "gtp PLAYER       play as an engine, by the Go Text Protocol"),
    "uci": ("engine", "uci PLAYER       play chess as an engine, by the Universal Chess Interface"),
    "search": (
        "search",
        "search PLAYER POSITION  search one position: moves, value, principal variation",
    ),
    "export": ("export", "export RUN       write an agent's network, or its run's games"),
    "agents": ("listing", "agents           list the agents that come with azjax"),
    "games": ("listing", "games            list the games"),
    "check-game": (
        "check_game",
        "check-game GAME  check in random play that a game obeys the laws of games",
    ),
    "presets": ("listing", "presets          list the presets of `azjax train`"),
    "fingerprint": ("export", "fingerprint RUN  print the SHA-256 of a run's newest state"),
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
        module = importlib.import_module(f"azjax.cli.{_COMMANDS[name][0]}")
        getattr(module, f"{name.replace('-', '_')}_command")(rest)


def _print_help() -> None:
    print("usage: azjax COMMAND ...   (azjax COMMAND --help lists a command's options)\n")
    print("\n".join(f"  azjax {summary}" for _, summary in _COMMANDS.values()))
    print(
        "\nEvery command takes --plugin MODULE. The module (mine for mine.py in the current folder)"
        "\nregisters games, components or presets of your own."
    )

"""The command line: finds the command, and tells every mistake in one line."""

import logging
import pathlib
import sys
from collections.abc import Callable

import jax

from azjax.cli.accuracy import accuracy_command
from azjax.cli.evaluate import evaluate_command
from azjax.cli.fingerprint import fingerprint_command
from azjax.cli.listing import games_command, presets_command
from azjax.cli.play import play_command
from azjax.cli.tournament import tournament_command
from azjax.cli.train import train_command
from azjax.devices import use_virtual_cpu_devices
from azjax.runs.errors import InputError, RunError
from azjax.runs.suggestions import did_you_mean

_COMMANDS: dict[str, tuple[Callable[[list[str]], None], str]] = {
    "train": (train_command, "train PRESET     train an agent from nothing but the rules"),
    "evaluate": (
        evaluate_command,
        "evaluate PLAYER  play a match between two players",
    ),
    "tournament": (
        tournament_command,
        "tournament PLAYER PLAYER ...  rate players against each other",
    ),
    "accuracy": (accuracy_command, "accuracy RUN     compare an agent's moves with exact truth"),
    "play": (play_command, "play RUN         play against an agent yourself"),
    "games": (games_command, "games            list the games"),
    "presets": (presets_command, "presets          list what `azjax train` knows"),
    "fingerprint": (
        fingerprint_command,
        "fingerprint RUN  print the SHA-256 of a run's newest state",
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the command that the arguments name; exits with 2 on bad input, 1 on a failed run."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        print("usage: azjax COMMAND ...   (azjax COMMAND --help lists a command's options)\n")
        print("\n".join(f"  azjax {summary}" for _, summary in _COMMANDS.values()))
        return
    try:
        if name not in _COMMANDS:
            raise InputError(f"no command is named {name!r}; {did_you_mean(name, _COMMANDS)}")
        _prepare_jax()
        command, _ = _COMMANDS[name]
        command(rest)
    except (InputError, RunError, OSError) as error:  # OSError: a full disk, say
        print(f"azjax: error: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2 if isinstance(error, InputError) else 1)
    except KeyboardInterrupt:
        print("azjax: interrupted", file=sys.stderr)
        sys.exit(130)


def _prepare_jax() -> None:
    """Shows every core as a device, and keeps compiled programs for the next time."""
    logging.getLogger("absl").setLevel(logging.ERROR)  # Orbax tells much that helps nobody here
    sys.unraisablehook = _ignore_reads_given_up
    use_virtual_cpu_devices()
    if jax.config.jax_compilation_cache_dir is None:
        programs = pathlib.Path.home() / ".cache" / "azjax" / "compiled"
        jax.config.update("jax_compilation_cache_dir", str(programs))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)


def _ignore_reads_given_up(unraisable) -> None:
    """Keeps quiet about the other reads under way when Orbax finds one array to be damaged."""
    error = unraisable.exc_value
    given_up = isinstance(getattr(error, "__cause__", None), GeneratorExit)
    if not given_up and str(error) != "Event loop is closed":
        sys.__unraisablehook__(unraisable)

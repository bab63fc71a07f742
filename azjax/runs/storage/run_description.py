"""The description of a run, `run.json`: its settings, and the sessions that trained it."""

import dataclasses
import datetime
import json
import pathlib
from typing import Any

from azjax import games
from azjax.config.fields import tables
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config, store_config
from azjax.config.stored_values import parse_value
from azjax.networks import NETWORK_VERSION, activation_dtype
from azjax.runs.storage.run_directory import InitialAgent, RunDirectory
from azjax.support.component import plugin_of
from azjax.support.errors import InputError
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_json
from azjax.support.plugins import Plugin, describe_plugin
from azjax.support.provenance.commit import package_commit, short_commit
from azjax.support.provenance.environment import describe_hardware, package_versions
from azjax.support.validation import check_seed, check_size

DESCRIPTION = "run.json"
_MAX_DEVICES = 2**20


def describe(run: RunDirectory) -> dict[str, Any]:
    """Returns the description of a new run, which no session has trained."""
    return {
        "preset": run.preset,
        "seed": run.seed,
        **_changeable(run),
        "is_trial": run.is_trial,
        "init_from": run.init_from and dataclasses.asdict(run.init_from),
        "budget_shares": list(run.budget_shares),
        "network_version": NETWORK_VERSION,
        "game_version": games.make(run.config.train.game).version,
        "plugins": [plugin._asdict() for plugin in plugins_of(run.config)],
        "config": store_config(run.config),
        **_environment(run.config),
        "sessions": [],
    }


def read_description(path: pathlib.Path) -> dict[str, Any]:
    """Returns the content of a run's `run.json`."""
    return read_json(path / DESCRIPTION)


def write_description(path: pathlib.Path, description: dict[str, Any]) -> None:
    """Writes `run.json`, and creates its folder if needed."""
    path.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path / DESCRIPTION, json.dumps(description, indent=2) + "\n")


def parse_description(path: pathlib.Path, saved: dict[str, Any]) -> RunDirectory:
    """Returns the run in a folder from its description.

    Raises:
      KeyError: A field is missing.
      ValueError: A field is wrong.
    """
    kinds = {
        "preset": str,
        "seed": int,
        "devices": int,
        "limits": Limits,
        "truth": str | None,
        "is_trial": bool,
        "keep_all_networks": bool,
    }
    fields = {name: parse_value(kind, saved[name], name) for name, kind in kinds.items()}
    num_devices = fields.pop("devices")
    check_seed(fields["seed"])
    check_sessions(saved)
    check_size("devices", num_devices, 1, _MAX_DEVICES)
    return RunDirectory(
        path,
        num_devices=num_devices,
        config=read_config(saved["config"]),
        init_from=initial_agent_of(saved),
        budget_shares=tuple(map(float, saved.get("budget_shares", ()))),
        **fields,
    )


def initial_agent_of(description: dict[str, Any]) -> InitialAgent | None:
    """Returns the agent that a run begins from, or None; raises ValueError for a damaged record."""
    return parse_value(InitialAgent | None, description.get("init_from"), "init_from")


def record_session(run: RunDirectory, iteration: int, num_vmapped: int) -> None:
    """Records that a session of a run begins, with what, and the settings that it changes.

    Args:
      run: The run.
      iteration: The iteration after which it begins.
      num_vmapped: How many runs an iteration computes at once.

    Raises:
      OSError: The folder cannot be written.
    """
    description = read_description(run.path) | _changeable(run)
    session = {
        "began": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
        "iteration": iteration,
        "vmapped_runs": num_vmapped,
        **_changeable(run),
        **_environment(run.config),
    }
    description["sessions"] = [*description["sessions"], session]
    write_description(run.path, description)


def record_settings(run: RunDirectory) -> None:
    """Records the changed settings of a run that has ended by them, which no session trains."""
    write_description(run.path, read_description(run.path) | _changeable(run))


def check_sessions(description: dict[str, Any]) -> None:
    """Raises ValueError if the record of a run's sessions is damaged."""
    sessions = description.get("sessions", [])
    if not isinstance(sessions, list) or not all(isinstance(one, dict) for one in sessions):
        raise ValueError("sessions must be a list of tables")
    for session in [description, *sessions]:
        for field in ("commit", "precision"):
            parse_value(str | None, session.get(field), field)


def commits_of(description: dict[str, Any]) -> str:
    """Returns the commits of azjax that trained a run, in short, or `unknown`."""
    sessions = description.get("sessions") or [description]
    commits = [commit for session in sessions if (commit := session.get("commit"))]
    return ", ".join(dict.fromkeys(map(short_commit, commits))) or "unknown"


def check_network_version(path: pathlib.Path, description: dict[str, Any]) -> None:
    """Raises InputError if the networks of a run or an agent file are of another version."""
    version = description.get("network_version")
    if version != NETWORK_VERSION:
        raise InputError(
            f"{path} has networks of version {version}, and this azjax has version "
            f"{NETWORK_VERSION}: train again, or use the version of azjax that made it"
        )


def plugins_of(config: RunConfig) -> list[Plugin]:
    """Returns the plug-ins that a configuration needs, apart from scripts and notebooks."""
    modules = {games.plugin_of_game(config.train.game), *map(plugin_of, tables(config).values())}
    described = [describe_plugin(module) for module in sorted(filter(None, modules))]
    return [plugin for plugin in described if plugin]


def precision_name(config: RunConfig) -> str:
    """Returns the precision of a configuration's networks on this machine."""
    return activation_dtype(config.train.network.precision).name


def _environment(config: RunConfig) -> dict[str, Any]:
    return {
        "commit": package_commit(),
        "hardware": describe_hardware(),
        "precision": precision_name(config),
        "versions": package_versions(),
    }


def _changeable(run: RunDirectory) -> dict[str, Any]:
    return {
        "devices": run.num_devices,
        "limits": dataclasses.asdict(run.limits),
        "truth": run.truth,
        "keep_all_networks": run.keep_all_networks,
    }

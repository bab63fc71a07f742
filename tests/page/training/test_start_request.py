import dataclasses
import pathlib
import typing

import pytest

from azjax.cli.train.options import TrainOptions
from azjax.config.fields import KINDS, RUN_FIELDS, train_fields
from azjax.config.flag_types import NameOf
from azjax.config.run_config import RunConfig
from azjax.page.training import controls as start_request
from azjax.page.training.controls import (
    StartRequest,
    check_flags,
    check_folder,
    read_request,
    start_arguments,
)
from azjax.page.training.processes import shown_command
from azjax.support.component import component_names, get_component
from azjax.support.errors import InputError
from azjax.training import TrainConfig

from ..made_runs import make_run

# A flag of a text that is no path but an address, and no flag here.
NO_PATHS = {"--distributed.coordinator-address"}


def path_flags(kind, prefix="--", names=None):
    """Yields the flags of a dataclass that take a path, or a text that is no registered name."""
    hints = typing.get_type_hints(kind, include_extras=True)
    for name in names or [field.name for field in dataclasses.fields(kind)]:
        hint, flag = hints[name], f"{prefix}{name.replace('_', '-')}"
        value, *marks = typing.get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
        is_name = any(isinstance(mark, NameOf) for mark in marks)
        if value is RunConfig:
            yield from path_flags_of_runs()
        elif dataclasses.is_dataclass(value):
            yield from path_flags(value, f"{flag}.")
        elif {str, pathlib.Path} & {value, *typing.get_args(value)} and not is_name:
            yield flag


def path_flags_of_runs():
    """Yields those of runs, whatever their components."""
    yield from path_flags(RunConfig, names=RUN_FIELDS)
    yield from path_flags(TrainConfig, names=train_fields())
    for kind in (*KINDS, "part"):
        for name in component_names(kind):
            table = name.replace("_", "-") if kind == "part" else kind
            yield from path_flags(get_component(kind, name), f"--{table}.")


def test_the_command_is_that_of_a_terminal(tmp_path):
    request = read_request(
        "tic_tac_toe", " my run ", "--num-games 64 --optimizer.learning-rate 1e-3 3e-3", "2.5", "7"
    )
    arguments = start_arguments(request, tmp_path / "my run")
    flags = ["--num-games", "64", "--optimizer.learning-rate", "1e-3", "3e-3"]
    limits = ["--minutes", "2.5", "--seed", "7"]
    assert arguments == ["train", "tic_tac_toe", *flags, *limits, "--out", f"{tmp_path}/my run"]
    assert shown_command(arguments).startswith("azjax train tic_tac_toe --num-games 64 ")
    assert shown_command(arguments).endswith(f"'{tmp_path}/my run'")


@pytest.mark.parametrize(
    "flags",
    [
        "--plugin mine",
        "--init_from x",
        "--budget_shares=x",
        "--tyro-write-completion bash /tmp/x",
        "--",
    ],
)
def test_flags_that_lead_out_of_the_page_are_refused(flags):
    with pytest.raises(InputError, match="the page does not take"):
        read_request("tic_tac_toe", "run", f"--num-games 64 {flags}")


@pytest.mark.parametrize("flag", sorted(set(path_flags(TrainOptions)) - NO_PATHS))
@pytest.mark.parametrize("form", ["{} /etc/passwd", "{}=/etc/passwd"])
def test_every_flag_of_the_command_that_takes_a_path_is_refused(flag, form):
    with pytest.raises(InputError, match=f"the page does not take {flag}"):
        read_request("tic_tac_toe", "run", form.format(flag))


@pytest.mark.parametrize(("minutes", "seed"), [("--help", ""), ("1", "--resume")])
def test_a_field_for_a_number_takes_no_such_flag(minutes, seed):
    with pytest.raises(InputError, match="the page does not take"):
        read_request("tic_tac_toe", "run", "", minutes, seed)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--num-gmes 3", "unknown option --num-gmes, did you mean --num-games"),
        ("--optimizer.learning-rate 1e-3 -1", "learning_rate"),
    ],
)
def test_a_wrong_flag_is_told_in_the_line_of_the_command(flags, words):
    with pytest.raises(InputError, match=words) as refusal:
        check_flags(read_request("tic_tac_toe", "run", flags))
    assert "\n" not in str(refusal.value)


def test_a_grid_of_too_many_runs_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(start_request, "make_grid", lambda *_: pytest.fail("it is made"))
    lists = "--optimizer.learning-rate 1e-3 2e-3 3e-3 4e-3 --search.value-scale 1 2 3 4"
    with pytest.raises(InputError, match="1,008 runs"):
        check_flags(read_request("tic_tac_toe", "run", f"--seeds 63 {lists}"))


@pytest.mark.parametrize(
    ("preset", "flags"),
    [
        ("tic_tac_toe", "--num-games 64 --seeds 2 --search.name puct --search.c-puct 1 2"),
        (
            "connect_four",
            "--algorithm.name reinforced_policy --network.value-head none --replay-moves 16",
        ),
    ],
)
def test_right_flags_are_accepted(preset, flags):
    check_flags(read_request(preset, "run", flags, "0.5", "3"))


@pytest.mark.parametrize("name", ["..", ".logs/x", "a@3", "a/b/c/d/e", "taken/x"])
def test_another_folder_is_refused(tmp_path, name):
    make_run(tmp_path / "taken")
    assert check_folder(tmp_path, StartRequest("x", "a/b", ())) == tmp_path / "a" / "b"
    with pytest.raises(InputError):
        check_folder(tmp_path, StartRequest("x", name, ()))

"""Where rows of metrics go besides the files of a run: JSON lines, Weights & Biases."""

import contextlib
import json
import secrets
from collections.abc import Callable, Iterator

from azjax.cli.output import console
from azjax.config.fields import list_fields
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, first_line
from azjax.support.files.tables import Row

RowLog = Callable[[RunDirectory, Row], None]


@contextlib.contextmanager
def logging_rows(*, as_json: bool, wandb_project: str | None) -> Iterator[RowLog]:
    """Yields what logs each row, as JSON, to a project of Weights & Biases, to both or to none.

    With JSON on standard output, what the console shows goes to standard error.

    Raises:
      InputError: The package `wandb` is not installed.
    """
    with contextlib.ExitStack() as stack:
        logs: list[RowLog] = []
        if as_json:
            logs.append(_print_json)
            stack.callback(setattr, console, "stderr", console.stderr)
            console.stderr = True
        if wandb_project is not None:
            logs.append(stack.enter_context(_wandb(wandb_project)))

        def log(run: RunDirectory, row: Row) -> None:
            for one in logs:
                one(run, row)

        yield log


def _print_json(run: RunDirectory, row: Row) -> None:
    print(json.dumps({"run": str(run.path), **row}), flush=True)


@contextlib.contextmanager
def _wandb(project: str) -> Iterator[RowLog]:
    """Yields what logs rows to a run of W&B for each run, which a resumed run goes on with."""
    try:
        import wandb
    except ImportError as error:
        raise InputError("--wandb needs the extra: pip install '.[wandb]'") from error
    runs: dict[RunDirectory, wandb.Run] = {}

    def log(run: RunDirectory, row: Row) -> None:
        if run not in runs:
            record = run.path / "wandb_id"
            if not record.exists():
                record.write_text(secrets.token_hex(8))
            runs[run] = wandb.init(
                project=project,
                dir=run.path,
                id=record.read_text(),
                name=run.path.name,
                config={"preset": run.preset, "seed": run.seed, **list_fields(run.config)},
                resume="allow",
                reinit="create_new",
            )
        runs[run].log(row, step=row["iteration"])

    try:
        yield log
    except wandb.errors.Error as error:  # no key, say, or no network
        raise InputError(f"--wandb: {first_line(error)}") from error
    finally:
        for opened in runs.values():
            opened.finish()

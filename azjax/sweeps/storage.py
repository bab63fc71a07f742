"""The storage that the workers of a sweep share: an SQLite file or another database."""

import contextlib
import pathlib
import time
import warnings
from collections.abc import Iterator

import optuna
import sqlalchemy
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback

from azjax.support.errors import InputError, first_line

HEARTBEAT_SECONDS = 10
GRACE_SECONDS = 60  # without a heartbeat, after which a trial is stale
_MAX_RETRIES = 3  # of a stale trial: it may itself be what kills its workers
_NUM_ATTEMPTS = 5
_SECONDS_BETWEEN_ATTEMPTS = 0.2


def open_storage(url: str) -> RDBStorage:
    """Opens a storage that requeues the trials of dead workers.

    Raises:
      InputError: The storage cannot be reached.
    """
    for _ in range(_NUM_ATTEMPTS):
        try:
            return _open(url)
        except (sqlalchemy.exc.SQLAlchemyError, ImportError, RuntimeError, OSError) as error:
            cause = error.__cause__ if isinstance(error, ImportError) else None
            reason = first_line(cause if isinstance(cause, Exception) else error)
            # Workers that start at once create the same tables; all but the first fail.
            if not any(text in reason.lower() for text in ("already exists", "unique")):
                break
            time.sleep(_SECONDS_BETWEEN_ATTEMPTS)
        except ValueError:  # its text may hold the password
            reason = "its port is no number"
            break
    raise InputError(
        f"the storage {without_password(url)} cannot be opened ({reason}); write "
        "sqlite:///FILE, or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE of a running server"
    )


def file_url(path: pathlib.Path) -> str:
    """Returns the URL of an SQLite file.

    Raises:
      InputError: No URL names it: SQLAlchemy before 2.1 quotes no path, and none that is no UTF-8.
    """
    url = sqlalchemy.URL.create("sqlite", database=str(path))
    try:
        text = url.render_as_string()
        is_named = sqlalchemy.make_url(text) == url
    except ValueError:
        is_named = False
    if not is_named:
        raise InputError(f"no URL names {path}: choose a folder of letters and digits with --out")
    return text


def without_password(url: str) -> str:
    """Returns the URL with its password hidden; nothing of one whose port is no number."""
    try:
        return sqlalchemy.make_url(url).render_as_string(hide_password=True)
    except sqlalchemy.exc.ArgumentError:
        return repr(url)
    except ValueError:
        return "of --storage"


@contextlib.contextmanager
def quiet_optuna() -> Iterator[None]:
    """Silences Optuna's log of trials and its warnings about experimental features."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        # Outside study.optimize the caller sends heartbeats: see azjax.sweeps.heartbeat.
        warnings.filterwarnings("ignore", "Heartbeat of storage")
        try:
            yield
        finally:
            optuna.logging.set_verbosity(verbosity)


def _open(url: str) -> RDBStorage:
    is_file = sqlalchemy.make_url(url).get_backend_name() == "sqlite"
    return RDBStorage(
        url,
        # SQLite has one writer at a time; the others wait for so many seconds.
        engine_kwargs={"connect_args": {"timeout": 60}} if is_file else {},
        heartbeat_interval=HEARTBEAT_SECONDS,
        grace_period=GRACE_SECONDS,
        heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(_MAX_RETRIES),
    )

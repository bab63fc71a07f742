"""The storage that the workers of a sweep share: an SQLite file, or a database by its URL."""

import contextlib
import time
import warnings
from collections.abc import Iterator

import optuna
import sqlalchemy
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback

from azjax.support.errors import InputError, first_line

HEARTBEAT_SECONDS = 10
GRACE_SECONDS = 60  # without a heartbeat: then a trial's worker is taken for dead
_MOST_RETRIES = 3  # of what may itself be what kills the workers
_ATTEMPTS = 5
_SECONDS_BETWEEN_ATTEMPTS = 0.2


def open_storage(url: str) -> RDBStorage:
    """Opens a storage whose trials are queued again when their worker dies.

    Raises:
      InputError: There is none that can be reached.
    """
    for _ in range(_ATTEMPTS):
        try:
            return _open(url)
        except (sqlalchemy.exc.SQLAlchemyError, ImportError, RuntimeError, OSError) as error:
            reason = first_line(error.__cause__ if isinstance(error, ImportError) else error)
            # Workers that begin at once make the same tables, and one of them comes too late.
            if not any(words in reason.lower() for words in ("already exists", "unique")):
                break
            time.sleep(_SECONDS_BETWEEN_ATTEMPTS)
    raise InputError(
        f"the storage {without_password(url)} cannot be opened ({reason}); write "
        "sqlite:///FILE, or postgresql+psycopg://USER:PASSWORD@HOST/DATABASE of a server that runs"
    )


def without_password(url: str) -> str:
    """Returns the URL as it may be shown."""
    try:
        return sqlalchemy.make_url(url).render_as_string(hide_password=True)
    except sqlalchemy.exc.ArgumentError:
        return repr(url)


@contextlib.contextmanager
def quiet_optuna() -> Iterator[None]:
    """Keeps Optuna from telling of every trial, and of what it calls experimental."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        # Outside study.optimize it is the caller who has to send them: see azjax.sweeps.heartbeat.
        warnings.filterwarnings("ignore", "Heartbeat of storage")
        try:
            yield
        finally:
            optuna.logging.set_verbosity(verbosity)


def _open(url: str) -> RDBStorage:
    is_file = sqlalchemy.make_url(url).get_backend_name() == "sqlite"
    return RDBStorage(
        url,
        # SQLite lets one worker write at a time; the others wait that many seconds.
        engine_kwargs={"connect_args": {"timeout": 60}} if is_file else {},
        heartbeat_interval=HEARTBEAT_SECONDS,
        grace_period=GRACE_SECONDS,
        heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(_MOST_RETRIES),
    )

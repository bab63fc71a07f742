"""The storage that the workers of a sweep share, and the heartbeats of their trials in it."""

import contextlib
import pathlib
import threading
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


class Heartbeat:
    """A thread that sends heartbeats for the running trials, also during compilation.

    Other workers requeue a trial whose heartbeat has stopped.
    """

    def __init__(self, storage: RDBStorage):
        self._storage = storage
        self._trials: frozenset[int] = frozenset()  # replaced, never mutated: the thread reads it
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def add(self, trial_id: int) -> None:
        """Sends the first heartbeat of a trial: Optuna ignores trials without one."""
        self._storage.record_heartbeat(trial_id)
        self._trials |= {trial_id}

    def remove(self, trial_id: int) -> None:
        """Stops the heartbeats of a trial."""
        self._trials -= {trial_id}

    def send(self) -> None:
        """Sends a heartbeat for each trial at once."""
        for trial_id in self._trials:
            self._storage.record_heartbeat(trial_id)

    def _run(self) -> None:
        while not self._stop.wait(HEARTBEAT_SECONDS):
            # A lost heartbeat does no harm; a lost storage raises in the thread that trains.
            with contextlib.suppress(Exception):
                self.send()


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
        # Outside study.optimize the caller sends heartbeats.
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

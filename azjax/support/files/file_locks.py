"""Locks on open files; the operating system drops them when a process ends, even when it is killed.

A lock is of an open file, so two that this process has opened exclude each other too. On some
shared disks there are no locks: then nobody ever has one.
"""

import errno
import fcntl

_UNSUPPORTED = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)


def try_lock(file: int) -> bool:
    """Locks a file, by its descriptor, if nobody else has; returns whether nobody has."""
    try:
        _lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(file: int) -> bool:
    """Tells whether another opening of a file, given by its descriptor, has it locked.

    It asks for a shared lock, which a file that is open for reading alone can have on NFS too.
    """
    try:
        _lock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def wait_for_lock(file: int) -> None:
    """Locks a file, by its descriptor, as soon as nobody else has."""
    _lock(file, fcntl.LOCK_EX)


def _lock(file: int, operation: int) -> None:
    try:
        fcntl.flock(file, operation)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise

"""Locks on open files; the operating system drops them when a process ends, even when it is killed.

A lock is of an open file, so two that this process has opened exclude each other too. On some
shared disks there are no locks: then nobody ever has one.
"""

import errno
import fcntl

_UNSUPPORTED = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)


def lock(file: int, *, is_shared: bool = False, waits: bool = False) -> bool | None:
    """Locks a file; returns whether that was possible, or None where there are no locks.

    Args:
      file: Its descriptor.
      is_shared: Whether others may have it locked so too. A file that is open for reading alone can
        have no other lock on NFS.
      waits: Whether to wait until nobody else has it locked.
    """
    try:
        kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        fcntl.flock(file, kind if waits else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return None
    return True

"""What a test puts in place of a function that writes, so that it fails as on a full disk."""

import errno

from orbax.checkpoint import CheckpointManager


def no_space(*arguments, **settings):
    """Fails as the operating system does."""
    raise OSError(errno.ENOSPC, "No space left on device")


def no_space_of_orbax(*arguments, **settings):
    """Fails as Orbax does, in more than one line."""
    raise OSError("No space left on device\nand a second line")


def no_space_in(name):
    """Returns a `CheckpointManager.save` that fails in folders of that name."""
    save = CheckpointManager.save

    def save_or_fail(self, *arguments, **settings):
        return (no_space if self.directory.name == name else save)(self, *arguments, **settings)

    return save_or_fail

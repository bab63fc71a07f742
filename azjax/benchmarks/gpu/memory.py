"""The memory that a compiled program takes."""

from typing import NamedTuple


class Memory(NamedTuple):
    """Bytes on each device."""

    argument_bytes: int
    temporary_bytes: int
    copied_bytes: int  # of the results, what does not lie where the arguments lay

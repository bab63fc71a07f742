"""Exchanges bytes between processes by one collective, an all-reduce over a device of each.

Bytes, as a sum of floats would lose the sign of a zero. Every process must call these functions in
the same order, from one thread.
"""

import functools
import itertools

import chex
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

_AXIS = "processes"
_LEAST_BYTES, _MOST_BYTES = 2**10, 2**24  # of one collective, which is compiled for its size


def is_leader() -> bool:
    """Tells whether this is process 0, which is so where there is no other."""
    return jax.process_index() == 0


def sum_over_processes(values: np.ndarray) -> np.ndarray:
    """Returns [n] uint8: the sum of the vectors [n] uint8 of all processes, modulo 256."""
    if jax.process_count() == 1:
        return values
    chunks = [values[i : i + _MOST_BYTES] for i in range(0, len(values), _MOST_BYTES)]
    return np.concatenate([_sum_chunk(chunk) for chunk in chunks]) if chunks else values


def broadcast_bytes(content: bytes, size: int) -> bytes:
    """Returns the leader's content, of a size that all know; other processes' is ignored."""
    values = np.frombuffer(content, np.uint8) if is_leader() else np.zeros(size, np.uint8)
    return sum_over_processes(values).tobytes()


def broadcast_text(text: str) -> str:
    """Returns the leader's text, of any length."""
    return gather_texts(text if is_leader() else "")[0]


def broadcast_arrays(tree: chex.ArrayTree) -> chex.ArrayTree:
    """Returns the leader's tree of arrays in NumPy; the others' give shapes and types alone."""
    leaves, structure = jax.tree.flatten(tree)
    sizes = [np.dtype(leaf.dtype).itemsize * int(np.prod(leaf.shape)) for leaf in leaves]
    own = (np.ascontiguousarray(leaf).tobytes() for leaf in leaves)
    content = broadcast_bytes(b"".join(own) if is_leader() else b"", sum(sizes))
    ends = itertools.accumulate(sizes)
    received = [
        np.frombuffer(content[end - size : end], leaf.dtype).reshape(leaf.shape)
        for leaf, size, end in zip(leaves, sizes, ends, strict=True)
    ]
    return jax.tree.unflatten(structure, received)


def gather_texts(text: str) -> list[str]:
    """Returns the text of every process, by its number."""
    content = text.encode()
    sizes = _gather_rows(len(content).to_bytes(8, "big"), 8)
    most = max(int.from_bytes(size, "big") for size in sizes)
    rows = _gather_rows(content.ljust(most, b"\0"), most)
    return [row.rstrip(b"\0").decode() for row in rows]


def count_processes(flag: bool) -> int:
    """Returns in how many processes the flag is set."""
    return sum(row != b"\0" for row in _gather_rows(bytes([flag]), 1))


def gather_array(array: jax.Array) -> np.ndarray:
    """Returns the whole of an array, of which every process has other shards, or all of it."""
    if array.is_fully_replicated or array.is_fully_addressable:
        return np.asarray(array.addressable_data(0) if array.is_fully_replicated else array)
    whole = np.zeros(array.shape, array.dtype)
    for shard in array.addressable_shards:
        whole[shard.index] = shard.data
    values = np.frombuffer(whole.tobytes(), np.uint8)
    return np.frombuffer(sum_over_processes(values).tobytes(), array.dtype).reshape(array.shape)


def _gather_rows(row: bytes, size: int) -> list[bytes]:
    """Returns the row of every process; all rows have one size."""
    rows = np.zeros((jax.process_count(), size), np.uint8)
    rows[jax.process_index()] = np.frombuffer(row, np.uint8)
    return [one.tobytes() for one in sum_over_processes(rows.reshape(-1)).reshape(rows.shape)]


def _sum_chunk(values: np.ndarray) -> np.ndarray:
    size = max(_LEAST_BYTES, 1 << (len(values) - 1).bit_length())  # few sizes to compile
    padded = np.zeros((1, size), np.uint8)
    padded[0, : len(values)] = values
    sharding = NamedSharding(_process_mesh(), PartitionSpec(_AXIS))
    summed = _sum_rows()(jax.make_array_from_process_local_data(sharding, padded))
    return np.asarray(summed.addressable_data(0))[: len(values)]


@functools.cache
def _process_mesh() -> Mesh:
    """Returns a mesh of the first device of every process."""
    first: dict[int, jax.Device] = {}
    for device in jax.devices():
        first.setdefault(device.process_index, device)
    return Mesh(np.array([first[i] for i in range(jax.process_count())]), (_AXIS,))


@functools.cache
def _sum_rows() -> jax.stages.Wrapped:
    """Returns a function that sums over the devices what each one has."""
    return jax.jit(
        jax.shard_map(
            lambda rows: jax.lax.psum(rows[0], _AXIS),
            mesh=_process_mesh(),
            in_specs=PartitionSpec(_AXIS),
            out_specs=PartitionSpec(),
            check_vma=False,
        )
    )

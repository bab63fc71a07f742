"""Random damages of files: of bytes, of text, of JSON, and of archives of arrays."""

import io
import json
import random
import re
import zipfile
from collections.abc import Callable

Damage = Callable[[random.Random, bytes], bytes | None]  # None deletes the file

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NUMBERS = ("0", "-1", "0.5", "1e308", "1e999", "NaN", "-Infinity", str(2**31), str(2**63 - 1))
_MANY = 100_000
_VALUES = (None, True, "", "text", [], [[1]], {}, {"a": 1}, -1, 0, 1.5, 2**31, 2**62, 10**30, 1e300)
_TYPES = ("<f2", "<f4", "<f8", "<i8", "|b1", "|O", "<U9999999", "<f3", ">c16", "|V8")


def damage(rng: random.Random, content: bytes) -> tuple[str, bytes | None]:
    """Returns the name of a random damage that suits the content, and the damaged content."""
    kinds = [*_OF_BYTES]
    if content.startswith(b"PK"):
        kinds += 4 * _OF_ARCHIVES
    elif _is_text(content):
        kinds += _OF_TEXT
        if _parts(content):
            kinds += 3 * _OF_JSON
    chosen = rng.choice(kinds)
    return chosen.__name__, chosen(rng, content)


def flip_bits(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 10])):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def cut_out(rng: random.Random, content: bytes) -> bytes:
    first, last = _slice(rng, content)
    return content[:first] + content[last:]


def duplicate(rng: random.Random, content: bytes) -> bytes:
    first, last = _slice(rng, content)
    return content[:last] + content[first:]


def zero(rng: random.Random, content: bytes) -> bytes:
    first, last = _slice(rng, content)
    return content[:first] + bytes(last - first) + content[last:]


def insert(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.randbytes(rng.choice([1, 10, 1000])) + content[place:]


def empty(rng: random.Random, content: bytes) -> bytes:
    return b""


def delete(rng: random.Random, content: bytes) -> None:
    return None


def swap_numbers(rng: random.Random, content: bytes) -> bytes:
    text = content.decode()
    numbers = list(_NUMBER.finditer(text))
    if len(numbers) < 2:
        return content
    one, other = sorted(rng.sample(numbers, 2), key=lambda number: number.start())
    between = text[one.end() : other.start()]
    swapped = text[: one.start()] + other[0] + between + one[0] + text[other.end() :]
    return swapped.encode()


def change_number(rng: random.Random, content: bytes) -> bytes:
    return _replace_number(rng, content, rng.choice([*_NUMBERS, "9" * 30, "9" * 5000]))


def nest(rng: random.Random, content: bytes) -> bytes:
    deep = rng.choice(["[" * _MANY, '{"a":' * _MANY, "[" * 200 + "]" * 200])
    return _replace_number(rng, content, deep)


def delete_line(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def delete_key(rng: random.Random, content: bytes) -> bytes:
    return _change_json(rng, content, lambda table, key: table.pop(key))


def change_value(rng: random.Random, content: bytes) -> bytes:
    value = rng.choice(_VALUES)
    return _change_json(rng, content, lambda table, key: table.__setitem__(key, value))


def damage_member(rng: random.Random, content: bytes) -> bytes:
    """Damages one array of an archive whose checksums are right, as a forger would."""
    name, members = _unpack(rng, content)
    members[name] = damage(rng, members[name])[1] or b""
    return _pack(rng, members)


def change_header(rng: random.Random, content: bytes) -> bytes:
    name, members = _unpack(rng, content)
    changes = [
        (rb"'descr': '[^']*'", b"'descr': '%b'" % rng.choice(_TYPES).encode()),
        (rb"'shape': \([^)]*\)", b"'shape': (%d,)" % rng.choice([-1, 0, 3, 10**11, 10**30])),
        (rb"'shape': \(", b"'shape': (1, "),
        (rb"'fortran_order': False", b"'fortran_order': True"),
    ]
    pattern, header = rng.choice(changes)
    members[name] = re.sub(pattern, header, members[name], count=1)
    return _pack(rng, members)


def change_description(rng: random.Random, content: bytes) -> bytes:
    """Changes the JSON in an agent file; UTF-32 is what NumPy stores."""
    _, members = _unpack(rng, content)
    header, _, text = members["about.npy"].partition(b"\n")
    change = rng.choice([delete_key, change_value, change_number, swap_numbers, nest])
    text = change(rng, text.decode("utf-32-le").encode()).decode().encode("utf-32-le")
    header = re.sub(rb"<U\d+", b"<U%d" % (len(text) // 4), header)
    members["about.npy"] = header + b"\n" + text
    return _pack(rng, members)


def drop_member(rng: random.Random, content: bytes) -> bytes:
    name, members = _unpack(rng, content)
    del members[name]
    return _pack(rng, members)


_OF_BYTES: list[Damage] = [flip_bits, truncate, cut_out, duplicate, zero, insert, empty, delete]
_OF_TEXT: list[Damage] = [swap_numbers, change_number, nest, delete_line, repeat_line]
_OF_JSON: list[Damage] = [delete_key, change_value]
_OF_ARCHIVES: list[Damage] = [damage_member, change_header, change_description, drop_member]


def _is_text(content: bytes) -> bool:
    try:
        return bool(content.decode().strip())
    except UnicodeDecodeError:
        return False


def _slice(rng: random.Random, content: bytes) -> tuple[int, int]:
    first = rng.randrange(len(content) + 1)
    return first, min(len(content), first + rng.choice([1, 4, 100, 5000]))


def _replace_number(rng: random.Random, content: bytes, by: str) -> bytes:
    text = content.decode()
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return content
    number = rng.choice(numbers)
    return (text[: number.start()] + by + text[number.end() :]).encode()


def _change_json(rng: random.Random, content: bytes, change: Callable) -> bytes:
    """Changes one entry of a JSON document, or of JSON lines."""
    parts = _parts(content)
    if places := list(_places(rng.choice(parts))):
        change(*rng.choice(places))
    return "".join(f"{json.dumps(part)}\n" for part in parts).encode()


def _parts(content: bytes) -> list:
    """Returns the JSON document, or those of all lines; nothing if the content is neither."""
    for texts in ([content], content.splitlines()):
        try:
            return [json.loads(text) for text in texts]
        except ValueError:
            continue
    return []


def _places(value):
    """Yields each table or list in a value with each of its keys."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _unpack(rng: random.Random, content: bytes) -> tuple[str, dict[str, bytes]]:
    """Returns the name of a random member, and the contents of all."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return rng.choice(list(members)), members


def _pack(rng: random.Random, members: dict[str, bytes]) -> bytes:
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(packed := io.BytesIO(), "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()

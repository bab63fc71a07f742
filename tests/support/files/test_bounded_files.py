"""Files whose sizes lie: each is refused in one line before anything of that size is made."""

import struct
import time
import zipfile

import numpy as np
import pytest

from azjax.support.files import bounded_files
from azjax.support.files.bounded_files import read_arrays, read_csv, read_json, read_text, read_toml
from azjax.support.files.json_lines import read_json_lines

DEEP = 100_000


def refuse(read, path, words):
    """Asserts that a file is refused at once, in one line with these words."""
    began = time.monotonic()
    with pytest.raises(ValueError, match=words) as refusal:
        read(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 200
    assert time.monotonic() - began < 5


def test_a_text_has_a_largest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_files, "_MAX_TEXT_BYTES", 10)
    (tmp_path / "text").write_text("0123456789")
    assert read_text(tmp_path / "text") == "0123456789"
    (tmp_path / "text").write_text("0123456789a")
    refuse(read_text, tmp_path / "text", "more than 10 bytes")


@pytest.mark.parametrize("read", [read_text, read_json, read_json_lines, read_toml, read_csv])
def test_a_text_is_in_utf8(tmp_path, read):
    (tmp_path / "text").write_bytes(b"ab\xff\n")
    refuse(read, tmp_path / "text", r"no text in UTF-8 \(byte 2\)")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_json, "[" * DEEP + "]" * DEEP),
        (read_json, '{"a":' * DEEP),
        (read_json, "[" * 33 + "]" * 33),
        (read_toml, "a = " + "{b=" * DEEP),
        (read_toml, ".".join("a" * 1000) + " = 1"),
    ],
    ids=["lists", "tables", "slightly", "toml", "dots"],
)
def test_deep_nesting_is_refused(tmp_path, read, text):
    (tmp_path / "deep").write_text(text)
    refuse(read, tmp_path / "deep", "nested more than 32 deep")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ("NaN", "NaN is no number in JSON"),
        ("[1e999]", "1e999 is too large for a number"),
        ('{"a": [9223372036854775808]}', "more than 64 bits"),
        ("1" * 5000, "no JSON: Exceeds the limit"),
        (r'["\ud800"]', "surrogates not allowed"),
    ],
)
def test_what_is_no_value_of_json_is_refused(tmp_path, text, words):
    (tmp_path / "file.json").write_text(text)
    refuse(read_json, tmp_path / "file.json", words)


@pytest.mark.parametrize(
    ("read", "text", "content"),
    [
        (read_toml, "a = 1", {"a": 1}),
        (read_json, "[1]", [1]),
        (read_csv, "a\n1", [(2, {"a": "1"})]),
    ],
)
def test_a_byte_order_mark_is_no_content(tmp_path, read, text, content):
    (tmp_path / "file").write_text(f"\ufeff{text}", encoding="utf-8")
    assert read(tmp_path / "file") == content


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", 'a ; "b"\r\n 1; 2 \r\n', "a\tb\n1\t2", 'a, b\n1, "2"']
)
def test_a_table_is_read_as_spreadsheets_save_it(tmp_path, text):
    (tmp_path / "table.csv").write_text(text, newline="")
    assert read_csv(tmp_path / "table.csv") == [(2, {"a": "1", "b": "2"})]


def npy(header, data):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def write_archive(path, method=zipfile.ZIP_DEFLATED, **members):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


HEADER = "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }"


@pytest.mark.parametrize(
    "array",
    [np.asfortranarray(np.ones((2, 3), np.float16)), np.array("text"), np.zeros((0, 3), ">i4")],
    ids=str,
)
def test_what_numpy_writes_is_read(tmp_path, array):
    np.savez_compressed(tmp_path / "a.npz", x=array, y=np.ones(2))
    arrays = read_arrays(tmp_path / "a.npz")
    np.testing.assert_array_equal(arrays["x"], array, strict=True)
    assert arrays.keys() == {"x", "y"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(HEADER, bytes(4)), r"4 bytes declares the shape \(3,\) of float16"),
        (npy(HEADER.replace("3", "100000000000"), bytes(6)), "declares the shape"),
        (npy(HEADER.replace("<f2", "|O"), bytes(24)), "header of an array is damaged"),
        (npy(HEADER.replace("<f2", "<U1"), b"\xff" * 12), "characters that do not exist"),
        (b"\x93NUMPY", "header of an array is damaged"),
    ],
)
def test_a_header_declares_what_is_there(tmp_path, content, words):
    write_archive(tmp_path / "a.npz", x=content)
    refuse(read_arrays, tmp_path / "a.npz", words)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(bounded_files, "_MAX_ARRAY_BYTES", 2**22)
    write_archive(tmp_path / "bomb.npz", x=bytes(2**22), y=b"")
    assert (tmp_path / "bomb.npz").stat().st_size < 2**13
    refuse(read_arrays, tmp_path / "bomb.npz", "header of an array")
    write_archive(tmp_path / "bomb.npz", x=bytes(2**22), y=b"1")
    refuse(read_arrays, tmp_path / "bomb.npz", r"unpack to \d+ bytes, more than")


def test_methods_that_need_much_memory_are_refused(tmp_path):
    write_archive(tmp_path / "a.npz", zipfile.ZIP_LZMA, x=npy(HEADER, bytes(6)))
    refuse(read_arrays, tmp_path / "a.npz", "compressed in a way")

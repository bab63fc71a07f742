"""Damaged files are refused in one line."""

import struct
import zipfile

import pytest

from azjax.support.files.json_lines import read_json_lines
from azjax.support.files.reading import read_arrays, read_csv, read_json, read_text, read_toml

DEEP = 100_000


def refuse(read, path, words):
    """Asserts that a file is refused in one line with these words."""
    with pytest.raises(ValueError, match=words) as refusal:
        read(path)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("read", [read_text, read_json_lines])
def test_a_text_is_in_utf8(tmp_path, read):
    (tmp_path / "text").write_bytes(b"ab\xff\n")
    refuse(read, tmp_path / "text", "decode byte 0xff in position 2")


@pytest.mark.parametrize("text", ["{", "[" * DEEP, "1" * 5000], ids=["open", "deep", "long"])
def test_what_is_no_json_is_refused(tmp_path, text):
    (tmp_path / "file.json").write_text(text)
    refuse(read_json, tmp_path / "file.json", "no JSON")


def test_a_byte_order_mark_is_no_content(tmp_path):
    (tmp_path / "file").write_text("\ufeffa = 1", encoding="utf-8")
    assert read_toml(tmp_path / "file") == {"a": 1}


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", 'a ; "b"\r\n 1; 2 \r\n', "a\tb\n1\t2", 'a, b\n1, "2"']
)
def test_a_table_is_read_as_spreadsheets_save_it(tmp_path, text):
    (tmp_path / "table.csv").write_text(text, newline="")
    assert read_csv(tmp_path / "table.csv") == [(2, {"a": "1", "b": "2"})]


def npy(header, data):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


HEADER = "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(HEADER, bytes(4)), "expected 6 bytes got 4"),
        (npy(HEADER.replace("<f2", "|O"), bytes(24)), "Object arrays cannot be loaded"),
        (b"\x93NUMPY", "EOF"),
    ],
)
def test_a_damaged_array_is_refused(tmp_path, content, words):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", content)
    refuse(read_arrays, tmp_path / "a.npz", words)

import pytest

from azjax.support.files.tables import read_table, write_table


def test_a_table_is_read_as_it_was_written(tmp_path):
    rows = [
        {"cell": "a,b", "seed": 0, "elo": -1.5, "note": 'says "x"'},
        {"cell": "c", "seed": 1, "elo": 1e-9, "note": ""},
    ]
    write_table(tmp_path / "table.csv", rows)
    read = read_table(tmp_path / "table.csv")
    assert read == rows
    assert [type(value) for value in read[0].values()] == [str, int, float, str]


def test_a_table_that_cannot_be_written_leaves_the_old_file_unchanged(tmp_path):
    write_table(tmp_path / "table.csv", [{"a": 1}])

    class Unprintable:
        def __str__(self):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_table(tmp_path / "table.csv", [{"a": 2}, {"a": Unprintable()}])
    assert read_table(tmp_path / "table.csv") == [{"a": 1}]

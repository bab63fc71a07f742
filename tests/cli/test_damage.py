import asyncio
import gc
import json
import shutil

import pytest
from command_line import checkpoints, iterations

from azjax.runs.storage.late_errors import ignore_late_errors

pytestmark = pytest.mark.slow


def arrays(checkpoint):
    """Returns the files that hold the arrays of a checkpoint or of a network in history."""
    return [path for path in checkpoint.rglob("*") if path.parent.name == "d"]


def truncate(checkpoint):
    for path in arrays(checkpoint):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip_bytes(checkpoint):
    for path in arrays(checkpoint):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)


def delete_fingerprint(checkpoint):
    shutil.rmtree(checkpoint / "fingerprint")


def change_fingerprint(checkpoint):
    path = checkpoint / "fingerprint" / "metadata"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps(stored | {"sha256": stored["sha256"][::-1]}))


DAMAGES = [truncate, flip_bytes, delete_fingerprint, change_fingerprint]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_checkpoint_is_skipped_for_the_one_before(azjax, copy, tmp_path, damage):
    whole = shutil.copytree(copy, tmp_path / "whole")
    shutil.rmtree(whole / "checkpoints" / "6")
    damage(copy / "checkpoints" / "6")
    result = azjax("fingerprint", copy)
    assert result.code == 0
    assert result.err.startswith(f"azjax: {copy}: checkpoint 6 is damaged (its ")
    assert result.err.endswith("): checkpoint 4 is read instead\n")
    assert result.out == azjax("fingerprint", whole).out


def test_asyncio_logs_all_errors_except_those_of_orbax(caplog):
    ignore_late_errors()
    for text in ("DATA_LOSS: checksum [tensorstore_spec='{}']", "something else"):
        loop = asyncio.new_event_loop()
        loop.create_future().set_exception(ValueError(text))
        loop.close()
    gc.collect()
    (record,) = [record for record in caplog.records if record.name == "asyncio"]
    assert "something else" in record.getMessage()


def test_resuming_a_damaged_run_ends_where_the_whole_one_did(azjax, resume, trained, copy):
    flip_bytes(copy / "checkpoints" / "6")
    result = resume(copy, "--iterations", "6")
    assert result.code == 0, result
    assert f"azjax: {copy}: checkpoint 6 is damaged (its " in result.out
    assert "resuming from iteration 4" in result.out
    assert azjax("fingerprint", copy) == azjax("fingerprint", trained)
    assert iterations(copy) == [0, 1, 2, 3, 4, 5, 6]


def test_a_checkpoint_half_written_is_not_read(azjax, resume, trained, copy):
    half = copy / "checkpoints" / "8.orbax-checkpoint-tmp"
    shutil.copytree(copy / "checkpoints" / "6", half)
    assert azjax("fingerprint", copy).out == azjax("fingerprint", trained).out
    assert resume(copy, "--iterations", "8").code == 0
    assert checkpoints(copy)[-1] == 8

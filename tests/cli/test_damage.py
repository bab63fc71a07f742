import asyncio
import gc
import json
import shutil
import sys
import types
import warnings

import pytest
from command_line import checkpoints, iterations

from azjax.runs.storage.orbax_reading import ignore_late_errors

pytestmark = pytest.mark.slow


def arrays(checkpoint):
    """Returns the files that hold the arrays of a checkpoint or of a network in history."""
    return [path for path in checkpoint.rglob("*") if path.parent.name == "d"]


def truncate(checkpoint):
    for path in arrays(checkpoint):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def delete_arrays(checkpoint):
    for path in arrays(checkpoint):
        path.unlink()


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


DAMAGES = [truncate, delete_arrays, flip_bytes, delete_fingerprint, change_fingerprint]


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


def test_the_unraisable_hook_drops_errors_of_late_reads_only(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    ignore_late_errors()
    late = ("Event loop is closed", "Encountered error while reading array index: (0, 8)")
    for reason in (*late, "something else"):
        sys.unraisablehook(types.SimpleNamespace(exc_value=RuntimeError(reason)))
    assert [str(unraisable.exc_value) for unraisable in reported] == ["something else"]


def error_of_file(path):
    """Returns an error that a file of this name has raised."""
    try:
        exec(compile("raise OSError('No space left on device')", path, "exec"))
    except OSError as error:
        return error


def test_asyncio_logs_all_errors_except_those_of_orbax(caplog):
    ignore_late_errors()
    for error in (
        ValueError("DATA_LOSS: checksum [tensorstore_spec='{}']"),
        ValueError("RESOURCE_EXHAUSTED: Failed to write 474 bytes [os_error_code='28']"),
        error_of_file("/site-packages/orbax/checkpoint/_src/path/async_path.py"),
        ValueError("something else"),
    ):
        loop = asyncio.new_event_loop()
        loop.create_future().set_exception(error)
        loop.close()
    gc.collect()
    (record,) = [record for record in caplog.records if record.name == "asyncio"]
    assert "something else" in record.getMessage()


async def async_serialize_from_host():
    async def write_fragment():
        pass

    return write_fragment()


async def another():
    pass


def test_python_warns_of_all_coroutines_never_started_except_those_of_orbax():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ignore_late_errors()
        asyncio.run(async_serialize_from_host())  # drops the coroutine that it returns
        another()
        gc.collect()
    (warning,) = caught
    assert "'another'" in str(warning.message)


@pytest.mark.parametrize("damage", [truncate, flip_bytes, change_fingerprint])
def test_resuming_a_damaged_run_ends_where_the_whole_one_did(azjax, resume, trained, copy, damage):
    damage(copy / "checkpoints" / "6")
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

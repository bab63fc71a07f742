import shutil

import pytest
from command_line import checkpoints, iterations

pytestmark = pytest.mark.slow


def flip_bytes(checkpoint):
    for path in checkpoint.rglob("d/*"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0xFF
        path.write_bytes(data)


def delete_fingerprint(checkpoint):
    shutil.rmtree(checkpoint / "fingerprint")


@pytest.mark.parametrize("damage", [flip_bytes, delete_fingerprint])
def test_a_damaged_checkpoint_is_skipped_for_the_one_before(azjax, copy, tmp_path, damage):
    whole = shutil.copytree(copy, tmp_path / "whole")
    shutil.rmtree(whole / "checkpoints" / "6")
    damage(copy / "checkpoints" / "6")
    result = azjax("fingerprint", copy)
    assert result.code == 0
    assert result.err.startswith(f"azjax: {copy}: checkpoint 6 is damaged (its ")
    assert result.err.endswith("): checkpoint 4 is read instead\n")
    assert result.out == azjax("fingerprint", whole).out


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

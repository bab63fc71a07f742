"""Games of a run in a file, from which another run learns."""

import json

import pytest
from command_line import TINY, assert_one_line

from azjax.runs.storage.checkpoints import restore
from azjax.runs.storage.run_folders import open_run

pytestmark = pytest.mark.slow


def test_a_run_learns_from_the_games_of_another_and_goes_on_without_their_file(
    azjax, train, resume, trained, tmp_path
):
    file, folder = tmp_path / "games.npz", tmp_path / "run"
    result = azjax("export", trained, "--games", file)
    assert (result.code, result.err) == (0, "")
    assert result.out == f"wrote {file}: 64 positions, 8 moves in each of 8 columns\n"
    assert_one_line(azjax("export", trained, "--games", file), 2, "exists", "--games")
    assert_one_line(azjax("export", trained, "--games", file, "--out", file), 2, "give one of them")
    train(folder, "--iterations", "2", "--replay", str(file))
    file.unlink()
    assert resume(folder, "--iterations", "3").code == 0
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["iteration"] for row in rows] == [0, 1, 2, 3]
    assert {row["simulations_per_second"] for row in rows[1:]} == {0}
    again = tmp_path / "again.npz"
    assert azjax("export", folder, "--games", again).code == 0
    mine, theirs = (restore(open_run(path)).state.replay for path in (folder, trained))
    assert (mine.trajectory.action_weights.sum(), mine.num_written) == (
        theirs.trajectory.action_weights.sum(),
        8,
    )
    refused = azjax("train", "connect_four", "--out", tmp_path / "other", *TINY, "--replay", again)
    assert_one_line(refused, 2, again, "holds positions of tic_tac_toe", "must be of connect_four")
    assert not (tmp_path / "other").exists()

import pytest

from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.page.training.controls import check_flags, read_request
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run

from ..made_runs import add_checkpoint, make_evaluation, make_row, make_run
from ..simulation import element, see, text_of, wait_until

pytestmark = pytest.mark.anyio


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    make_run(folder / "done", [*(make_row(i) for i in range(1, 40)), make_evaluation(40, 1.0, 1.0)])
    add_checkpoint(folder / "done")
    for seed in range(2):
        make_run(folder / "pop" / f"seed={seed}", [make_row(5 + seed)], seed=seed)
    (folder / "bad").mkdir()
    (folder / "bad" / "run.json").write_text("{")
    return folder


def axis(user):
    return element(user, "losses").options["xAxis"]["name"]


async def test_all_runs_are_listed_and_a_training_can_be_started(user, runs):
    await user.open("/training")
    await wait_until(lambda: element(user, "runs").rows)
    names = [row["name"] for row in element(user, "runs").rows]
    assert names == ["bad", "done", "pop/", "seed=0", "seed=1"]
    await wait_until(lambda: "--out" in text_of(user, "command"))
    command = f"azjax train tic_tac_toe --out {runs / 'tic_tac_toe'}"
    assert text_of(user, "command") == command
    user.find(marker="flags").type("--search.name puct_strong --fpu")
    await see(user, "--search.fpu-reduction")
    user.find(marker="flags").clear().type("--fpu")
    await see(user, "no flag is named so")
    user.find(marker="flags").clear().type("--plugin mine")
    await see(user, "the page does not take --plugin")
    assert text_of(user, "command") == ""
    user.find(marker="flags").clear().type("--num-gmes 3")
    user.find("Start training").click()
    await see(user, "unknown option --num-gmes")


async def test_a_run_says_what_it_is(user, runs):
    config = with_fields(
        get_preset("tic_tac_toe").config, {"search.name": "puct", "symmetries": False}
    )
    path = runs / "own"
    create_run(RunDirectory(path, "tic_tac_toe", config, 7, 1, Limits(minutes=2.0)))
    await user.open("/training/run?name=own")
    await user.should_see(marker="command", retries=400)
    flags = "--no-symmetries --search.name puct --seed 7 --minutes 2.0"
    assert text_of(user, "command") == f"azjax train tic_tac_toe {flags} --out {path}"
    check_flags(read_request("tic_tac_toe", "other", flags))
    assert "symmetries no (there yes)" in text_of(user, "not as tic_tac_toe")
    assert " cpu" in text_of(user, "machine")
    user.find(marker="name").type("wide").trigger("blur")
    await see(user, "wide (own)")
    user.find("Delete").click()
    await see(user, "It cannot be brought back.")
    assert path.exists()
    user.find("Delete it").click()
    await wait_until(lambda: not path.exists())


async def test_runs_are_laid_over_each_other_with_a_card_each(user):
    await user.open("/training/run?name=done&name=pop")
    await see(user, "finished", "pop/ 2 runs: 2 stopped", "Play it", "Resume")
    await user.should_see(marker="learning_rate", retries=400)
    shown = [one["name"] for one in element(user, "learning_rate").options["series"]]
    assert shown == ["done", "pop/seed=0", "pop/seed=1"]
    assert axis(user) == "minutes of training"
    element(user, "axis").set_value("iteration")
    await wait_until(lambda: axis(user) == "iterations")
    element(user, "charts").set_value(["seconds"])
    await user.should_see(marker="seconds", retries=400)

import pytest

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
    user.find(marker="flags").type("--plugin mine")
    await see(user, "the page does not take --plugin")
    assert text_of(user, "command") == ""
    user.find(marker="flags").clear().type("--num-gmes 3")
    user.find("Start training").click()
    await see(user, "unknown option --num-gmes")


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

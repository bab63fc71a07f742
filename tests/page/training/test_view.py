import pytest
from nicegui import ui

from azjax.page.training.view import add_pages
from azjax.support.ownership import owned

from ..made_runs import add_checkpoint, make_evaluation, make_row, make_run
from ..simulation import visit, wait_until


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    make_run(folder / "done", [*(make_row(i) for i in range(1, 40)), make_evaluation(40, 1.0, 1.0)])
    add_checkpoint(folder / "done")
    make_run(folder / "pop" / "seed=0", [make_row(5)])
    make_run(folder / "pop" / "seed=1", [make_row(6)], seed=1)
    (folder / "bad").mkdir()
    (folder / "bad" / "run.json").write_text("{")
    return folder


def element(user, **filters):
    (found,) = user.find(**filters).elements
    return found


def test_all_runs_are_listed_and_a_training_can_be_started(runs):
    async def script(user):
        await user.open("/training")
        await wait_until(lambda: element(user, marker="runs").rows)
        table = element(user, marker="runs")
        names = [row["name"] for row in table.rows]
        assert names == ["bad", "done", "pop/", "seed=0", "seed=1"]
        await wait_until(lambda: "--out" in element(user, marker="command").text)
        text = element(user, marker="command").text
        assert text == f"azjax train tic_tac_toe --out {runs / 'tic_tac_toe'}"
        await user.should_see("perfect in a minute")
        user.find(marker="flags").type("--plugin mine")
        await user.should_see("the page does not take --plugin")
        assert element(user, marker="command").text == ""
        user.find(marker="flags").clear().type("--num-gmes 3")
        user.find("Start training").click()
        await user.should_see("unknown option --num-gmes", retries=200)

    visit(add_pages, runs, script)


def test_runs_are_laid_over_each_other_with_a_card_each(runs):
    async def script(user):
        await user.open("/training/run?name=done&name=pop")
        await user.should_see("finished", retries=200)
        await user.should_see("pop/ 2 runs: 2 stopped")
        await user.should_see("Play it")
        await user.should_see("Resume")
        charts = {"losses", "accuracy", "replay_ratio"}
        await wait_until(lambda: all(element(user, marker=name).visible for name in charts))
        shown = [one["name"] for one in element(user, marker="learning_rate").options["series"]]
        assert shown == ["done", "pop/seed=0", "pop/seed=1"]
        axis = element(user, marker="losses").options["xAxis"]["name"]
        assert axis == "minutes of training"
        element(user, kind=ui.toggle).set_value("iteration")
        await wait_until(
            lambda: element(user, marker="losses").options["xAxis"]["name"] == "iteration"
        )

    visit(add_pages, runs, script)


def test_a_stop_says_how_many_runs_end_before_it_is_done(runs):
    async def script(user):
        with owned(runs / "pop" / "seed=0"), owned(runs / "pop" / "seed=1"):
            await user.open("/training/run?name=pop/seed=0")
            await user.should_see("Stop all 2 runs", retries=200)

    visit(add_pages, runs, script)


def test_a_damaged_line_of_metrics_is_told(runs):
    with (runs / "pop" / "seed=1" / "metrics.jsonl").open("a") as file:
        file.write("damage\n")

    async def script(user):
        await user.open("/training/run?name=pop")
        await user.should_see("pop/seed=1: line 2 of metrics.jsonl is damaged", retries=200)

    visit(add_pages, runs, script)


def test_a_run_that_is_not_there_is_told(runs):
    async def script(user):
        await user.open("/training/run?name=../secret")
        await user.should_see("There is no run ../secret.", retries=200)

    visit(add_pages, runs, script)

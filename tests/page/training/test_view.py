import asyncio
import threading

import pytest
from nicegui import ui

from azjax.page.training.panels import run_view, start_form
from azjax.page.training.view import add_pages

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


def axis(user):
    return element(user, marker="losses").options["xAxis"]["name"]


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
        await user.should_see("perfect in a minute", retries=200)
        await user.should_see(
            "or until it is perfect unless flags say --no-stop-when-perfect", retries=200
        )
        user.find(marker="flags").type("--plugin mine")
        await user.should_see("the page does not take --plugin", retries=200)
        assert element(user, marker="command").text == ""
        user.find(marker="flags").clear().type("--num-gmes 3")
        user.find("Start training").click()
        await user.should_see("unknown option --num-gmes", retries=200)

    visit(add_pages, runs, script)


def test_an_answer_for_an_earlier_preset_that_comes_late_is_dropped(runs, monkeypatch):
    asked, goes_on, is_answered = threading.Event(), threading.Event(), threading.Event()

    def propose(folder, preset):
        if preset == "tic_tac_toe":
            asked.set()
            assert goes_on.wait(20)
            is_answered.set()
        return preset

    monkeypatch.setattr(start_form, "free_name", propose)

    async def script(user):
        proposed = []
        await user.open("/training")
        await wait_until(asked.is_set)
        element(user, marker="folder").on_value_change(lambda event: proposed.append(event.value))
        element(user, marker="preset").set_value("hex")
        await wait_until(lambda: proposed == ["hex"])
        goes_on.set()
        await wait_until(is_answered.is_set)
        element(user, marker="preset").set_value("quixo")
        await wait_until(lambda: proposed[-1] == "quixo")
        assert proposed == ["hex", "quixo"]

    visit(add_pages, runs, script)


def test_runs_are_laid_over_each_other_with_a_card_each(runs):
    async def script(user):
        await user.open("/training/run?name=done&name=pop")
        await user.should_see("finished", retries=200)
        for text in ("pop/ 2 runs: 2 stopped", "Play it", "Resume"):
            await user.should_see(text, retries=200)
        for chart in ("losses", "accuracy", "replay_ratio"):
            await user.should_see(marker=chart, retries=200)
        shown = [one["name"] for one in element(user, marker="learning_rate").options["series"]]
        assert shown == ["done", "pop/seed=0", "pop/seed=1"]
        assert axis(user) == "minutes of training"
        element(user, kind=ui.toggle).set_value("iteration")
        await wait_until(lambda: axis(user) == "iteration")

    visit(add_pages, runs, script)


def test_a_plot_that_ends_late_does_not_bring_the_old_axis_back(runs, monkeypatch):
    goes_on, is_waiting, plot = threading.Event(), threading.Event(), run_view.plot_panels

    def plot_slowly(curves, axis):
        if axis == "minutes":
            is_waiting.set()
            assert goes_on.wait(60)
        return plot(curves, axis)

    monkeypatch.setattr(run_view, "plot_panels", plot_slowly)

    async def script(user):
        await user.open("/training/run?name=done")
        await wait_until(is_waiting.is_set)
        element(user, kind=ui.toggle).set_value("iteration")
        await user.should_see(marker="losses", retries=200)
        assert axis(user) == "iteration"
        goes_on.set()
        await asyncio.sleep(1.5)  # more than the time between two updates
        assert axis(user) == "iteration"

    try:
        visit(add_pages, runs, script)
    finally:
        goes_on.set()

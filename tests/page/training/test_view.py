import asyncio
import json
import threading

import pytest
from nicegui import ui

from azjax.page.training.panels import run_view, start_form
from azjax.page.training.processes import stop_signals
from azjax.page.training.view import add_pages
from azjax.support.files.ownership import owned

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
        await user.should_see("perfect in a minute")
        await user.should_see("or until it is perfect unless flags say --no-stop-when-perfect")
        user.find(marker="flags").type("--plugin mine")
        await user.should_see("the page does not take --plugin")
        assert element(user, marker="command").text == ""
        user.find(marker="flags").clear().type("--num-gmes 3")
        user.find("Start training").click()
        await user.should_see("unknown option --num-gmes", retries=200)

    visit(add_pages, runs, script)


def test_a_folder_that_is_typed_while_one_is_proposed_stays(runs, monkeypatch):
    asked, typed = threading.Event(), threading.Event()

    def propose(folder, preset):
        asked.set()
        assert typed.wait(20)
        return preset

    monkeypatch.setattr(start_form, "free_name", propose)

    async def script(user):
        await user.open("/training")
        await wait_until(asked.is_set)
        user.find(marker="folder").type("mine")
        typed.set()
        await user.should_see("perfect in a minute")
        command = f"azjax train tic_tac_toe --out {runs / 'mine'}"
        await wait_until(lambda: element(user, marker="command").text == command)
        assert element(user, marker="folder").value == "mine"

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


def test_a_preset_that_does_not_stop_when_it_is_perfect_does_not_say_so(runs):
    async def script(user):
        await user.open("/training")
        await wait_until(lambda: element(user, marker="preset").value)
        element(user, marker="preset").set_value("hex")
        await user.should_see("minutes unless minutes are given", retries=200)
        await user.should_not_see("until it is perfect")

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
        assert axis(user) == "minutes of training"
        element(user, kind=ui.toggle).set_value("iteration")
        await wait_until(lambda: axis(user) == "iteration")

    visit(add_pages, runs, script)


def test_a_stop_says_how_many_runs_end_before_it_is_done(runs):
    async def script(user):
        with owned(runs / "pop" / "seed=0"), owned(runs / "pop" / "seed=1"):
            await user.open("/training/run?name=pop/seed=0")
            await user.should_see("Stop all 2 runs", retries=200)

    visit(add_pages, runs, script)


def test_a_second_click_on_stop_sends_no_second_signal(runs, monkeypatch):
    sent = []
    monkeypatch.setattr(stop_signals, "stop_training", sent.append)

    async def script(user):
        with owned(runs / "pop" / "seed=0"):
            await user.open("/training/run?name=pop/seed=0")
            await user.should_see("Stop", kind=ui.button, retries=200)
            button = element(user, content="Stop", kind=ui.button)
            assert button.enabled
            user.find("Stop", kind=ui.button).click()
            await wait_until(lambda: button.text == "Stopping")
            assert not button.enabled
            await user.should_see("stopping, process")

    visit(add_pages, runs, script)
    assert len(sent) == 1


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


def test_a_damaged_line_of_metrics_is_told(runs):
    with (runs / "pop" / "seed=1" / "metrics.jsonl").open("a") as file:
        file.write("damage\n")

    async def script(user):
        await user.open("/training/run?name=pop")
        await user.should_see("pop/seed=1: line 2 of metrics.jsonl is damaged", retries=200)

    visit(add_pages, runs, script)


def test_a_run_of_infinite_length_does_not_hide_the_others(runs):
    row = json.dumps(make_row(5)).replace('"seconds": 15.0', '"seconds": 1e999')
    (runs / "pop" / "seed=0" / "metrics.jsonl").write_text(f"{row}\n")

    async def script(user):
        await user.open("/training")
        await wait_until(lambda: element(user, marker="runs").rows)
        states = {row["name"]: row["state"] for row in element(user, marker="runs").rows}
        assert (states["seed=0"], states["seed=1"]) == ("stopped", "stopped")
        await user.open("/training/run?name=pop")
        await user.should_see("pop/seed=0: line 1 of metrics.jsonl is damaged", retries=200)
        await user.should_see(marker="losses", retries=200)

    visit(add_pages, runs, script)


def test_a_run_that_is_not_there_is_told(runs):
    async def script(user):
        await user.open("/training/run?name=../secret")
        await user.should_see("There is no run ../secret.", retries=200)

    visit(add_pages, runs, script)

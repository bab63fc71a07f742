import functools

import pytest

from azjax.config.limits import Limits
from azjax.page.owners import OwnerWatch
from azjax.page.studies import tables
from azjax.page.studies.progress import Progress, ProgressReader
from azjax.page.studies.state_rows import part_rows
from azjax.page.studies.study_description import read_study_description
from azjax.page.studies.study_folders import find_study_folder
from azjax.page.studies.tables import row_link, show_table, trial_states
from azjax.support.files.ownership import owned

from ..made_runs import make_row, make_run


def parts(runs, name):
    """Returns the rows of the cells or trials, by name."""
    study = find_study_folder(runs, name)
    description, reader = read_study_description(study), ProgressReader(OwnerWatch())
    paths = [path for some in description.runs.values() for path in some]
    progress = {path: reader.read(path, description.limits) for path in paths}
    return {row["name"]: row for row in part_rows(runs, description, progress, trial_states(study))}


def test_cells_say_how_far_they_are_and_lead_to_their_runs(runs):
    rows = parts(runs, "runs/compare")
    assert {name: row["state"] for name, row in rows.items()} == {
        "gumbel_2": "finished",
        "puct_2": "25% done",
        "uct_2": "waits",
    }
    assert (rows["gumbel_2"]["iteration"], rows["gumbel_2"]["accuracy"]) == ("10", "98.50%")
    link = "/training/run?name=compare%2Fruns%2Fgumbel_2%2Fseed%3D0&name=compare"
    assert rows["gumbel_2"]["link"].startswith(link)
    assert rows["uct_2"]["link"] == ""


def test_trials_say_how_they_have_ended(runs):
    rows = parts(runs, "runs/tune")
    assert [rows[name]["state"] for name in "01"] == ["finished", "stopped early"]
    (runs / "tune" / "trials.csv").unlink()
    assert parts(runs, "runs/tune")["1"]["state"] == "40% done"


def test_a_trial_that_nobody_trains_any_more_is_not_called_running(runs):
    file = runs / "tune" / "trials.csv"
    file.write_text(file.read_text().replace("stopped early", "running"))
    assert [parts(runs, "runs/tune")[name]["state"] for name in "01"] == ["finished", "40% done"]


@pytest.mark.parametrize("run", ["compare/runs/puct_2/seed=0", "tune/trials/1"])
def test_whoever_trains_a_run_owns_a_folder_of_its_study(runs, run):
    study = find_study_folder(runs, f"runs/{run.partition('/')[0]}")
    owners = OwnerWatch()
    assert not any(map(owners.find, study.list_owned()))
    with owned(runs / run):
        assert any(map(OwnerWatch().find, study.list_owned()))


def test_progress_is_read_again_when_it_changes(tmp_path):
    reader, limits = ProgressReader(OwnerWatch()), Limits(iterations=10)
    assert reader.read(tmp_path / "run", limits) == Progress(0, 0.0, None, False)
    run = make_run(tmp_path / "run", [make_row(1)])
    assert reader.read(run.path, limits) == Progress(1, 0.1, None, False)
    with run.metrics.open("a") as file:
        file.write('damage\n{"iteration": 2, "seconds": 6.0, "accuracy_search": 0.5}\n{"iter')
    assert reader.read(run.path, limits) == Progress(2, 0.2, 0.5, False)


def test_a_table_is_shown_with_links_to_its_runs(runs):
    study = find_study_folder(runs, "runs/compare")
    link_of = functools.partial(row_link, runs, study, read_study_description(study))
    summary = show_table(study.path / "summary.csv", link_of)
    assert [column["label"] for column in summary.columns] == ["cell", "result", "mean", "seeds"]
    (row,) = summary.rows
    assert (row["c0"], row["c2"], row["c3"]) == ("gumbel_2", 0.98765, 2)
    assert row["link"].count("name=") == 2
    final = show_table(study.path / "final.csv", link_of)
    assert [row["link"] for row in final.rows] == [
        f"/training/run?name=compare%2Fruns%2Fgumbel_2%2Fseed%3D{seed}" for seed in range(2)
    ]


def test_a_long_table_is_cut_and_numbers_that_no_browser_knows_are_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_MOST_ROWS", 2)
    file = tmp_path / "curves.csv"
    file.write_text(f"{{{{x}}}}\n1\n{9**40}\n3\n")
    shown = show_table(file, lambda row: "")
    assert [row["c0"] for row in shown.rows] == [1, str(9**40)]
    assert shown.note == "1 more rows are in curves.csv"
    assert shown.columns[0]["field"] == "c0"

import pytest

from azjax.page.studies import find_file, list_reports, read_report, read_verdict
from azjax.support.errors import InputError

from .simulation import element, text_of

NAME = "runs/compare"
REPORT = """# Report

**Overall:** a is better.

Why [y](https://y.org).

## End

| cell | mean |
| --- | --- |
| cell | 0.5 |

![x](figures/end.png)
"""


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "project" / "runs"
    for path in (folder / "compare", folder.parent / "sweeps" / "deep" / "hex"):
        (path / "figures").mkdir(parents=True)
        (path / "report.md").write_text(REPORT)
        (path / "runs" / "cell" / "seed=0").mkdir(parents=True)
        (path / "figures" / "end.png").write_bytes(b"\x89PNG end")
        (path / "summary.csv").write_text("cell,mean\na,0.5\n")
        (path / "study.json").write_text("{}")
    (folder / "compare" / "link.png").symlink_to(folder.parent / "sweeps")
    (folder / "link").symlink_to(folder.parent / "sweeps" / "deep")
    (folder / "no_report").mkdir()
    return folder


def test_reports_are_found_below_the_runs_and_beside_them_and_links_are_not_followed(runs):
    assert list_reports(runs) == [NAME, "sweeps/deep/hex"]


def test_a_report_leads_to_its_figures_and_tables(runs):
    report = read_report(runs, NAME)
    assert "![x](/studies/file?name=runs%2Fcompare&file=figures%2Fend.png)" in report
    assert "[summary.csv](/studies/file?name=runs%2Fcompare&file=summary.csv)" in report
    assert "[y](https://y.org)" in report
    assert report.index("a is better") < report.index("![x]") < report.index("Why")
    assert "| [cell](/training/run?name=compare%2Fruns%2Fcell) | 0.5 |" in report
    assert read_verdict(runs, NAME) == "**Overall:** a is better."


@pytest.mark.parametrize("name", ["", "runs", "runs/../x", "/etc", "other/x", "runs/no_report"])
def test_another_name_is_refused(runs, name):
    with pytest.raises(InputError):
        read_report(runs, name)


@pytest.mark.parametrize("file", ["none.png", "study.json", "../summary.csv", "link.png"])
def test_nothing_else_is_served(runs, file):
    with pytest.raises(InputError):
        find_file(runs, NAME, file)


@pytest.mark.anyio
async def test_a_report_is_shown_with_its_figures(user):
    await user.open("/studies/one?name=runs%2Fcompare")
    assert "<h1>Report</h1>" in element(user, "verdict").props["innerHTML"]
    address = "/studies/file?name=runs/compare&file="
    answer = await user.http_client.get(f"{address}figures/end.png")
    assert (answer.status_code, answer.content) == (200, b"\x89PNG end")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await user.http_client.get(f"{address}study.json")).status_code == 404


@pytest.mark.anyio
async def test_a_sweep_shows_its_scores_over_each_number_and_the_flags_of_the_best(user, runs):
    table = ["trial,state,score,validation_accuracy,run,search.c_puct,symmetries"]
    table += ["0,finished,0.8,0.8,trials/0,1.0,True", "1,stopped early,,0.6,trials/1,0.5,True"]
    table += ["2,finished,0.9,0.9,trials/2,2.0,True"]
    (runs / "compare" / "trials.csv").write_text("\n".join(table))
    (runs / "compare" / "best.toml").touch()
    await user.open("/studies/one?name=runs%2Fcompare")
    assert text_of(user, "best") == f"azjax train {runs / 'compare' / 'best.toml'}"
    stopped, finished = element(user, "search.c_puct").options["series"]
    assert [one["value"] for one in stopped["data"]] == [[0.5, 0.6]]
    assert [one["value"] for one in finished["data"]] == [[1.0, 0.8], [2.0, 0.9]]

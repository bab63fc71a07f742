import pytest

from azjax.page.studies import find_file, list_reports, read_report
from azjax.support.errors import InputError

from .simulation import element

NAME = "runs/compare"


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "project" / "runs"
    for path in (folder / "compare", folder.parent / "sweeps" / "deep" / "hex"):
        (path / "figures").mkdir(parents=True)
        (path / "report.md").write_text("# Report\n\n![x](figures/end.png) [y](https://y.org)\n")
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
    assert "<h1>Report</h1>" in element(user, "report").props["innerHTML"]
    address = "/studies/file?name=runs/compare&file="
    answer = await user.http_client.get(f"{address}figures/end.png")
    assert (answer.status_code, answer.content) == (200, b"\x89PNG end")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await user.http_client.get(f"{address}study.json")).status_code == 404

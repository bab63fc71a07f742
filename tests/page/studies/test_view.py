from azjax.page import owners
from azjax.page.studies.view import add_pages
from azjax.support.files.ownership import owned

from ..simulation import element, visit, wait_until


def test_visitors_lock_the_owner_of_a_folder_once_together(runs, monkeypatch):
    study, run = runs / "compare", runs / "compare" / "runs" / "puct_2" / "seed=0"
    find_owner, asked = owners.find_owner, []

    def counted(folder):
        asked.append(folder)
        return find_owner(folder)

    monkeypatch.setattr(owners, "find_owner", counted)
    with owned(study), owned(run):
        pass

    async def script(user):
        for _ in range(2):
            await user.open("/studies")
            await wait_until(lambda: element(user, "studies").rows)
            await user.open("/studies/one?name=runs%2Fcompare")
            await wait_until(lambda: element(user, "parts").rows)

    visit(add_pages, runs, script)
    assert (asked.count(study), asked.count(run)) == (1, 1)


def test_a_study_shows_its_cells_tables_figures_and_report(runs):
    async def script(user):
        await user.open("/studies/one?name=runs%2Fcompare")
        await user.should_see("compare search of tic_tac_toe", retries=200)
        assert [row["name"] for row in element(user, "parts").rows] == [
            "gumbel_2",
            "puct_2",
            "uct_2",
        ]
        assert element(user, "table-summary").rows[0]["c0"] == "gumbel_2"
        await user.should_see("figures/end_of_training.png", retries=200)
        await user.should_see("no difference", retries=200)
        await check_figures(user)

    visit(add_pages, runs, script)


async def check_figures(user):
    address = "/studies/figure?name=runs/compare&figure="
    answer = await user.http_client.get(f"{address}figures/end_of_training.png")
    assert (answer.status_code, answer.content) == (200, b"\x89PNG end")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    for figure in ("study.json", "../tune/importance.png"):
        answer = await user.http_client.get(f"{address}{figure}")
        assert answer.status_code == 404

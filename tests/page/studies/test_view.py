import pytest

from azjax.page import owners
from azjax.support.files.ownership import owned

from ..simulation import element, see, wait_until

pytestmark = pytest.mark.anyio


async def test_visitors_lock_the_owner_of_a_folder_once_together(user, runs, monkeypatch):
    study, run = runs / "compare", runs / "compare" / "runs" / "puct_2" / "seed=0"
    find_owner, asked = owners.find_owner, []

    def counted(folder):
        asked.append(folder)
        return find_owner(folder)

    monkeypatch.setattr(owners, "find_owner", counted)
    with owned(study), owned(run):
        pass
    for _ in range(2):
        await user.open("/studies")
        await wait_until(lambda: element(user, "studies").rows)
        await user.open("/studies/one?name=runs%2Fcompare")
        await wait_until(lambda: element(user, "parts").rows)
    assert (asked.count(study), asked.count(run)) == (1, 1)


async def test_a_study_shows_its_cells_tables_figures_and_report(user):
    await user.open("/studies/one?name=runs%2Fcompare")
    await see(user, "compare search of tic_tac_toe")
    names = [row["name"] for row in element(user, "parts").rows]
    assert names == ["gumbel_2", "puct_2", "uct_2"]
    assert element(user, "table-summary").rows[0]["c0"] == "gumbel_2"
    await see(user, "figures/end_of_training.png", "no difference")
    address = "/studies/figure?name=runs/compare&figure="
    answer = await user.http_client.get(f"{address}figures/end_of_training.png")
    assert (answer.status_code, answer.content) == (200, b"\x89PNG end")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    for figure in ("study.json", "../tune/importance.png"):
        assert (await user.http_client.get(f"{address}{figure}")).status_code == 404

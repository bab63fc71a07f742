"""The page in a real browser: Debian's or another Chromium, driven by Playwright.

Each test fails on an error in the browser's console, and on a request to another host.
"""

import pathlib
import re
import shutil
import time

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

from playwright.sync_api import expect, sync_playwright

from .serving import serving

pytestmark = pytest.mark.slow

_READY_SECONDS = 5.0
_PAINT_SECONDS = 1.5
_SLOW = 4  # times these, on a machine that does other things too
_WAIT = 120_000  # milliseconds: a search may have to be compiled first

# Returns the first series of the first chart: the accuracy with search of the first run.
_ACCURACIES = """() => {
  const chart = getElement(document.querySelector(".nicegui-echart"))?.chart;
  return (chart?.getOption()?.series?.[0]?.data ?? []).map(([x, y]) => y);
}"""
_WIDTH_OF_IMAGE = """async (svg) => {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  return image.naturalWidth;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serves a folder of runs, and yields the page's address."""
    runs = tmp_path_factory.mktemp("served") / "runs"
    began = time.monotonic()
    with serving(runs) as address:
        assert time.monotonic() - began < _SLOW * _READY_SECONDS
        yield address


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if program is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser, address):
    page = browser.new_page(base_url=address)
    page.set_default_timeout(_WAIT)
    wrong = []

    def note_message(message):
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def note_request(request):
        if not request.url.startswith((address, "data:", f"blob:{address}")):
            wrong.append(request.url)

    page.on("console", note_message)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", note_request)
    yield page
    page.close()
    assert not wrong


def has_text(page, text):
    expect(page.get_by_text(text)).to_be_visible(timeout=_WAIT)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def save_by(page, name):
    """Chooses from the menu, and returns the name and the text of the file that is saved."""
    press(page, "More")
    with page.expect_download(timeout=_WAIT) as saved:
        page.get_by_role("listitem").filter(has_text=re.compile(f"^{name}$")).click()
    return saved.value.suggested_filename, pathlib.Path(saved.value.path()).read_text()


@pytest.mark.parametrize(("width", "height"), [(1400, 1000), (390, 844)])
def test_the_page_is_painted_soon_and_no_wider_than_the_window(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/?game=tic_tac_toe&o=random")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert paint < 1000 * _SLOW * _PAINT_SECONDS
    has_text(page, "Your move, as X.")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_whole_game_of_tic_tac_toe_is_played_by_clicks(page):
    page.goto("/?game=tic_tac_toe&o=mcts:simulations%3D20")
    over = page.get_by_text(re.compile(r"^(Draw\.|[XO] wins \(.*\)\.)$"))
    mine = page.get_by_text("Your move, as X.")
    for _ in range(5):
        expect(over.or_(mine)).to_be_visible(timeout=_WAIT)
        if over.is_visible():
            break
        stones = page.locator("[data-illegal]").count()
        page.locator("[data-move]").first.click()
        expect(page.locator("[data-illegal]")).not_to_have_count(stones, timeout=_WAIT)
    expect(over).to_be_visible(timeout=_WAIT)
    page.reload()
    expect(over).to_be_visible(timeout=_WAIT)


def test_a_game_is_played_by_the_keyboard(page):
    page.goto("/?game=tic_tac_toe&o=mcts:simulations%3D3000")
    has_text(page, "Your move, as X.")
    page.locator("[data-move]").first.focus()
    has_text(page, "3,000 simulations")  # the board was rendered again and again
    page.keyboard.press("Enter")
    expect(page.locator("[data-illegal]")).to_have_count(2, timeout=_WAIT)
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-illegal]")).to_have_count(1, timeout=_WAIT)
    page.keyboard.press("u")
    expect(page.locator("[data-illegal]")).to_have_count(0, timeout=_WAIT)
    for _ in range(2):  # to the answered move, and before it
        page.go_back()
    expect(page.locator("[data-illegal]")).to_have_count(0, timeout=_WAIT)
    page.go_forward()
    expect(page.locator("[data-illegal]")).to_have_count(2, timeout=_WAIT)


def test_a_cube_of_quixo_is_taken_and_put_back_in_by_two_clicks(page):
    page.goto("/?game=quixo_3&o=random")
    has_text(page, "Your move, as X.")
    expect(page.locator("[data-cube]")).to_have_count(8)
    page.locator('[data-cube="0"]').click()
    expect(page.locator("[data-move]")).to_have_count(2, timeout=_WAIT)
    page.locator("[data-move]").first.click()
    page.wait_for_url(re.compile(r"moves=0%2C0%2C"))


def test_the_game_is_saved_as_sgf(page):
    page.goto("/?game=hex_5&o=random&moves=a1+b2")
    has_text(page, "Your move, as Blue.")
    name, text = save_by(page, "SGF")
    assert name == "game.sgf"
    assert text.startswith("(;")
    assert {"GM[11]", "PB[you]", "PW[random]"} <= set(re.findall(r"[A-Z]{2}\[\w+\]", text))
    assert re.findall(r";\s*([BW]\[\w+\])", text) == ["B[a1]", "W[b2]"]


def test_the_board_is_saved_as_an_image_that_stands_alone(page):
    page.goto("/?game=tic_tac_toe&o=random&moves=a1+b2")
    has_text(page, "Your move, as X.")
    name, text = save_by(page, "Image")
    assert name == "board.svg"
    assert text.count('class="stone sign') == 2
    assert "data-move" not in text
    assert page.evaluate(_WIDTH_OF_IMAGE, text) > 0


def test_a_training_is_started_its_curve_rises_and_its_result_is_played(page):
    page.goto("/training")
    folder = page.get_by_label("folder")
    expect(folder).not_to_have_value("")  # else the proposal could come after what is typed
    folder.fill("first")
    page.get_by_role("button", name="Start training").click()
    page.wait_for_url("**/training/run?name=first")
    expect(page.get_by_text("finished")).to_be_visible(timeout=5 * _WAIT)
    expect(page.locator(".nicegui-echart").first).to_be_visible()
    page.wait_for_function(f"() => ({_ACCURACIES})().length > 1")
    accuracies = page.evaluate(_ACCURACIES)
    assert accuracies[-1] > accuracies[0]
    page.get_by_role("button", name="Play it").click()
    has_text(page, "Your move, as X.")
    assert "runs%2Ffirst" in page.url

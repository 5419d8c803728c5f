"""The page in headless Chromium, as a person would use it."""

import json
import time

import pytest
from browser_helpers import missing

if reason := missing():
    pytest.skip(reason, allow_module_level=True)

from browser_helpers import PATIENCE_S, Person, start_browser, start_server
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from web_helpers import warm_up

from tengen.records.reader import read_bytes
from tengen.view.catalogue import LAYERS
from tengen.view.info import Need

COMPILING_S = 600
"""A layer that was never used on this machine is compiled first."""
GAME = (
    b"(;GM[1]FF[4]SZ[7]KM[7.5]PB[Ann]PW[Ben]RE[W+3.5];B[dd];W[cc];B[ee](;W[bb]C[hm];B[ff])(;W[aa]))"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    study = folder / "lab" / "study"
    study.mkdir(parents=True)
    (study / "settings.json").write_text(json.dumps({"title": "A study of nothing"}))
    (study / "report.html").write_text("<h1>What was found")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    warm_up()
    process, address = start_server(folder / "lab")
    yield address
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def driver(folder):
    driver = start_browser(folder)
    yield driver
    driver.quit()


@pytest.fixture
def person(driver, server):
    """Someone with a fresh game; nothing may have been complained of when they are done."""
    person = Person(driver, server)
    person.console_errors()
    person.come()
    yield person
    assert person.console_errors() == []


def test_a_game_against_the_engine(person):
    person.new_game(size="7", colour="black", level="strongest")
    person.play_move("D4", 2)
    assert person.count(".stones .stone.black") == 1
    assert person.count(".stones .stone.white") == 1
    assert person.count(".last") == 1
    person.click("#do-hint")
    person.wait_for_text("#status", "Tengen would play")
    person.click("#do-undo")
    person.wait_for_move(0)
    assert person.count(".stones .stone") == 0
    assert person.count(".tree .node") == 3, "what was taken back stays a variation"


def test_a_move_that_is_not_allowed(person):
    person.new_game(size="7", colour="both")
    person.play_move("D4", 1)
    person.play("D4")
    person.wait_for_text("#toasts", "D4 is taken")


def test_a_rectangle_with_handicap_and_a_clock(person):
    person.new_game(size="other", other="9x7", colour="both", handicap="2", clock="byoyomi")
    person.wait_for_count(".stones .stone.black", 2)
    assert person.run("return [tengen.game.rows, tengen.game.columns]") == [7, 9]
    person.wait_for_text("#white-clock", "3×30s")
    person.play("E4")
    person.wait_for_count(".stones .stone.white", 1)


def test_scoring(person):
    person.new_game(size="5", colour="both", komi="0.5")
    for number, vertex in enumerate(["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5"]):
        person.play_move(vertex, number + 1)
    person.click("#do-pass")
    person.wait_for_move(11)
    person.click("#do-pass")
    person.wait_for_text("#status", "Black wins by 4.5")
    person.play("D3")
    person.wait_for_text("#status", "Black wins by 24.5")
    assert person.count(".dead") == 5
    person.play("D3")
    person.wait_for_text("#status", "Black wins by 4.5")
    person.click("#do-accept")
    person.until("return document.body.dataset.phase === 'over'")


def test_resigning(person):
    person.new_game(size="7", colour="black")
    person.run("window.confirm = () => true")
    person.click("#do-resign")
    person.wait_for_text("#status", "White wins by resignation")


def open_game(person, folder, data=GAME, name="game.sgf"):
    path = folder / name
    path.write_bytes(data)
    person.driver.find_element(By.ID, "file").send_keys(str(path))


def test_saving_and_opening(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    assert person.count(".tree .node") == 7
    person.press(Keys.END)
    person.wait_for_move(5)
    person.press(Keys.ARROW_LEFT)
    person.until("return document.getElementById('comment').value === 'hm'")
    person.press(Keys.ARROW_DOWN)
    person.until("return document.getElementById('comment').value === ''")
    comment = person.driver.find_element(By.ID, "comment")
    comment.send_keys("better] \\ here", Keys.TAB)
    person.wait_for_count(".tree .noted", 2)
    person.click("#do-save")
    saved = folder / "tengen.sgf"
    wait_for_file(saved)
    (record,) = read_bytes(saved.read_bytes())
    assert (record.black, record.result_text, len(record.moves)) == ("Ann", "W+3.5", 5)
    comments = [node.text("C") for node in record.root.walk() if "C" in node.properties]
    assert comments == ["hm", "better] \\ here"]


def test_a_comment_stays_where_it_was_begun(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    comment = person.driver.find_element(By.ID, "comment")
    comment.send_keys("before the first move")
    person.run("tengen.goTo(1)")
    person.wait_for_move(1)
    comment.send_keys(Keys.TAB)
    person.until("return document.getElementById('comment').value === ''")
    person.press(Keys.HOME)
    person.until("return document.getElementById('comment').value === 'before the first move'")


def wait_for_file(path):
    """Wait until a download is there; Chromium renames it when it is whole."""
    end_s = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end_s, f"{path} was never saved"
        time.sleep(0.05)


def test_dropping_a_file(person):
    script = """
        const files = new DataTransfer();
        files.items.add(new File([arguments[0]], "game.sgf"));
        window.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true}));
        """
    person.run(script, GAME.decode())
    person.wait_for_text("#white-player", "Ben")


def test_a_file_that_is_no_game(person, folder):
    open_game(person, folder, b"a letter to my aunt", "letter.sgf")
    person.wait_for_text("#toasts", "Not opened: there is no game in this file")
    (told,) = person.console_errors()
    assert "422" in told


def test_a_file_that_is_too_large(person, folder):
    open_game(person, folder, b"(;C[" + b"x" * 10_000_000 + b"])", "large.sgf")
    person.wait_for_text("#toasts", "larger than 10 MB")


@pytest.mark.timeout(2400)
def test_a_heat_map_of_each_kind(person):
    person.new_game(size="9", colour="both")
    for number, vertex in enumerate(["E5", "E4", "D4", "C7", "F4"]):
        person.play_move(vertex, number + 1)
    person.press("2", "a")
    person.until("return tengen.search !== null")
    for name, info in LAYERS.items():
        person.choose_layer(0, name)
        if info.needs is Need.GAMES:
            person.wait_for_text("#meaning-0", "no games database")
            continue
        shown = "return tengen.look.layers[0]?.name === arguments[0]"
        person.until(shown, name, patience_s=COMPILING_S)
        assert person.count(".heat rect") + person.count(".over rect") > 0, name
        assert person.count("#meaning-0 .legend") == 1
        assert info.meaning in person.text("#meaning-0")
    person.press("a")
    person.until("return tengen.state.analysing === false")


def test_numbers_on_hover_and_two_side_by_side(person):
    person.press("2")
    person.choose_layer(0, "bigmove.p1")
    person.until("return tengen.look.layers[0]", patience_s=COMPILING_S)
    person.point_at("E5")
    person.wait_for_text("#readout-0", "E5: 1")
    person.choose_layer(1, "lines")
    person.until("return tengen.look.layers[1]", patience_s=COMPILING_S)
    assert person.run("return document.querySelectorAll('.board')[1].getClientRects().length") == 1
    assert person.count("#boards .board") == 2
    person.click("#as-surface")
    person.until("return document.getElementById('surface').getClientRects().length")


def test_a_principal_variation_on_hover(person):
    person.press("2", "a")
    person.until("return tengen.search?.candidates[0]?.line.length > 2")
    person.press("a")
    person.until("return tengen.state.analysing === false")
    person.point_at(person.run("return tengen.search.candidates[0].vertex"))
    person.until("return document.querySelectorAll('.line .number').length > 1")


def test_what_was_found_of_a_game_is_forgotten_with_it(person):
    person.new_game(size="9", colour="both")
    person.press("h")
    person.until("return tengen.hint !== null")
    person.new_game(size="9", colour="both")
    assert person.run("return tengen.hint === null && tengen.search === null")
    assert person.count(".marks .hint") == 0


def test_analysing_a_game(person, folder):
    open_game(person, folder)
    person.wait_for_text("#black-player", "Ann")
    person.press("3")
    person.run("document.getElementById('visits').value = '100'")
    person.click("#do-review")
    person.wait_for_text("#review-info", "6 positions, up to")
    assert "Black: " in person.text("#mistakes")
    person.click_until("#chart", "return tengen.state.move > 0")
    person.run("tengen.review.jump(2)")
    person.until("return tengen.state.move === 2")


def test_experiments(person):
    person.press("4")
    person.wait_for_text("#experiments", "A study of nothing")
    link = person.driver.find_element(By.CSS_SELECTOR, "#experiments a").get_attribute("href")
    person.driver.get(link)
    assert person.text("h1") == "What was found"


def test_a_lost_connection_comes_back_to_the_same_game(person):
    person.new_game(size="7", colour="both")
    person.play_move("D4", 1)
    game = person.run("return tengen.game.id")
    person.run("window.lost = tengen.link.socket; window.before = tengen.heard; lost.close()")
    person.until("return tengen.link.socket !== lost && tengen.heard > before")
    assert person.text("#connection") == ""
    person.play_move("C3", 2)
    assert person.run("return tengen.game.id") == game
    person.driver.refresh()
    person.until("return document.body.dataset.ready === ''")
    assert person.run("return [tengen.game.id, tengen.state.move]") == [game, 2]


def test_the_keyboard_alone(person):
    person.open_new_game()
    person.run("document.querySelector('#new-game form').elements.colour.value = 'both'")
    person.press(Keys.ENTER)
    person.wait_for_new_game()
    person.press("b", Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ENTER)
    person.wait_for_move(1)
    assert person.run("return tengen.state.last") == "F6"
    person.press(Keys.ARROW_LEFT, " ")
    person.wait_for_move(2)
    assert person.run("return tengen.state.last") == "E6"
    person.press(Keys.ESCAPE, Keys.ARROW_LEFT)
    person.wait_for_move(1)
    person.press(Keys.END)
    person.wait_for_move(2)
    person.press("u")
    person.wait_for_move(1)
    person.press("p")
    person.wait_for_move(2)
    person.press("?")
    person.until("return document.querySelector('#keys[open]')")
    person.press(Keys.ESCAPE)
    person.until("return !document.querySelector('#keys[open]')")


def test_on_a_phone(person):
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    person.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        person.come()
        person.new_game(size="9", colour="both")
        for tab in "1234":
            person.press(tab)
            too_wide = "return document.documentElement.scrollWidth > innerWidth"
            assert not person.run(too_wide), f"tab {tab} must be scrolled sideways"
        person.press("1")
        assert (
            person.run("return document.querySelector('.board').getBoundingClientRect().width")
            > 340
        )
        person.play_move("E5", 1)
    finally:
        person.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_light_and_dark(person):
    ground = "return getComputedStyle(document.body).backgroundColor"
    first = person.run(ground)
    person.click("#theme")
    assert person.run(ground) != first
    person.click("#theme")
    assert person.run(ground) == first
    assert (
        person.run("return document.getElementById('sound').getAttribute('aria-pressed')")
        == "false"
    )

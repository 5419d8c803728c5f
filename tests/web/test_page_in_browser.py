"""The page in headless Chromium, as a person would use it."""

import pytest
from browser_helpers import Person, start_server
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tengen.view.catalogue import LAYERS
from tengen.view.info import Need

COMPILING_S = 600
"""A layer that was never used on this machine is compiled first."""


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


def test_an_estimate_is_said_to_be_one(person):
    person.new_game(size="5", colour="both", komi="0.5")
    person.play_move("C3", 1)
    person.press("s")
    person.wait_for_text("#status", "An estimate: ")
    person.press(Keys.ENTER)
    person.wait_for_text("#do-resume", "Back")
    person.press(Keys.ESCAPE)
    person.wait_for_move(1)
    person.press("s")
    person.wait_for_text("#do-accept", "End the game so")
    person.click("#do-accept")
    person.until("return document.body.dataset.phase === 'over'")
    person.click("#do-undo")
    person.wait_for_text("#status", "An estimate: ")


def test_a_pass_is_told(person):
    person.new_game(size="7", colour="both")
    person.click("#do-pass")
    person.wait_for_text("#toasts", "Black passed.")
    assert person.text("#black-player .passed") == "passed"
    assert person.count("#white-player .passed") == 0


def test_the_terms_of_a_game_are_seen(person):
    person.new_game(size="9", colour="white", handicap="3", rules="japanese", level="25k")
    person.wait_for_text("#terms", "japanese rules · komi 0.5 · 3 handicap stones · level 25k")


FILL = """
    const form = document.querySelector("#new-game form");
    for (const [name, value] of Object.entries(arguments[0])) form.elements[name].value = value;
    form.dispatchEvent(new Event("change"));
    """


def test_a_new_game_that_is_refused_leaves_the_dialog(person):
    person.open_new_game()
    person.wait_for_text("#new-game", "Handicap stones")
    placeholder = "return document.querySelector('#new-game [name=komi]').placeholder"
    assert person.run(placeholder) == "7.5, as the rules say"
    person.run(FILL, {"size": "5", "handicap": "9", "clock": "fischer", "colour": "both"})
    assert person.run(placeholder) == "0.5, with handicap"
    hidden = (
        "return document.querySelector(`#new-game [name=${arguments[0]}]`).parentElement.hidden"
    )
    assert [person.run(hidden, name) for name in ("main", "period_s", "periods")] == [0, 0, 1]
    person.click("#new-game button.main")
    person.until("return document.getElementById('new-game-problem').textContent")
    person.run("window.lost = tengen.link.socket; window.before = tengen.heard; lost.close()")
    person.until("return tengen.link.socket !== lost && tengen.heard > before")
    assert person.count("#new-game[open]") == 1, "no game was begun here"
    person.run(FILL, {"handicap": "0", "clock": "absolute"})
    assert [person.run(hidden, name) for name in ("main", "period_s", "periods")] == [0, 1, 1]
    person.click("#new-game button.main")
    person.wait_for_new_game()
    person.open_new_game()
    chosen = "return document.querySelector('#new-game form').elements[arguments[0]].value"
    assert [person.run(chosen, name) for name in ("size", "clock", "colour")] == [
        "5",
        "absolute",
        "both",
    ]


def test_hidden_fields_keep_no_game_from_beginning(person):
    person.new_game(size="other", other=" 7 x 9 ", colour="both")
    assert person.run("return [tengen.game.rows, tengen.game.columns]") == [9, 7]
    person.open_new_game()
    person.run(FILL, {"size": "other", "clock": "byoyomi"})
    person.run(FILL, {"other": "7 by 9", "periods": "0"})
    person.click("#new-game button.main")
    assert person.count("#new-game[open] :invalid[name]") == 2, "what is seen is checked"
    person.run(FILL, {"size": "9", "clock": "none"})
    person.click("#new-game button.main")
    person.wait_for_new_game()
    assert person.run("return tengen.game.rows") == 9


ASKED = "window.confirm = (words) => { window.words = words; return false; }; window.words = ''"


def test_what_would_be_lost_is_asked_for(person):
    person.new_game(size="7", colour="both")
    for number, vertex in enumerate(("D4", "C3", "E3"), 1):
        person.play_move(vertex, number)
    person.run(ASKED)
    person.press("n")
    assert "not saved" in person.until("return window.words")
    assert person.count("#new-game[open]") == 0
    person.run("window.words = ''")
    person.drop(b"(;SZ[7]PW[Ben];B[dd])")
    assert "not saved" in person.until("return window.words")
    person.run("window.words = ''")
    pretend_that_ten_moves_were_played = """
        const nodes = [...Array(11).keys()].map((n) => [n, n ? n - 1 : null, "black", "A1", false]);
        tengen.take_tree({nodes});
        tengen.state = {...tengen.state, node: 1};
        """
    person.run(pretend_that_ten_moves_were_played)
    person.click("#do-cut")
    assert "10 moves?" in person.until("return window.words")


def test_what_was_saved_or_opened_is_left_without_a_question(person):
    person.run(ASKED)
    person.new_game(size="7", colour="both")
    person.play_move("D4", 1)
    person.press("w")
    person.until("return tengen.saved === tengen.state.changes")
    person.drop(b"(;SZ[7]PW[Ben];B[dd])")
    person.wait_for_text("#white-player", "Ben")
    assert person.run("return window.words") == ""
    person.driver.find_element(By.ID, "comment").send_keys("why", Keys.TAB)
    person.click("#do-new")
    assert "not saved" in person.until("return window.words")


def test_resigning(person):
    person.new_game(size="7", colour="black")
    person.run("window.confirm = () => true")
    person.click("#do-resign")
    person.wait_for_text("#status", "White wins by resignation")
    assert person.count("#do-new") == 1
    person.click("#do-review-this")
    person.wait_for_text("#review-info", "no moves yet")


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


def test_a_candidate_is_played_by_a_whole_click(person):
    person.new_game(size="7", colour="both")
    person.press("2", "a")
    person.until("return tengen.search?.candidates.length > 2")
    person.press("a")
    person.until("return tengen.state.analysing === false")
    press = """
        const rows = document.querySelectorAll(".candidates tbody tr");
        const [down, up, button] = arguments;
        rows[down].dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, button}));
        rows[up].dispatchEvent(new PointerEvent("pointerup", {bubbles: true, button}));
        return rows[up].dataset.vertex;
        """
    person.run(press, 0, 0, 2)
    person.run(press, 0, 1, 0)
    vertex = person.run(press, 1, 1, 0)
    person.until("return tengen.state.move > 0")
    assert person.run("return [tengen.state.last, tengen.state.move]") == [vertex, 1]


def test_what_was_found_of_a_game_is_forgotten_with_it(person):
    person.new_game(size="9", colour="both")
    person.press("h")
    person.until("return tengen.hint !== null")
    person.new_game(size="9", colour="both")
    assert person.run("return tengen.hint === null && tengen.search === null")
    assert person.count(".marks .hint") == 0


def test_analysing_a_game_without_moves(person):
    person.press("3")
    person.click("#do-review")
    person.wait_for_text("#review-info", "no moves yet")


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


def test_a_game_is_opened_by_its_address(person):
    person.new_game(size="7", colour="both")
    first = person.run("return tengen.game.id")
    person.come()
    person.run("location.hash = arguments[0]", first)
    person.until("return tengen.game.id === arguments[0] && tengen.game.rows === 7", first)


def test_a_game_is_taken_back_after_the_server_was_started_anew(driver, folder):
    process, address = start_server(folder / "lab")
    person = Person(driver, address)
    try:
        person.come()
        person.new_game(size="7", colour="both")
        person.play_move("D4", 1)
        person.play_move("C3", 2)
        person.until("return localStorage.getItem(`game ${tengen.game.id}`)?.includes('W[')")
        process.kill()
        process.wait()
        person.wait_for_text("#connection", "no connection")
        person.driver.find_element(By.ID, "comment").send_keys("typed meanwhile", Keys.TAB)
        person.wait_for_text("#toasts", "The comment is kept")
        process, _ = start_server(folder / "lab", port=address.rstrip("/").rpartition(":")[2])
        person.wait_for_text("#toasts", "The server does not know this game")
        person.until("return tengen.state.move === 0")
        person.click("#toasts button")
        person.until("return tengen.game.watching")
        assert person.run("return tengen.saved") is None, "only the browser has it"
        person.press(Keys.END)
        person.wait_for_move(2)
        person.until("return document.getElementById('comment').value === 'typed meanwhile'")
    finally:
        person.driver.get("about:blank")  # else the page goes on to look for its server
        process.kill()
        process.wait()
        person.console_errors()


def test_a_lost_game_is_offered_until_somebody_answers(person):
    lose_a_game = """
        localStorage.setItem("game x", JSON.stringify({at: 1, sgf: "(;SZ[7]PB[Ann];B[dd])"}));
        localStorage.setItem("lost game", "x");
        """
    person.run(lose_a_game)
    person.driver.refresh()
    person.wait_for_text("#toasts", "Take the game back")
    person.click("#toasts button")
    person.wait_for_text("#black-player", "Ann")
    assert person.run("return localStorage.getItem('lost game')") is None


def test_a_click_leaves_the_arrow_keys_to_the_moves(person):
    person.new_game(size="7", colour="both")
    person.play_move("D4", 1)
    person.play_move("C3", 2)
    person.press(Keys.ARROW_LEFT)
    person.wait_for_move(1)
    person.press(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    person.wait_for_move(1)
    assert person.count(".cursor-ring") == 0


def test_a_click_on_the_board_ends_a_comment(person):
    person.new_game(size="7", colour="both")
    person.driver.find_element(By.ID, "comment").send_keys("the first")
    person.play_move("D4", 1)
    person.press(Keys.ARROW_LEFT)
    person.until("return document.getElementById('comment').value === 'the first'")


def test_what_the_cursor_is_on_and_the_result_are_said(person):
    person.new_game(size="7", colour="both")
    person.play_move("D4", 1)
    person.press("b", Keys.ARROW_UP)
    assert person.text("#said") == "D4, black stone"
    person.press(Keys.ARROW_UP)
    assert person.text("#said") == "D5, empty"
    person.run("window.confirm = () => true; tengen.resign()")
    person.wait_for_text("#said", "Black wins by resignation")
    assert person.run("return document.getElementById('panel').getAttribute('aria-labelledby')")


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


def toast_covers_moves(person):
    """Tell whether a word that is shown lies over the buttons below the board."""
    person.run("tengen.take_refused({reason: 'this is said at some length, as reasons are'})")
    return person.run(
        """
        const [toast, moves] = [".toast", "#moves"].map((one) => {
            return document.querySelector(one).getBoundingClientRect();
        });
        return toast.left < moves.right && toast.right > moves.left
            && toast.top < moves.bottom && toast.bottom > moves.top;
        """
    )


def test_the_page_fits_its_window(person):
    person.new_game(size="19", colour="black", clock="byoyomi")
    assert person.run("return document.documentElement.scrollHeight - innerHeight") <= 0
    assert not toast_covers_moves(person)


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
        assert not toast_covers_moves(person)
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

"""The page in headless Chromium."""

import re
import time

import pytest
from browser_helpers import PATIENCE_S, User, start_server
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tengen.records import Library
from tengen.view import LAYERS, Need

COMPILING_S = 600
"""The first use of a layer compiles its kernels."""


def test_game_against_the_engine(user):
    user.new_game(size="7", color="black", level="strongest")
    user.play_move("D4", 2)
    assert user.count(".stones .stone.black") == 1
    assert user.count(".stones .stone.white") == 1
    assert user.count(".last") == 1
    user.click("#do-hint")
    user.wait_for_text("#status", "Hint: ")
    user.click("#do-undo")
    user.wait_for_move(0)
    assert user.count(".stones .stone") == 0
    assert user.count(".tree .node") == 3, "undone moves stay as a variation"


def test_illegal_move(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.play("D4")
    user.wait_for_text("#toasts", "D4 is occupied")


def test_rectangular_board_with_handicap_and_clock(user):
    user.new_game(size="other", other="9x7", color="both", handicap="2", clock="byoyomi")
    user.wait_for_count(".stones .stone.black", 2)
    assert user.run("return [tengen.game.rows, tengen.game.columns]") == [7, 9]
    user.wait_for_text("#white-clock", "3×30s")
    user.play("E4")
    user.wait_for_count(".stones .stone.white", 1)


def test_scoring(user):
    user.new_game(size="5", color="both", komi="0.5")
    for number, vertex in enumerate(["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5"]):
        user.play_move(vertex, number + 1)
    user.click("#do-pass")
    user.wait_for_move(11)
    user.click("#do-pass")
    user.wait_for_text("#status", "Black wins by 4.5")
    user.play("D3")
    user.wait_for_text("#status", "Black wins by 24.5")
    assert user.count(".dead") == 5
    user.play("D3")
    user.wait_for_text("#status", "Black wins by 4.5")
    user.click("#do-accept")
    user.until("return document.body.dataset.phase === 'over'")


def test_score_estimate(user):
    user.new_game(size="5", color="both", komi="0.5")
    user.play_move("C3", 1)
    user.press("s")
    user.wait_for_text("#status", "Estimate: ")
    assert re.search(r"(leads by|even).* ± .* points \(\d+ visits\)", user.text("#status"))
    assert user.count(".territory") == 24
    assert user.count(".dead") == 0
    user.press(Keys.ESCAPE)
    user.wait_for_move(1)
    assert user.count(".territory") == 0
    user.press("s")
    user.wait_for_text("#do-count", "Count as finished")
    user.click("#do-count")
    user.wait_for_text("#do-accept", "End game with this score")
    user.click("#do-accept")
    user.until("return document.body.dataset.phase === 'over'")
    user.click("#do-undo")
    user.wait_for_text("#do-resume", "Back")


def test_hint_names_the_side_of_its_win_rate(user):
    user.new_game(size="7", color="both")
    user.press("h")
    user.wait_for_text("#status", "win rate for Black, ")
    assert user.count(".marks .hint") == 1
    user.press("s")
    user.wait_for_text("#do-count", "Count as finished")
    user.click("#do-count")
    user.until("return document.body.dataset.phase === 'scoring'")
    assert user.count(".marks .hint") == 0


def test_pass(user):
    user.new_game(size="7", color="both")
    user.click("#do-pass")
    user.wait_for_text("#black-player .passed", "passed")
    assert user.run("return document.body.innerText.match(/pass(ed)?\\b/g).length") == 2, "and Pass"
    assert user.count("#white-player .passed") == 0


def test_game_terms(user):
    user.new_game(size="9", color="white", handicap="3", rules="japanese", level="25k")
    user.wait_for_text("#terms", "Japanese rules · komi 0.5 · 3 handicap stones · level 25 kyu")


def lose_connection(user):
    """Close the socket and wait until the page has reconnected."""
    user.run("window.lost = tengen.connection.socket; window.before = tengen.stateCount")
    user.run("lost.close()")
    user.until("return tengen.connection.socket !== lost && tengen.stateCount > before")


FILL = """
    const form = document.querySelector("#new-game form");
    for (const [name, value] of Object.entries(arguments[0])) form.elements[name].value = value;
    form.dispatchEvent(new Event("change"));
    """


def test_rejected_new_game_keeps_the_dialog_open(user):
    user.open_new_game()
    user.wait_for_text("#new-game", "Handicap stones")
    placeholder = "return document.querySelector('#new-game [name=komi]').placeholder"
    assert user.run(placeholder) == "default: 7.5"
    user.run(FILL, {"size": "5", "handicap": "9", "clock": "fischer", "color": "both"})
    assert user.run(placeholder) == "default: 0.5"
    hidden = (
        "return document.querySelector(`#new-game [name=${arguments[0]}]`).parentElement.hidden"
    )
    assert [user.run(hidden, name) for name in ("main", "period_s", "periods")] == [0, 0, 1]
    user.click("#new-game button.main")
    user.until("return document.getElementById('new-game-problem').textContent")
    lose_connection(user)
    assert user.count("#new-game[open]") == 1, "no game was started"
    user.run(FILL, {"handicap": "0", "clock": "absolute"})
    assert [user.run(hidden, name) for name in ("main", "period_s", "periods")] == [0, 1, 1]
    user.click("#new-game button.main")
    user.wait_for_new_game()
    user.open_new_game()
    chosen = "return document.querySelector('#new-game form').elements[arguments[0]].value"
    assert [user.run(chosen, name) for name in ("size", "clock", "color")] == [
        "5",
        "absolute",
        "both",
    ]


def test_hidden_fields_are_not_validated(user):
    user.new_game(size="other", other=" 7 x 9 ", color="both")
    assert user.run("return [tengen.game.rows, tengen.game.columns]") == [9, 7]
    user.open_new_game()
    user.run(FILL, {"size": "other", "clock": "byoyomi"})
    user.run(FILL, {"other": "7 by 9", "periods": "0"})
    user.click("#new-game button.main")
    assert user.count("#new-game[open] :invalid[name]") == 2, "visible fields are validated"
    user.run(FILL, {"size": "9", "clock": "none"})
    user.click("#new-game button.main")
    user.wait_for_new_game()
    assert user.run("return tengen.game.rows") == 9


def question(user):
    """Wait for a question, answer no and return its text."""
    user.until("return document.querySelector('dialog.question[open]')")
    text = user.text("dialog.question p")
    user.press(Keys.ESCAPE)
    user.until("return !document.querySelector('dialog.question')")
    return text


def answer_yes(user):
    """Wait for a question and answer yes."""
    user.click("dialog.question button.main")
    user.until("return !document.querySelector('dialog.question')")


def test_confirms_loss_of_unsaved_changes(user):
    user.new_game(size="7", color="both")
    for number, vertex in enumerate(("D4", "C3", "E3"), 1):
        user.play_move(vertex, number)
    user.press("n")
    assert "not saved" in question(user)
    assert user.count("#new-game[open]") == 0
    user.drop(b"(;SZ[7]PW[Ben];B[dd])")
    assert "not saved" in question(user)
    add_ten_moves = """
        const nodes = [...Array(11).keys()].map((n) => [n, n ? n - 1 : null, "black", "A1", false]);
        tengen.receive_tree({nodes});
        tengen.state = {...tengen.state, node: 1};
        """
    user.run(add_ten_moves)
    user.click("#do-delete-branch")
    assert "10 moves?" in question(user)


def test_no_confirmation_without_unsaved_changes(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.press("w")
    user.until("return tengen.savedChanges === tengen.state.change_count")
    user.drop(b"(;SZ[7]PW[Ben];B[dd])")
    user.wait_for_text("#white-player", "Ben")
    assert user.count("dialog.question") == 0
    user.driver.find_element(By.ID, "comment").send_keys("why", Keys.TAB)
    user.click("#do-new")
    assert "not saved" in question(user)


def test_resign(user):
    user.new_game(size="7", color="black")
    user.click("#do-resign")
    answer_yes(user)
    user.wait_for_text("#status", "White wins by resignation")
    assert user.count("#do-new") == 1
    user.click("#do-review-this")
    user.wait_for_text("#review-info", "no moves to review")


@pytest.mark.timeout(2400)
def test_all_layers(user):
    user.new_game(size="9", color="both")
    for number, vertex in enumerate(["E5", "E4", "D4", "C7", "F4"]):
        user.play_move(vertex, number + 1)
    user.press("4", "a")
    user.until("return tengen.search !== null")
    for name, info in LAYERS.items():
        user.choose_layer(0, name)
        if info.needs is Need.GAMES:
            user.wait_for_text("#description-0", "no game database")
            continue
        shown = "return tengen.layers.layers[0]?.name === arguments[0]"
        user.until(shown, name, patience_s=COMPILING_S)
        assert user.count(".heat rect") + user.count(".over rect") > 0, name
        assert user.count("#description-0 .legend") == 1
        assert info.meaning in user.text("#description-0")
    user.press("a")
    user.until("return tengen.state.analyzing === false")


def test_values_on_hover_and_two_layers(user):
    user.press("4")
    user.choose_layer(0, "bigmove.p1")
    user.until("return tengen.layers.layers[0]", patience_s=COMPILING_S)
    user.point_at("E5")
    user.wait_for_text("#readout-0", "E5: 1")
    user.choose_layer(1, "lines")
    user.until("return tengen.layers.layers[1]", patience_s=COMPILING_S)
    assert user.run("return document.querySelectorAll('.board')[1].getClientRects().length") == 1
    assert user.count("#boards .board") == 2
    user.click("#as-surface")
    user.until("return document.getElementById('surface').getClientRects().length")
    assert user.run("return document.querySelector('.board').getBoundingClientRect().width") <= 1
    right = "return document.querySelector(arguments[0]).getBoundingClientRect().right"
    assert user.run(right, "#surface") <= user.run(right, "#stage")


def test_variation_on_hover(user):
    user.press("2", "a")
    user.until("return tengen.search?.candidates[0]?.line.length > 2")
    user.press("a")
    user.until("return tengen.state.analyzing === false")
    user.point_at(user.run("return tengen.search.candidates[0].vertex"))
    user.until("return document.querySelectorAll('.line .number').length > 1")


def test_click_on_a_candidate(user):
    user.new_game(size="7", color="both")
    user.press("2", "a")
    user.until("return tengen.search?.candidates.length > 2")
    user.press("a")
    user.until("return tengen.state.analyzing === false")
    press = """
        const rows = document.querySelectorAll(".candidates tbody tr");
        const [down, up, button] = arguments;
        rows[down].dispatchEvent(new PointerEvent("pointerdown", {bubbles: true, button}));
        rows[up].dispatchEvent(new PointerEvent("pointerup", {bubbles: true, button}));
        return rows[up].dataset.vertex;
        """
    user.run(press, 0, 0, 2)
    user.run(press, 0, 1, 0)
    vertex = user.run(press, 1, 1, 0)
    user.until("return tengen.state.move > 0")
    assert user.run("return [tengen.state.last, tengen.state.move]") == [vertex, 1]


def test_new_game_clears_results(user):
    user.new_game(size="9", color="both")
    user.press("h")
    user.until("return tengen.hint !== null")
    user.new_game(size="9", color="both")
    assert user.run("return tengen.hint === null && tengen.search === null")
    assert user.count(".marks .hint") == 0


def test_review_without_moves(user):
    user.press("3")
    user.click("#do-review")
    user.wait_for_text("#review-info", "no moves to review")


def test_experiments(user):
    user.run("tengen.openTab('experiments')")
    user.wait_for_text("#experiments", "Example study")
    link = user.driver.find_element(By.CSS_SELECTOR, "#experiments a").get_attribute("href")
    user.driver.get(link)
    assert user.text("h1") == "Results"


def test_reconnect(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    game = user.run("return tengen.game.id")
    lose_connection(user)
    assert user.text("#connection") == ""
    user.play_move("C3", 2)
    assert user.run("return tengen.game.id") == game
    user.driver.refresh()
    user.until("return document.body.dataset.ready === ''")
    assert user.run("return [tengen.game.id, tengen.state.move]") == [game, 2]


def test_game_id_in_the_address(user):
    user.new_game(size="7", color="both")
    first = user.run("return tengen.game.id")
    user.open_page()
    user.run("location.hash = arguments[0]", first)
    user.until("return tengen.game.id === arguments[0] && tengen.game.rows === 7", first)


def test_game_continues_after_server_restart(driver, folder):
    process, address = start_server(folder / "lab", library="restart.sqlite")
    user = User(driver, address)
    library = Library(folder / "restart.sqlite")
    try:
        user.open_page()
        user.new_game(size="7", color="black", level="25k")
        user.play_move("D4", 2)
        game = user.run("return tengen.game.id")
        end_s = time.monotonic() + PATIENCE_S
        while (saved := library.latest_of_room(game)) is None or len(saved.record.moves) < 2:
            assert time.monotonic() < end_s, "the game was not saved"
            time.sleep(0.05)
        process.kill()
        process.wait()
        user.wait_for_text("#connection", "no connection")
        port = address.rstrip("/").rpartition(":")[2]
        process, _ = start_server(folder / "lab", port, "restart.sqlite")
        user.until("return tengen.connection.isOpen && tengen.state.move === 2")
        assert user.run("return [tengen.game.id, tengen.game.level]") == [game, "25k"]
        user.press("u")
        user.until("return tengen.state.move === 0")
        user.play_move("C3", 2)
        assert user.count(".toast") == 0
    finally:
        library.close()
        user.driver.get("about:blank")
        process.kill()
        process.wait()
        user.console_errors()


def test_restore_from_the_browser(driver, folder):
    """The page has its own backup, for a server that has lost the library."""
    process, address = start_server(folder / "lab", library="lost.sqlite")
    user = User(driver, address)
    try:
        user.open_page()
        user.new_game(size="7", color="both")
        user.play_move("D4", 1)
        user.play_move("C3", 2)
        user.until("return localStorage.getItem(`game ${tengen.game.id}`)?.includes(';W[')")
        process.kill()
        process.wait()
        user.wait_for_text("#connection", "no connection")
        user.driver.find_element(By.ID, "comment").send_keys("typed offline", Keys.TAB)
        user.wait_for_text("#toasts", "The comment will be sent")
        port = address.rstrip("/").rpartition(":")[2]
        process, _ = start_server(folder / "lab", port, "other.sqlite")
        user.wait_for_text("#toasts", "The server no longer has this game")
        user.until("return tengen.state.move === 0")
        user.click("#toasts button")
        user.until("return tengen.game.is_loaded")
        assert user.run("return tengen.savedChanges") is None, "the server has no copy"
        user.press(Keys.END)
        user.wait_for_move(2)
        user.until("return document.getElementById('comment').value === 'typed offline'")
    finally:
        user.driver.get("about:blank")  # otherwise the page keeps reconnecting
        process.kill()
        process.wait()
        user.console_errors()


def test_lost_game_is_offered_until_answered(user):
    store_lost_game = """
        localStorage.setItem("game x", JSON.stringify({at: 1, sgf: "(;SZ[7]PB[Ann];B[dd])"}));
        localStorage.setItem("lost game", "x");
        """
    user.run(store_lost_game)
    user.driver.refresh()
    user.wait_for_text("#toasts", "Restore game")
    user.click("#toasts button")
    user.wait_for_text("#black-player", "Ann")
    assert user.run("return localStorage.getItem('lost game')") is None


def test_arrow_keys_after_a_click(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.play_move("C3", 2)
    user.press(Keys.ARROW_LEFT)
    user.wait_for_move(1)
    user.press(Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    user.wait_for_move(1)
    assert user.count(".cursor-ring") == 0


def test_click_on_the_board_submits_the_comment(user):
    user.new_game(size="7", color="both")
    user.driver.find_element(By.ID, "comment").send_keys("the first")
    user.play_move("D4", 1)
    user.press(Keys.ARROW_LEFT)
    user.until("return document.getElementById('comment').value === 'the first'")


def test_screen_reader_announcements(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.press("b", Keys.ARROW_UP)
    assert user.text("#announcement") == "D4, black stone"
    user.press(Keys.ARROW_UP)
    assert user.text("#announcement") == "D5, empty"
    user.run("tengen.resign()")
    answer_yes(user)
    user.wait_for_text("#announcement", "Black wins by resignation")
    assert user.run("return document.getElementById('panel').getAttribute('aria-labelledby')")


def test_keyboard(user):
    user.open_new_game()
    user.run("document.querySelector('#new-game form').elements.color.value = 'both'")
    user.press(Keys.ENTER)
    user.wait_for_new_game()
    user.press("b", Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ENTER)
    user.wait_for_move(1)
    assert user.run("return tengen.state.last") == "F6"
    user.press(Keys.ARROW_LEFT, " ")
    user.wait_for_move(2)
    assert user.run("return tengen.state.last") == "E6"
    user.press(Keys.ESCAPE, Keys.ARROW_LEFT)
    user.wait_for_move(1)
    user.press(Keys.END)
    user.wait_for_move(2)
    user.press("u")
    user.wait_for_move(1)
    user.press("p")
    user.wait_for_move(2)
    user.press("?")
    user.until("return document.querySelector('#keys[open]')")
    user.press(Keys.ESCAPE)
    user.until("return !document.querySelector('#keys[open]')")


def toast_covers_navigation(user):
    """Return whether a toast overlaps the buttons below the board."""
    user.run("tengen.receive_error({text: 'an error message of some length, as usual'})")
    return user.run(
        """
        const [toast, bar] = [".toast", "#navigation"].map((one) => {
            return document.querySelector(one).getBoundingClientRect();
        });
        return toast.left < bar.right && toast.right > bar.left
            && toast.top < bar.bottom && toast.bottom > bar.top;
        """
    )


def test_page_fits_the_window(user):
    user.new_game(size="19", color="black", clock="byoyomi")
    assert user.run("return document.documentElement.scrollHeight - innerHeight") <= 0
    assert not toast_covers_navigation(user)


def test_phone(user):
    metrics = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    user.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        user.open_page()
        user.new_game(size="9", color="both")
        for tab in "12345":
            user.press(tab)
            too_wide = "return document.documentElement.scrollWidth > innerWidth"
            assert not user.run(too_wide), f"tab {tab} is too wide"
        user.press("1")
        assert (
            user.run("return document.querySelector('.board').getBoundingClientRect().width") > 340
        )
        user.play_move("E5", 1)
        assert not toast_covers_navigation(user)
    finally:
        user.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_themes(user):
    ground = "return getComputedStyle(document.body).backgroundColor"
    first = user.run(ground)
    user.click("#theme")
    assert user.run(ground) != first
    user.click("#theme")
    assert user.run(ground) == first
    assert (
        user.run("return document.getElementById('sound').getAttribute('aria-pressed')") == "true"
    )

"""The analysis overlay of the page, and how the board is operated."""

import pytest
from selenium.webdriver.common.keys import Keys

GAME = b"(;GM[1]SZ[9]KM[7]PB[Ann]PW[Bob];B[ee];W[cc];B[gc];W[cg];B[gg];W[ce])"


@pytest.fixture
def reader(user):
    """A user who has opened a game of six moves."""
    user.drop(GAME)
    user.until("return tengen.game.is_loaded && tengen.state.move === 6")
    return user


def analyze(user):
    """Analyze the current position for a moment, then stop."""
    user.press("a")
    script = "return tengen.search?.candidates.length > 2 && tengen.search.node === arguments[0]"
    user.until(script, user.run("return tengen.state.node"))
    user.press("a")
    user.until("return tengen.state.analyzing === false")


def test_analysis_on_the_play_tab(user):
    user.new_game(size="7", color="both")
    user.press("a")
    user.until("return document.querySelectorAll('.candidate').length > 1")
    assert user.text("#do-analyze").startswith("Stop")
    assert user.run("return document.querySelector('#do-analyze .spinner').hidden") is False
    assert re_points(user.text(".candidate.best"))
    user.wait_for_text("#live", "Black ")
    user.wait_for_text("#live", "visit")
    user.press("a")
    user.until("return document.querySelector('#do-analyze .spinner').hidden")
    user.wait_for_count(".candidate", 0)


def re_points(text):
    """Return whether a candidate shows points and visits."""
    return text.startswith("0.0") and text[3:].rstrip("k").replace(".", "").isdigit()


def test_analysis_follows_the_game_and_ends_at_its_limit(user):
    user.new_game(size="7", color="both")
    user.run("tengen.analysis.engine.setLimit({unit: 'visits', step: 0})")
    user.press("a")
    user.until("return tengen.state.analyzing && !tengen.state.searching && tengen.search")
    user.play_move("D4", 1)
    user.until("return tengen.search?.node === tengen.state.node && !tengen.state.searching")
    assert user.run("return tengen.state.analyzing && tengen.search.visits") >= 100


def test_losses_of_moves(reader):
    reader.press(Keys.ARROW_LEFT)
    reader.until("return tengen.state.move === 5")
    analyze(reader)
    reader.press(Keys.ARROW_RIGHT)
    reader.until("return tengen.state.move === 6")
    analyze(reader)
    assert reader.count(".loss-dot") >= 1
    assert reader.count(".tree .node circle.loss") == 1
    reader.wait_for_text("#move-card", "6 White C5")
    assert reader.run("return !document.getElementById('strip').hidden")
    assert reader.count("#chart polyline") >= 2


def test_territory(user):
    user.new_game(size="7", color="both")
    user.press("t")
    user.until("return document.querySelectorAll('.territory').length > 4")
    user.press("t")
    user.wait_for_count(".territory", 0)
    user.press("a")


def test_a_record_opens_where_it_was_left(reader):
    reader.press(Keys.HOME)
    reader.until("return tengen.state.move === 0")
    assert reader.count(".next.main") == 1
    reader.press(Keys.ARROW_RIGHT)
    reader.until("return tengen.state.move === 1")
    reader.run("tengen.savedChanges = tengen.state.change_count; window.opened = tengen.game")
    reader.drop(GAME)
    reader.until("return tengen.game !== opened && tengen.state.move === 1")


def test_wheel_steps_through_the_game(reader):
    wheel = """document.querySelector('.board').dispatchEvent(
        new WheelEvent('wheel', {deltaY: arguments[0], cancelable: true}))"""
    reader.run(wheel, -100)
    reader.until("return tengen.state.move === 5")
    reader.run(wheel, 100)
    reader.until("return tengen.state.move === 6")


def test_tap_previews_a_move(user):
    user.new_game(size="7", color="both")
    user.run("tengen.stage.press('D4', 'touch')")
    assert user.count(".stone.preview") == 1
    user.run("tengen.stage.press('C3', 'touch')")
    assert user.count(".stone.preview") == 1
    user.click("#do-confirm")
    user.until("return tengen.state.last === 'C3'")
    assert user.count(".stone.preview") == 0


def test_display_settings(reader):
    reader.click("#display")
    reader.click("#display-settings input[value=slate]")
    assert reader.run("return document.documentElement.dataset.board") == "slate"
    reader.click("#display-settings [name=coordinates]")
    reader.run(
        """const field = document.querySelector("#display-settings [name=moveNumbers]");
        field.value = "-1";
        field.dispatchEvent(new Event("change"));"""
    )
    reader.click("#display-settings button.main")
    assert reader.count(".coordinates") == 0
    reader.wait_for_count(".marks .number", 6)


def test_pictures(reader):
    script = "return import('/page/picture.js').then(({boardSvg}) => boardSvg(tengen))"
    picture = reader.run(script)
    assert picture.startswith("<svg")
    assert "class=" not in picture
    assert 'fill="rgb(' in picture
    load = """const image = new Image();
        image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(arguments[0]);
        return image.decode().then(() => image.width);"""
    assert reader.run(load, picture) == 1200


def test_networks_are_listed(user):
    user.press("2")
    user.until("return document.getElementById('net').options.length >= 2")
    assert user.run("return document.getElementById('net').value") == "none"
    user.run("tengen.send('choose_net', {net: 'no such net'})")
    user.wait_for_text("#toasts", "is not installed")


def test_title_of_the_browser_tab(reader):
    reader.until("return document.title.includes('Move 6') && document.title.includes('Ann – Bob')")


def test_installable(user):
    manifest = user.run("return fetch('/manifest.webmanifest').then((answer) => answer.json())")
    sizes = user.run(
        """return Promise.all(arguments[0].map(({src}) => {
            const image = new Image();
            image.src = src;
            return image.decode().then(() => image.width);
        }))""",
        [icon for icon in manifest["icons"] if icon["type"] == "image/png"],
    )
    assert {192, 512} <= set(sizes)
    user.until("return navigator.serviceWorker.controller !== null")


def test_shortcuts_work_after_a_checkbox_was_clicked(user):
    user.click("#teach")
    user.press("a")
    user.until("return tengen.state.analyzing")
    user.press("a")
    user.until("return !tengen.state.analyzing")
    user.click("#teach")

"""Teaching mode in the browser."""

import pytest
from test_accessibility import AXE, findings
from test_teaching import RACE


@pytest.fixture
def pupil(user):
    """A user in teaching mode, before the first move of a decisive race."""
    user.drop(RACE)
    user.until("return tengen.game.is_loaded && tengen.state.board[0] === '..XOX.O'")
    user.click("#teach")
    user.until("return document.querySelector('#teach-points:not([hidden])')")
    return user


def make_mistake(user):
    user.play_move("A1", 1)
    user.wait_for_text("#lesson", "Better: E1.")


def test_mistake_is_explained_and_taken_back(pupil):
    make_mistake(pupil)
    assert "Move 1, Black A1, loses" in pupil.text("#lesson")
    pupil.until("return document.querySelectorAll('.line .stone.planned').length > 1")
    assert pupil.count(".ring.better") == 1
    pupil.wait_for_text("#announcement", "Better: E1.")
    pupil.press("u")
    pupil.until("return tengen.state.move === 0")
    pupil.wait_for_count("#lesson .card", 0)
    pupil.wait_for_count(".line .stone.planned", 0)
    pupil.wait_for_text("#lesson-summary", "1 mistake, 1 taken back")
    pupil.play_move("E1", 1)
    pupil.wait_for_text("#lesson-summary", "Black: 1 move checked")
    assert pupil.count("#lesson .card") == 0


def test_playing_on_by_keyboard(pupil):
    make_mistake(pupil)
    pupil.press("r")
    pupil.until("return document.querySelectorAll('.line .stone.planned').length > 1")
    pupil.press("c")
    pupil.wait_for_count("#lesson .card", 0)
    pupil.wait_for_text("#lesson-summary", "1 mistake, 0 taken back")


def test_engine_waits_and_the_game_is_summed_up(user):
    user.new_game(size="7", color="black", level="25k")
    user.click("#teach")
    user.run(
        """const select = document.getElementById("teach-points");
        select.value = "1";
        select.dispatchEvent(new Event("change"));"""
    )
    user.play_move("A1", 1)
    user.wait_for_text("#lesson", "loses")
    user.play("D4")
    user.wait_for_text("#toasts", "Take the move back")
    user.click("#do-play-on")
    user.until("return tengen.state.move === 2")
    user.click("#do-resign")
    user.click("dialog.question button.main")
    user.wait_for_text("#lesson-summary", "Summary")
    user.click(".mistake-list button")
    user.until("return tengen.state.move === 1")


def test_choice_is_remembered(pupil):
    pupil.run("location.reload()")
    pupil.until("return document.body?.dataset.ready === '' && window.tengen?.state")
    assert pupil.run("return document.getElementById('teach').checked")
    make_mistake(pupil)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(pupil, theme):
    make_mistake(pupil)
    pupil.run(AXE.read_text())
    pupil.run("document.documentElement.dataset.theme = arguments[0]", theme)
    assert findings(pupil) == []

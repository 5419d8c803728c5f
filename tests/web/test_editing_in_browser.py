"""Editing of a record in the browser: marks, assessments, variations, properties of the game."""

from selenium.webdriver.common.keys import Keys

RECORD = b"(;GM[1]SZ[9]KM[6.5]PB[Ann]PW[Bob](;B[ee];W[cc])(;B[gc];W[cg]))"


def open_record(user):
    user.drop(RECORD)
    user.until("return tengen.game.is_loaded && tengen.state.move === 2")
    user.run("document.querySelector('#section-editing').open = true")


def marks(user):
    return user.run("return tengen.state.marks.map((mark) => mark.join(' ').trim()).sort()")


def test_marks(user):
    open_record(user)
    for tool, vertices in {"triangle": ["D4"], "letter": ["E4", "F4"], "number": ["G4"]}.items():
        user.click(f"#do-mark-{tool}")
        for vertex in vertices:
            count = len(marks(user))
            user.play(vertex)
            user.until("return tengen.state.marks.length > arguments[0]", count)
    assert marks(user) == ["D4 triangle", "E4 label A", "F4 label B", "G4 label 1"]
    assert user.count(".board .mark.letter") == 3
    user.play("G4")
    user.until("return tengen.state.marks.length === 3")
    user.run("document.activeElement.blur()")
    user.press(Keys.ESCAPE)
    user.play_move("D4", 3)


def test_assessment_is_shown_on_the_board(user):
    open_record(user)
    user.click("[data-assessment=bad]")
    user.until("return tengen.state.annotation === 'bad'")
    assert user.text(".assessment-mark") == "?"
    user.click("[data-assessment=bad]")
    user.until("return !document.querySelector('.assessment-mark')")


def test_variation_becomes_the_main_line(user):
    open_record(user)
    assert user.run("return document.querySelector('#do-promote').disabled")
    user.run("tengen.goTo(tengen.tree.find('black G7,white C3') ?? tengen.tree.subtree(0).at(-1))")
    user.until("return tengen.state.last === 'C3'")
    user.click("#do-promote")
    user.until("return tengen.tree.isMainLine(tengen.state.node)")
    assert user.run("return document.querySelector('#do-promote').disabled")


def test_properties_of_the_game(user):
    open_record(user)
    user.click("#do-game-info")
    script = """
        const {elements} = document.querySelector("#game-info form");
        elements.PW.value = "Eve";
        elements.KM.value = "0.5";
        """
    user.run(script)
    user.click("#game-info button.main")
    user.wait_for_text("#white-player", "Eve")
    assert "0.5" in user.text("#terms")
    assert "Eve" in user.driver.title

"""Problems in the browser."""

import pytest
from test_accessibility import AXE, findings
from test_page_problems import TREE

SECOND = "(;SZ[9]AB[ee]GN[Second];B[ef]C[right])"
SEND = """
    const files = arguments[0].map(([name, text]) => new File([text], name));
    return tengen.problems.send(files);
    """


@pytest.fixture
def solver(user):
    """A user who has opened a collection of two problems."""
    user.new_game(size="7", color="both")
    user.run("tengen.openTab('problems')")
    user.run(SEND, [["set.sgf", TREE + SECOND]])
    user.wait_for_text("#problem", "set, problem")
    user.run("tengen.problems.open('set', 1)")
    user.wait_for_text("#problem", "problem 1 of 2")
    yield user
    user.run("tengen.send('delete_problems', {collection: 'set'})")


def test_wrong_move_is_refuted_and_the_right_one_accepted(solver):
    assert solver.run("return tengen.stage.boards[0].view.rows") == 9
    solver.play("H2")
    solver.wait_for_text("#problem-status", "Wrong.")
    solver.wait_for_count(".line .stone.planned", 2)
    solver.wait_for_text("#announcement", "Wrong.")
    solver.press("u")
    solver.wait_for_text("#problem-status", "Black to play.")
    solver.wait_for_count(".line .stone.planned", 0)
    solver.play("G3")
    solver.wait_for_text("#problem-status", "Correct!")
    solver.wait_for_text("#streak", "Today: ")
    solver.play("A1")
    solver.wait_for_text("#toasts", "Solved.")
    assert solver.run("return tengen.state.move") == 0, "the game is not touched"


def test_next_problem_and_solution_by_keyboard(solver):
    solver.run("tengen.problems.open('set', 2)")
    solver.wait_for_text("#problem", "Second")
    solver.press("s")
    solver.wait_for_text("#problem-status", "Solution")
    solver.wait_for_count(".line .stone.planned", 1)
    solver.press("n")
    solver.wait_for_text("#problem", "problem 1 of 2")


def test_game_is_shown_on_other_tabs(solver):
    solver.press("1")
    solver.until("return tengen.stage.boards[0].view.rows === 7")
    assert solver.run("return document.getElementById('navigation').checkVisibility()")


def test_problems_can_be_chosen_by_number(solver):
    solver.click("#panel details summary")
    solver.wait_for_count(".problem-grid button", 2)
    solver.click(".problem-grid button:last-child")
    solver.wait_for_text("#problem", "problem 2 of 2")


def test_several_files_become_one_collection(solver):
    solver.run(SEND, [["b.sgf", SECOND], ["a.sgf", TREE]])
    solver.wait_for_text("#collections", "b")
    solver.wait_for_text("#problem", "of 2")
    solver.run("tengen.send('delete_problems', {collection: 'b'})")


def test_unreadable_file(solver):
    solver.run(SEND, [["bad.sgf", "hello"]])
    solver.wait_for_text("#toasts", "Not opened: there is no problem in this file.")
    solver.console_errors()  # the browser logs the status 422


def test_deleting_asks(solver):
    solver.click("#collections .quiet")
    solver.click("dialog.question button.main")
    solver.until("return !document.querySelector('#collections').textContent.includes('set')")
    solver.wait_for_count("#problem h3", 0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(solver, theme):
    solver.play("H2")
    solver.wait_for_text("#problem-status", "Wrong.")
    solver.click("#panel details summary")
    solver.run(AXE.read_text())
    solver.run("document.documentElement.dataset.theme = arguments[0]", theme)
    assert findings(solver) == []

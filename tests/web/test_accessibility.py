"""Accessibility of the page by axe-core, which `make lint` installs with npm."""

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
EXAMPLE = Path(__file__).parents[2] / "examples" / "small_board.sgf"
if not AXE.is_file():
    pytest.skip("needs axe-core: make node_modules/.ready", allow_module_level=True)

SERIOUS = ("serious", "critical")
RUN = """
    const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ["violations"] }).then(
        ({ violations }) => done(violations.filter((one) => arguments[0].includes(one.impact))
            .map((one) => [one.id, one.nodes.slice(0, 4).map((node) => node.html.slice(0, 200))])),
        (error) => done(String(error)));
    """


def findings(user):
    """Return the rules that the page violates seriously, with examples."""
    user.driver.set_script_timeout(120)
    return user.driver.execute_async_script(RUN, list(SERIOUS))


def test_no_serious_findings(user):
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    user.press("a")
    user.until("return tengen.search?.candidates.length > 2")
    user.press("a")
    user.until("return tengen.state.searching === false")
    user.run(AXE.read_text())
    for theme in ("light", "dark"):
        user.run("document.documentElement.dataset.theme = arguments[0]", theme)
        for panel in user.run("return tengen.panels.map((panel) => panel.name)"):
            user.run("tengen.openTab(arguments[0])", panel)
            assert findings(user) == [], f"{panel}, {theme}"


def test_no_serious_findings_in_a_long_record(user):
    user.drop(EXAMPLE.read_bytes())
    user.until("return tengen.game.is_loaded && tengen.state.move > 30")
    user.run("document.querySelector('#section-editing').open = true")
    user.click("#do-mark-letter")
    user.click("[data-assessment=doubtful]")
    user.until("return document.querySelector('.assessment-mark')")
    user.run(AXE.read_text())
    assert findings(user) == []
    user.click("#do-game-info")
    assert findings(user) == []


@pytest.mark.parametrize("dialog", ["n", "?"])
def test_no_serious_findings_in_dialogs(user, dialog):
    user.press(dialog)
    user.until("return document.querySelector('dialog[open]')")
    user.run(AXE.read_text())
    assert findings(user) == []


def test_no_serious_findings_in_lists(user):
    game = b"(;SZ[9]PB[Ann]PW[Bob]RE[B+R];B[ee];W[cc];B[gc])"
    user.run("document.querySelector('#section-joseki').open = true")
    user.drop(game, game)
    user.until("return document.querySelectorAll('.game-row').length === 2")
    user.run(AXE.read_text())
    assert findings(user) == []
    user.run("tengen.openTab('play')")
    user.until("return document.querySelectorAll('.frequency').length > 1")
    assert findings(user) == []
    user.run("tengen.openTab('experiments')")
    user.click("#do-new-match")
    assert findings(user) == []

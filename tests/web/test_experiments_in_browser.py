"""The Experiments tab: an explanation, a match from start to end, its games and its report."""

import pytest
from web_helpers import PATIENCE_S

PLAYERS = """
import numpy as np
def first(position): return np.ones((position.rows, position.columns))
def second(position): return np.arange(25.0).reshape(5, 5)
"""
LONG_S = 5 * PATIENCE_S


@pytest.fixture
def experimenter(user, folder):
    """A user on the Experiments tab with two functions of a position."""
    (folder / "lab" / "mine.py").write_text(PLAYERS)
    user.run("tengen.openTab('experiments')")
    user.until("return tengen.experiments.found?.functions.length >= 2")
    yield user
    for path in (folder / "lab").glob("*.job.json"):
        path.unlink()


def fill_in(user, **fields):
    script = """
        const form = document.querySelector("#match-dialog form");
        for (const [name, value] of Object.entries(arguments[0])) {
            form.elements[name].value = value;
        }
        form.dispatchEvent(new Event("change", {bubbles: true}));
        """
    user.run(script, fields)


def test_explanation(experimenter, folder):
    text = experimenter.text(".introduction")
    assert str(folder / "lab") in text
    assert "def third_line(position):" in text
    experimenter.run("tengen.sent = []; tengen.send = (...message) => tengen.sent.push(message)")
    experimenter.run("document.getElementById('do-run-example').click()")
    (_, (kind, message)) = experimenter.run("return tengen.sent")
    assert (kind, message["request"]["first"]["function"]) == (
        "start_experiment",
        "my_ideas.py:third_line",
    )


def test_match(experimenter, folder):
    user = experimenter
    user.click("#do-new-match")
    assert user.run("return document.querySelector('[name=elo0]').disabled")
    user.run("document.querySelector('#match-dialog [name=sprt]').click()")
    values = {"first-preset": "", "first-function": "mine.py:first"}
    values |= {"second-preset": "", "second-function": "mine.py:second"}
    fill_in(user, **values, size="5", games="4", opening_moves="0", name="duel")
    user.click("#match-dialog button.main")
    user.until("return document.querySelector('[data-path=\"duel.sqlite\"] .spinner')")
    done = """
        const found = tengen.experiments.found.entries.find(({path}) => path === "duel.sqlite");
        return found.done === 4 && !found.job.is_running;"""
    user.until(done, patience_s=LONG_S)
    card = "[data-path='duel.sqlite']"
    user.wait_for_text(card, "finished")
    assert "4 of 4 games" in user.text(card)
    assert "Elo difference" in user.text(card)
    assert "SPRT of 0 against +20 Elo" in user.text(card)
    assert user.count(f"{card} .sprt .needle") == 1
    assert user.run("return document.querySelector('#report-duel').href").endswith("duel.sqlite")
    user.click("#do-games-duel")
    user.wait_for_text("#library-count", "4 games")
    user.until("return document.querySelectorAll('.game-row').length === 4")
    assert "first" in user.text(".game-row")
    (folder / "lab" / "duel.sqlite").unlink()


def test_invalid_match(experimenter):
    experimenter.click("#do-new-match")
    values = {"first-preset": "classic", "first-function": ""}
    values |= {"second-preset": "classic", "second-function": ""}
    fill_in(experimenter, **values)
    experimenter.click("#match-dialog button.main")
    experimenter.wait_for_text("#toasts", "The players must differ.")

"""The page in every language."""

import json

import pytest

from tengen.web.app import PAGE

CODES = sorted(path.stem for path in PAGE.glob("languages/*.json"))


def choose(user, code):
    """Choose a language in the display dialog, as a user does."""
    user.click("#display")
    user.until("return document.querySelector('#language')")
    script = """
        const field = document.getElementById("language");
        window.isOld = true;
        field.value = arguments[0];
        field.dispatchEvent(new Event("change", {bubbles: true}));
        """
    user.run(script, code)
    user.until("return !window.isOld && document.body.dataset.ready === ''")


@pytest.mark.parametrize("code", CODES)
def test_language(user, code):
    choose(user, code)
    catalog = json.loads((PAGE / "languages" / f"{code}.json").read_text())
    assert user.run("return document.documentElement.lang") == code
    tabs = user.run("return tengen.panels.map(({name, tab}) => [name, tab.textContent.trim()])")
    assert (
        dict(tabs).items()
        >= {name: catalog["tab"][name] for name in ("play", "library", "review")}.items()
    )
    user.new_game(size="7", color="both")
    user.play_move("D4", 1)
    assert catalog["common"]["white"] in user.text("#status")
    user.play("D4")
    message = catalog["server"]["occupied"].replace("{vertex}", "D4")
    user.wait_for_text("#toasts", message)
    size = "return document.documentElement.scrollWidth <= innerWidth"
    for name in user.run("return tengen.panels.map(({name}) => name)"):
        user.run("tengen.openTab(arguments[0])", name)
        assert user.run(size), name


def test_language_of_the_browser(user):
    script = """
        const {chooseLanguage} = await import("/page/translation.js");
        return arguments[0].map((tags) => chooseLanguage(tags));"""
    tags = [["zh-TW"], ["zh"], ["zh-HK", "en"], ["de-AT"], ["xx", "ja-JP"], ["xx"], ["fr-CA"]]
    wanted = ["zh-Hant", "zh-Hans", "zh-Hant", "de", "ja", "en", "fr"]
    assert user.run(f"return (async function () {{{script}}})(arguments[0])", tags) == wanted

"""Pages: those that a test talks to, and one in a browser with a person in front of it."""

import json

import pytest
from browser_helpers import Person, missing, start_browser, start_server
from web_helpers import client_of, make_house, page_of, warm_up


@pytest.fixture(scope="module")
def client():
    """Whoever asks a server where one plays both sides."""
    with client_of(make_house(colour="both")) as client:
        yield client


@pytest.fixture
def page(client):
    """A page that looks at the first game."""
    with page_of(client) as page:
        yield page


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    """Where downloads go, with an experiment in it."""
    if reason := missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("browser")
    study = folder / "lab" / "study"
    study.mkdir(parents=True)
    (study / "settings.json").write_text(json.dumps({"title": "A study of nothing"}))
    (study / "report.html").write_text("<h1>What was found")
    return folder


@pytest.fixture(scope="package")
def server(folder):
    warm_up()
    process, address = start_server(folder / "lab")
    yield address
    process.kill()
    process.wait()


@pytest.fixture(scope="package")
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

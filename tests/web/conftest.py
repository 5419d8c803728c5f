"""Fixtures: scripted pages, and a browser with a user."""

import json

import pytest
from browser_helpers import User, missing, start_browser, start_server
from web_helpers import client_of, make_game_server, page_of, warm_up


@pytest.fixture(scope="module")
def client():
    """A client of a server whose games have no engine."""
    with client_of(make_game_server(color="both")) as client:
        yield client


@pytest.fixture
def page(client):
    """A page in a new room."""
    with page_of(client) as page:
        yield page


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    """Download folder of the browser, containing an experiment."""
    if reason := missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("browser")
    study = folder / "lab" / "study"
    study.mkdir(parents=True)
    (study / "settings.json").write_text(json.dumps({"title": "Example study"}))
    (study / "report.html").write_text("<h1>Results")
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
def user(driver, server):
    """A user with a new game; the console must stay free of errors."""
    user = User(driver, server)
    user.console_errors()
    user.open_page()
    yield user
    assert user.console_errors() == []

"""Whole games looked over on the page."""

import asyncio

import pytest
from web_helpers import QUICK, client_of, make_house, page_of, until

from tengen.engine.engine import Engine
from tengen.web.engines import Job

LONG = 20_000
"""Simulations a position: a search of so many is still running when it is ended."""
GAME = b"(;GM[1]SZ[9]KM[7];B[cc];W[gg];B[gc];W[cg];B[ee])"


@pytest.fixture
def house():
    return make_house(colour="both", size="9")


@pytest.fixture
def client(house):
    with client_of(house) as client:
        yield client


def show(client, page, game=GAME):
    """Open a game; return its id."""
    name = page.newest["game"]["id"]
    assert client.post(f"/games/{name}", content=game).status_code == 200
    page.settle()
    return name


def looked_at(count):
    return lambda found: found["done"] >= count


def test_a_game_is_looked_over(client, page):
    show(client, page)
    page.send("review", on=True, visits=20)
    found = page.hear("review", lambda found: found["moves"])
    assert (found["done"], found["total"], found["running"]) == (6, 6, False)
    assert found["nodes"] == [0, 1, 2, 3, 4, 5]


def test_a_record_that_breaks_off_is_looked_at_up_to_there(client, page):
    show(client, page, b"(;SZ[9];B[ee];W[zz];B[cc])")
    page.send("review", on=True, visits=20)
    found = page.hear("review", lambda found: found["moves"])
    assert (found["total"], found["nodes"]) == (2, [0, 1])


def test_a_game_without_moves_is_refused(client, page):
    show(client, page, b"(;SZ[9])")
    assert "no moves" in page.ask("review", _hear="refused", on=True, visits=20)["reason"]
    assert page.newest["review"]["running"] is False


def test_a_stopped_review_is_told_as_stopped_and_does_not_come_back(house, client, page):
    name = show(client, page)
    page.send("review", on=True, visits=LONG)
    page.hear("review", looked_at(1))
    found = page.ask("review", _hear="review", on=False)
    assert (found["running"], found["moves"]) == (False, [])
    until(lambda: house.engines.running == 0)
    page.ask("new", colour="both", size="9")
    with page_of(client, name) as other:
        assert "review" not in other.newest


def test_a_review_of_another_game_is_not_shown(house, client, page):
    begun = []

    async def keep(settings, owner, work, complain):
        begun.append(work)
        await asyncio.Event().wait()

    house.engines.run = keep
    show(client, page)
    page.send("review", on=True, visits=20)
    until(lambda: begun)
    page.ask("new", colour="both", size="9")
    begun[0](Engine(QUICK), Job(lambda: 0))  # as a thread does that was not told to end yet
    page.settle()
    assert "review" not in page.newest


def test_a_review_goes_on_when_its_page_comes_back(house, client):
    with page_of(client) as page:
        name = show(client, page)
        page.send("review", on=True, visits=2000)
        page.hear("review", looked_at(2))
    until(lambda: house.engines.running == 0)
    with page_of(client, name) as again:
        told = again.newest["review"]
        assert told["done"] >= 2
        found = told if told["moves"] else again.hear("review", lambda found: found["moves"])
        assert found["positions"][:2] == told["positions"][:2]
        assert (found["done"], found["running"]) == (6, False)

"""Game reviews on the page."""

import asyncio

import pytest
from web_helpers import QUICK, client_of, make_game_server, page_of, until

from tengen.engine import create_engine
from tengen.records import read_bytes
from tengen.web.engine_pool import SearchJob

LONG = 20_000
"""Simulations per position: enough that the search is still running when it is stopped."""
GAME = b"(;GM[1]SZ[9]KM[7];B[cc];W[gg];B[gc];W[cg];B[ee])"


@pytest.fixture
def server():
    return make_game_server(color="both", size="9")


@pytest.fixture
def client(server):
    with client_of(server) as client:
        yield client


def load(client, page, game=GAME):
    """Load a game; return the id of its room."""
    name = page.newest["game"]["id"]
    assert client.post(f"/games/{name}", content=game).status_code == 200
    page.settle()
    return name


def is_complete(found):
    return found["done"] == found["total"] and not found["running"]


def has_searched(count):
    return lambda found: found["done"] >= count


def test_review(client, page):
    load(client, page)
    page.send("review", on=True, visits=20)
    found = page.receive("review", is_complete)
    assert (found["done"], found["total"], found["running"]) == (6, 6, False)
    assert found["nodes"] == [0, 1, 2, 3, 4, 5]


def test_moves_are_reported_during_the_review(client, page):
    load(client, page)
    page.send("review", on=True, visits=20)
    found = page.receive("review", has_searched(2))
    assert len(found["moves"]) >= 2 or is_complete(found)
    assert {"number", "best", "points_loss", "points_error", "visits"} <= set(found["moves"][0])


def test_review_is_saved_with_the_game(client, page):
    name = load(client, page)
    page.send("review", on=True, visits=20, mistake_points=1.0)
    found = page.receive("review", is_complete)
    page.settle()
    (record,) = read_bytes(client.get(f"/games/{name}.sgf").content)
    nodes = list(record.root.main_line())
    assert [node.text("SBKV") for node in nodes] == [
        f"{100 * position['winrate']:.2f}" for position in found["positions"]
    ]
    assert all("Black " in node.comment for node in nodes)
    mistakes = [move["number"] for move in found["moves"] if move["mistake"]]
    assert [len(node.children) > 1 for node in nodes[:-1]] == [n in mistakes for n in range(1, 6)]
    assert len(page.tree.rows()) == sum(1 for _ in record.root.walk())


def test_saved_review_is_shown_without_searching(client, page):
    name = load(client, page)
    page.send("review", on=True, visits=20)
    found = page.receive("review", is_complete)
    page.settle()
    saved = client.get(f"/games/{name}.sgf").content
    page.request("new_game", color="both", size="9")
    page.newest.pop("review")
    load(client, page, saved)
    shown = page.newest["review"]
    assert shown["running"] is False
    assert shown["positions"] == found["positions"]
    assert shown["moves"] == found["moves"]


def test_reviews_up_to_an_invalid_move(client, page):
    load(client, page, b"(;SZ[9];B[ee];W[zz];B[cc])")
    page.send("review", on=True, visits=20)
    found = page.receive("review", is_complete)
    assert (found["total"], found["nodes"]) == (2, [0, 1])


def test_rejects_game_without_moves(client, page):
    load(client, page, b"(;SZ[9])")
    assert "no moves" in page.request("review", _answer="error", on=True, visits=20)["text"]
    assert page.newest["review"]["running"] is False


def test_stopped_review_does_not_resume(server, client, page):
    name = load(client, page)
    page.send("review", on=True, visits=LONG)
    page.receive("review", has_searched(1))
    found = page.request("review", _answer="review", on=False)
    assert not found["running"]
    assert not is_complete(found)
    until(lambda: server.context.engines.running == 0)
    page.request("new_game", color="both", size="9")
    with page_of(client, name) as other:
        assert "review" not in other.newest


def test_drops_results_of_the_previous_game(server, client, page):
    started = []

    async def keep(settings, owner, work, on_problem):
        started.append(work)
        await asyncio.Event().wait()

    server.context.engines.run = keep
    load(client, page)
    page.send("review", on=True, visits=20)
    until(lambda: started)
    page.request("new_game", color="both", size="9")
    started[0](create_engine(QUICK), SearchJob(lambda: 0))  # as a thread that was not stopped yet
    page.settle()
    assert "review" not in page.newest


def test_resumes_when_a_viewer_returns(server, client):
    with page_of(client) as page:
        name = load(client, page)
        page.send("review", on=True, visits=2000)
        page.receive("review", has_searched(2))
    until(lambda: server.context.engines.running == 0)
    with page_of(client, name) as again:
        shown = again.newest["review"]
        assert shown["done"] >= 2
        found = shown if is_complete(shown) else again.receive("review", is_complete)
        assert found["positions"][:2] == shown["positions"][:2]
        assert (found["done"], found["running"]) == (6, False)

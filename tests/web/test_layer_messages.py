"""Layers on the page, including user-defined sources."""

import pytest
from web_helpers import QUICK, client_of, make_game_server, page_of, warm_up

from tengen.web import EnginePool, GameServer, NewGame, ServerContext

SOURCE = """
import numpy as np

def center(position):
    "Likes the center."
    values = np.full((position.rows, position.columns), np.nan)
    values[position.rows // 2, position.columns // 2] = 1.0
    return values
"""


@pytest.fixture
def page():
    with client_of(make_game_server(color="both", size="9")) as client, page_of(client) as page:
        yield page


def at_node(node):
    return lambda update: update["node"] == node


def test_layer_follows_the_position(page):
    update = page.request("show_layer", _answer="layer", slot=0, layer="lines")
    assert (update["node"], update["layer"]["name"]) == (0, "lines")
    assert len(update["layer"]["values"]) == 9
    page.send("play", vertex="E5")
    assert page.receive("layer", at_node(1))["layer"]["values"][4][4] is None


def test_two_slots(page):
    page.request("show_layer", _answer="layer", slot=0, layer="lines")
    update = page.request("show_layer", _answer="layer", slot=1, layer="tactics")
    assert update["slot"] == 1
    page.send("play", vertex="E5")
    received = set()
    while received != {(0, "lines"), (1, "tactics")}:
        update = page.receive("layer", at_node(1))
        received.add((update["slot"], update["name"]))


def test_reports_missing_requirements(page):
    update = page.request("show_layer", _answer="layer", slot=0, layer="experts")
    assert "no game database" in update["problem"]
    update = page.request("show_layer", _answer="layer", slot=0, layer="search.visits")
    assert "no search" in update["problem"]


def test_search_layer_is_updated_during_the_search(page):
    page.request("show_layer", _answer="layer", slot=0, layer="search.visits")
    page.send("analyze", on=True)
    update = page.receive("layer", lambda update: "layer" in update)
    assert update["layer"]["name"] == "search.visits"
    page.request("analyze", on=False)


def server_with(path):
    """Write a source to a file; return a server that offers it and the name of its layer."""
    path.write_text(SOURCE)
    own = f"{path}:center"
    warm_up()
    context = ServerContext(QUICK, path.parent, user_layers=(own,), engines=EnginePool(1))
    return GameServer(context, NewGame(size="5", color="both")), own


def test_source_that_fails_to_load(tmp_path):
    server, own = server_with(tmp_path / "ideas.py")
    (tmp_path / "ideas.py").write_text("raise ValueError('not finished')")
    with client_of(server) as client, page_of(client) as page:
        assert (
            "not finished"
            in page.request("show_layer", _answer="layer", slot=0, layer=own)["problem"]
        )
        assert page.request("analyze", on=True, _answer="search")["candidates"]
        page.request("analyze", on=False)
        assert "error" not in page.newest


def test_user_defined_source(tmp_path):
    server, own = server_with(tmp_path / "ideas.py")
    with client_of(server) as client, page_of(client) as page:
        assert own in [layer["name"] for layer in page.newest["welcome"]["layers"]]
        update = page.request("show_layer", _answer="layer", slot=0, layer=own)
        assert update["layer"]["values"][2][2] == 1.0
        other = f"{tmp_path}/other.py:f"
        error = page.request("show_layer", _answer="error", slot=0, layer=other)["text"]
        assert error.startswith("unknown layer")

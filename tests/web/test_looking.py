"""Layers on the page: made for every position, by name only, one's own among them."""

import pytest
from web_helpers import QUICK, client_of, make_house, page_of, warm_up

from tengen.web.engines import EnginePool
from tengen.web.house import House
from tengen.web.messages import New

SOURCE = """
import numpy as np

def centre(position):
    "Likes the centre."
    values = np.full((position.rows, position.columns), np.nan)
    values[position.rows // 2, position.columns // 2] = 1.0
    return values
"""


@pytest.fixture
def page():
    with client_of(make_house(colour="both", size="9")) as client, page_of(client) as page:
        yield page


def at_node(node):
    return lambda said: said["node"] == node


def test_a_layer_follows_the_position(page):
    said = page.ask("look", _hear="layer", slot=0, layer="lines")
    assert (said["node"], said["layer"]["name"]) == (0, "lines")
    assert len(said["layer"]["values"]) == 9
    page.send("play", vertex="E5")
    assert page.hear("layer", at_node(1))["layer"]["values"][4][4] is None


def test_two_slots(page):
    page.ask("look", _hear="layer", slot=0, layer="lines")
    said = page.ask("look", _hear="layer", slot=1, layer="tactics")
    assert said["slot"] == 1
    page.send("play", vertex="E5")
    heard = set()
    while heard != {(0, "lines"), (1, "tactics")}:
        said = page.hear("layer", at_node(1))
        heard.add((said["slot"], said["name"]))


def test_what_a_layer_needs_is_said(page):
    said = page.ask("look", _hear="layer", slot=0, layer="experts")
    assert "no games database" in said["problem"]
    said = page.ask("look", _hear="layer", slot=0, layer="search.visits")
    assert "no search" in said["problem"]


def test_layers_of_the_search_come_as_it_runs(page):
    page.ask("look", _hear="layer", slot=0, layer="search.visits")
    page.send("analyse", on=True)
    said = page.hear("layer", lambda said: "layer" in said)
    assert said["layer"]["name"] == "search.visits"
    page.ask("analyse", on=False)


def house_with(path):
    """Return a house with a source of one's own, written to a file, and the source's name."""
    path.write_text(SOURCE)
    own = f"{path}:centre"
    warm_up()
    game = New(size="5", colour="both")
    return House(QUICK, game, path.parent, own_layers=(own,), engines=EnginePool(1)), own


def test_a_source_that_breaks_later_stops_neither_page_nor_search(tmp_path):
    house, own = house_with(tmp_path / "ideas.py")
    (tmp_path / "ideas.py").write_text("raise ValueError('half an idea')")
    with client_of(house) as client, page_of(client) as page:
        assert "half an idea" in page.ask("look", _hear="layer", slot=0, layer=own)["problem"]
        assert page.ask("analyse", on=True, _hear="search")["candidates"]
        page.ask("analyse", on=False)
        assert "refused" not in page.newest


def test_a_source_of_ones_own(tmp_path):
    house, own = house_with(tmp_path / "ideas.py")
    with client_of(house) as client, page_of(client) as page:
        assert own in [layer["name"] for layer in page.newest["welcome"]["layers"]]
        said = page.ask("look", _hear="layer", slot=0, layer=own)
        assert said["layer"]["values"][2][2] == 1.0
        other = f"{tmp_path}/other.py:f"
        reason = page.ask("look", _hear="refused", slot=0, layer=other)["reason"]
        assert reason.startswith("unknown layer")

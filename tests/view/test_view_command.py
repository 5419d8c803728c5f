"""`tengen view` as users meet it."""

import json

import pytest
from PIL import Image

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.view import LAYERS

GAME = "(;SZ[9]KM[7];B[cc];W[gg];B[gc];W[cg])"


@pytest.fixture
def game(tmp_path):
    path = tmp_path / "game.sgf"
    path.write_text(GAME)
    return str(path)


def view(capsys, *words):
    assert main(["view", *words]) == 0
    return capsys.readouterr().out


def test_the_list_has_every_layer(capsys):
    told = view(capsys, "--list")
    assert all(name in told for name in LAYERS)
    told = json.loads(view(capsys, "--list", "--json"))
    assert [one["name"] for one in told] == list(LAYERS)
    assert {one["needs"] for one in told} == {"nothing", "net", "search", "games"}


def test_in_the_terminal(game, capsys):
    told = view(capsys, game, "--source", "bigmove.p1", "--source", "potential")
    assert "Big move p1" in told
    assert "Potential" in told
    assert told.count("●") == 4
    told = view(capsys, game)
    assert told.startswith("Big move\n")


def test_before_a_move(game, capsys):
    (layer,) = json.loads(view(capsys, game, "--move", "1", "--source", "bigmove.p1", "--json"))
    assert layer["marks"] == ["E5"]
    (layer,) = json.loads(view(capsys, game, "--move", "2", "--source", "potential", "--json"))
    assert layer["values"][2][2] == 1.0
    assert layer["scale"] == "diverging"


def test_pictures(game, tmp_path, capsys):
    svg, png = tmp_path / "x.svg", tmp_path / "x.png"
    words = ["--source", "bigmove.p1", "--source", "filter.pf9"]
    assert view(capsys, game, *words, "-o", str(svg)) == f"{svg}\n"
    assert "Filter pf9" in svg.read_text()
    view(capsys, game, *words, "-o", str(png))
    with Image.open(png) as flat:
        size = flat.size
    view(capsys, game, "--source", "potential", "--surface", "-o", str(png), "--width", "300")
    with Image.open(png) as landscape:
        assert landscape.width == 300 != size[0]


def test_a_search_is_made_if_one_is_wanted(game, capsys):
    words = [game, "--source", "search.visits", "--source", "search.ownership", "--json"]
    visits, owner = json.loads(view(capsys, *words, "playouts=200", "--threads", "1"))
    assert visits["title"].startswith("Search, visits: 200 visits, Black wins")
    assert owner["scale"] == "diverging"


def test_what_is_wrong_is_told(game, tmp_path, capsys):
    for words, told in (
        ([], "name a game record"),
        ([game, "--source", "bigmoove"], "unknown source"),
        ([game, "-o", "x.gif"], "not 'x.gif'"),
        ([game, "--surface"], "a surface needs a picture"),
        ([str(tmp_path / "none.sgf")], "none.sgf"),
        ([game, "--source", "experts", "--database", str(tmp_path / "no")], "no games database"),
        ([game, "net=nowhere.onnx", "--source", "net.policy"], "nowhere.onnx"),
    ):
        with pytest.raises((TengenError, OSError), match=told):
            main(["view", *words])

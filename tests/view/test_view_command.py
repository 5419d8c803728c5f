"""`tengen view`."""

import json

import pytest
from PIL import Image

from tengen.cli.main import main
from tengen.util import TengenError
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


def test_list_of_layers(capsys):
    output = view(capsys, "--list")
    assert all(name in output for name in LAYERS)
    output = json.loads(view(capsys, "--list", "--json"))
    assert [one["name"] for one in output] == list(LAYERS)
    assert {one["needs"] for one in output} == {"nothing", "net", "search", "games"}


def test_text_output(game, capsys):
    output = view(capsys, game, "--source", "bigmove.p1", "--source", "potential")
    assert "Big move p1" in output
    assert "Potential" in output
    assert output.count("●") == 4
    output = view(capsys, game)
    assert output.startswith("Big move\n")


def test_position_before_a_move(game, capsys):
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


def test_search_layers_start_a_search(game, capsys):
    words = [game, "--source", "search.visits", "--source", "search.ownership", "--json"]
    visits, owner = json.loads(view(capsys, *words, "playouts=200", "--threads", "1"))
    assert visits["title"].startswith("Search, visits: 200 visits, Black wins")
    assert owner["scale"] == "diverging"


def test_errors(game, tmp_path, capsys):
    for words, message in (
        ([], "no game record given"),
        ([game, "--source", "bigmoove"], "unknown source"),
        ([game, "-o", "x.gif"], "not 'x.gif'"),
        ([game, "--surface"], "--surface requires a picture"),
        ([str(tmp_path / "none.sgf")], "none.sgf"),
        ([game, "--source", "experts", "--database", str(tmp_path / "no")], "no game database"),
        ([game, "net=nowhere.onnx", "--source", "net.policy"], "nowhere.onnx"),
    ):
        with pytest.raises((TengenError, OSError), match=message):
            main(["view", *words])

"""SGF writer: valid FF[4], readable by sgfmill, without loss."""

import pytest
from hypothesis import given, settings, strategies as st
from sgfmill import sgf

from tengen.board import BLACK, PASS, WHITE, Position, point_at, rules_named
from tengen.records import (
    Node,
    plain_text,
    read_bytes,
    read_games,
    record_from_position,
    sgf_bytes,
    write_games,
)
from tengen.records.tree import escaped_text
from tengen.util import TengenError


def read(data):
    (game,) = read_bytes(data, "x")
    return game


def test_a_played_game(tmp_path):
    position = Position(9, rules=rules_named("chinese").with_komi(7))
    position.play(point_at(4, 4))
    position.play(point_at(2, 2))
    position.play(PASS)
    record = record_from_position(
        position, "Ann", "Bob ]", "B+2.5", {0: "start", 2: "a [b] \\c"}, {"DT": "2026-01-02"}
    )
    path = tmp_path / "game.sgf"
    write_games(path, [record, record])
    first, second = read_games(path)
    assert first.moves == second.moves == position.moves
    assert (first.black, first.white, first.text("DT")) == ("Ann", "Bob ]", "2026-01-02")
    assert (first.rows, first.komi, first.rules.name) == (9, 7, "chinese")
    comments = [node.text("C") for node in first.root.main_line()]
    assert comments == ["start", None, "a [b] \\c", None]
    assert first.position().diagram() == position.diagram()
    assert str(first.result) == "B+2.5"
    assert not first.warnings


def test_setup_handicap_and_rectangular_boards():
    position = Position.from_diagram("X....\n.O...\n.....", WHITE)
    position.handicap = 2
    position.play(point_at(2, 2))
    again = read(sgf_bytes(record_from_position(position)))
    assert (again.columns, again.rows, again.handicap) == (5, 3, 2)
    assert again.to_play is WHITE
    assert again.position().diagram() == position.diagram()


def test_sgfmill_reads_the_output():
    data = b"(;SZ[9]KM[6,5]HA[x]AB[aa]AB[bb]C[a]C[b]PB[p]PB[q];B[Q1];W[a9]B[cc](;W[dd])(;W[ee]))"
    game = read(data)
    again = sgf.Sgf_game.from_bytes(sgf_bytes(game))
    assert again.get_size() == 9
    assert again.get_komi() == 6.5
    assert again.root.get("C") == "a\nb"
    assert again.root.get("PB") == "p"
    assert again.root.get_raw("XPB") == b"q"
    assert again.root.get_raw("XKM") == b"6,5"


def test_splits_nodes_with_several_moves():
    game = read(b"(;SZ[9];B[aa]W[bb]C[x];AB[cc]B[dd]N[y])")
    nodes = list(read(sgf_bytes(game)).root.main_line())[1:]
    assert [node.properties for node in nodes] == [
        {"B": ["aa"]},
        {"W": ["bb"], "C": ["x"]},
        {"AB": ["cc"]},
        {"B": ["dd"], "N": ["y"]},
    ]


def test_unwritable_path(tmp_path):
    with pytest.raises(TengenError, match="cannot write"):
        write_games(tmp_path / "no" / "such.sgf", [])


# Round trips of generated records

names = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=3).map(lambda name: "Z" + name)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts)
def test_round_trip_of_text(text):
    expected = text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
    expected = expected.translate(str.maketrans("\t\f\v", "   "))
    assert plain_text(escaped_text(text)) == expected


@st.composite
def trees(draw):
    """Generate a tree of nodes with moves and private properties."""
    root = Node({"SZ": ["9"]})
    nodes = [root]
    for _ in range(draw(st.integers(0, 12))):
        node = Node()
        if draw(st.booleans()):
            value = draw(st.sampled_from(["", "aa", "ee", "ii", "bc", "cb"]))
            node.properties[draw(st.sampled_from("BW"))] = [value]
        for name in draw(st.lists(names, max_size=2)):
            node.properties[name] = [
                escaped_text(text) for text in draw(st.lists(texts, min_size=1, max_size=3))
            ]
        draw(st.sampled_from(nodes)).add_child(node)
        nodes.append(node)
    return root


@settings(max_examples=150, deadline=None)
@given(trees())
def test_round_trip_of_trees(root):
    from tengen.records import GameRecord

    data = sgf_bytes(GameRecord(9, 9, root=root))
    again = read(data)
    before = [(node.properties, len(node.children)) for node in root.walk()][1:]
    after = [(node.properties, len(node.children)) for node in again.root.walk()][1:]
    assert after == before
    assert sgf_bytes(again) == data


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 19), st.integers(1, 19), st.lists(st.integers(0, 400), max_size=60))
def test_round_trip_of_games(rows, columns, choices):
    position = Position(rows, columns)
    for choice in choices:
        legal = [*position.legal_moves(), PASS]
        position.play(legal[choice % len(legal)])
    again = read(sgf_bytes(record_from_position(position)))
    assert again.moves == position.moves
    assert again.position().diagram() == position.diagram()
    assert (again.rows, again.columns) == (rows, columns)


def test_black_moves_first_by_default():
    assert read(b"(;SZ[9])").position().to_play is BLACK

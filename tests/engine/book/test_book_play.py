"""Playing from an opening book, and `tengen book`."""

import json

import pytest
from cli_helpers import tengen

from tengen.board import Position, parse_vertex
from tengen.cli.main import main
from tengen.engine import EngineSettings, MoveReason, create_engine
from tengen.match import MatchSettings
from tengen.match.player import engine_player
from tengen.util import TengenError

CORNERS = {parse_vertex(vertex, 9, 9) for vertex in ("C3", "C7", "G3", "G7")}
FAST = ("playouts=20", "threads=1", "seed=1", "memory_mib=16")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with games that start with opposite 3-3 points, and their book.

    Of the 35 games, ten are mirror images of others and do not count.
    """
    folder = tmp_path_factory.mktemp("book")
    points = [f"{column}{row}" for column in "abdefhi" for row in "abdef"]
    games = [f"(;SZ[9]RE[{'BW'[n % 2]}+R];B[cc];W[gg];B[{p}])" for n, p in enumerate(points)]
    (folder / "games.sgf").write_text("".join(games))
    (folder / "game.sgf").write_text("(;SZ[9];B[gc];W[cg];B[ee])")
    words = ["book", "build", str(folder / "games.sgf"), "-o", str(folder / "b"), "--workers", "1"]
    assert main([*words, "--no-shape"]) == 0
    return folder


@pytest.fixture(scope="module")
def engine(folder):
    return create_engine(EngineSettings().with_overrides([*FAST, f"book={folder / 'b'}"]))


def test_engine_plays_from_the_book_and_then_searches(engine):
    position = Position(9)
    first = engine.think(position)
    assert (first.reason, first.report) == (MoveReason.BOOK, None)
    assert first.move in CORNERS
    position.play(first.move)
    second = engine.think(position)
    assert second.reason is MoveReason.BOOK
    # Diagonally opposite, in any orientation.
    assert first.move + second.move == 2 * parse_vertex("E5", 9, 9)
    position.play(second.move)
    position.play(parse_vertex("A1", 9, 9))
    third = engine.think(position)
    assert third.reason is MoveReason.SEARCHED
    assert third.report is not None


def test_searches_without_a_book():
    assert (
        create_engine(EngineSettings().with_overrides(FAST)).think(Position(9)).reason
        is MoveReason.SEARCHED
    )


def test_searches_on_other_board_sizes(engine):
    assert engine.think(Position(7)).reason is MoveReason.SEARCHED


def test_over_gtp(folder):
    done = tengen("gtp", "--book", folder / "b", *FAST, typed="boardsize 9\ngenmove b\nquit\n")
    assert done.code == 0
    replies = [line for line in done.output.splitlines() if line.startswith("=")]
    assert parse_vertex(replies[1][2:], 9, 9) in CORNERS


def test_in_the_terminal(folder):
    words = ["play", "--text", "--color", "white", "--book", folder / "b", *FAST]
    done = tengen(*words, typed="quit\n")
    assert "(opening book)" in done.output


def test_in_a_match(folder):
    player = engine_player(EngineSettings().with_overrides([*FAST, f"book={folder / 'b'}"]))
    player.new_game(MatchSettings(), seed=5)
    assert player.genmove(Position(9).to_play, 60) in CORNERS
    player.close()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["book=no/such"], "cannot read the book"),
        (["book_min_games=0"], "book_min_games must be"),
        (["book_min_weight=2"], "book_min_weight must be"),
        (["book_result_power=x"], "book_result_power must be a number"),
    ],
)
def test_invalid_settings_are_reported(words, message):
    with pytest.raises(TengenError, match=message):
        create_engine(EngineSettings().with_overrides([*FAST, *words]))


# Command


def test_show_a_position(folder, capsys):
    words = ["book", "show", str(folder / "b"), str(folder / "game.sgf"), "--move", "2"]
    assert main([*words, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (move,) = result["moves"]
    assert (move["move"], move["games"], move["shape"]) == ("C3", 25, None)
    assert result["about"]["sizes"] == {"9x9": {"games": 25, "positions": 3}}
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Before move 2, White to play: 25 games, won 44.0%" in out
    assert "C3" in out


def test_show_empty_board_and_unknown_size(folder, capsys):
    assert main(["book", "show", str(folder / "b")]) == 0
    assert "Black to play: 25 games" in capsys.readouterr().out
    assert main(["book", "show", str(folder / "b"), "--size", "13"]) == 0
    assert "not in the book" in capsys.readouterr().out


def test_build_from_a_database_with_shape(folder, capsys):
    database = str(folder / "g.sqlite")
    games = str(folder / "games.sgf")
    main(["games", "import", games, "--database", database, "--workers", "1"])
    words = ["book", "build", "--database", database, "-o", str(folder / "s"), "--min-games", "5"]
    assert main([*words, "--depth", "2"]) == 0
    assert "with pattern tables; first 2 moves" in capsys.readouterr().out
    assert main(["book", "show", str(folder / "s"), "--json"]) == 0
    (move,) = json.loads(capsys.readouterr().out)["moves"]
    assert 0 < move["shape"] <= 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "no/such", "-o", "x"], "cannot read"),
        (["build", "GAMES", "-o", "x", "--min-games", "0"], "min_games must be"),
        (["build", "GAMES", "-o", "x", "--depth", "many"], "depth must be an integer"),
        (["build", "GAMES", "-o", "x", "--size", "13"], "no games to build a book from"),
        (["build", "--database", "none", "-o", "x"], "no game database"),
        (["show", "GAMES"], "is not an opening book"),
        (["show", "BOOK", "--move", "3"], "requires a game record"),
        (["show", "BOOK", "--size", "x"], "invalid size"),
    ],
)
def test_invalid_input_gives_a_one_line_error(folder, words, message):
    names = {"GAMES": str(folder / "games.sgf"), "BOOK": str(folder / "b")}
    with pytest.raises(TengenError, match=message) as caught:
        main(["book", *(names.get(word, word) for word in words)])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("words", [["build"], ["show"], ["lend", "x"]])
def test_rejects_wrong_arguments(words):
    with pytest.raises(SystemExit):
        main(["book", *words])

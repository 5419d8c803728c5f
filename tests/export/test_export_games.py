"""`tengen games export`: what is in the files, what is skipped, and that none is half there."""

import json

import numpy as np
import pytest

from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.cli import games_export
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.export import exporter, sample_file
from tengen.export.part import COLUMNS
from tengen.network.own import OwnFeatures
from tengen.records.parallel import new_stop

GAMES = {
    "a.sgf": "(;SZ[9]KM[7]RE[W+3.5];B[cc];W[gg];B[gc];W[cg];B[])",
    "b.sgf": "(;SZ[13]KM[0.5]HA[2]AB[dd][jj]RE[B+R];W[jd];B[dj])(;SZ[9]RE[?];B[ee];W[ec])",
    "broken.sgf": "(;SZ[9];B[aa];W[aa];B[bb])",
    "empty.sgf": "(;SZ[9]PB[nobody])",
    "later.sgf": "(;SZ[9];B[cc];AW[dd];W[ee])",
    "chess.sgf": "(;GM[3];B[cc])",
    "notes.txt": "no game",
}


@pytest.fixture
def folder(tmp_path):
    games = tmp_path / "games"
    games.mkdir()
    for name, text in GAMES.items():
        (games / name).write_text(text)
    return games


def export(capsys, folder, output, *words):
    line = ["games", "export", str(folder), "-o", str(output), "--workers", "1", "--json"]
    assert main([*line, *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_all_positions_of_all_sound_games(folder, tmp_path, capsys):
    told = export(capsys, folder, tmp_path / "x.npz")
    assert (told["positions"], told["games"]) == (9, 3)
    assert told["sizes"] == {"9x9": 7, "13x13": 2}
    assert told["skipped"] == {"broken": 1, "no_moves": 1, "setup_later": 1, "not_playable": 1}
    data = np.load(tmp_path / "x.npz")
    names = {f"{size}.{name}" for size in ("9x9", "13x13") for name in COLUMNS}
    assert set(data.files) == {*names, "games"}
    assert [name.rpartition("/")[2] for name in data["games"]] == ["a.sgf#0", "b.sgf#0", "b.sgf#1"]
    assert data["9x9.move"].tolist() == [20, 60, 24, 56, 81, 40, 22]
    assert data["9x9.to_play"].tolist() == [1, 2, 1, 2, 1, 1, 2]
    assert data["9x9.turn"].tolist() == [0, 1, 2, 3, 4, 0, 1]
    assert data["9x9.game"].tolist() == [0, 0, 0, 0, 0, 2, 2]
    assert data["9x9.winner"].tolist() == [2, 2, 2, 2, 2, 0, 0]
    assert data["9x9.margin"][0] == -3.5
    assert np.isnan(data["9x9.margin"][5:]).all()
    assert data["13x13.winner"].tolist() == [1, 1]
    assert np.isnan(data["13x13.margin"]).all()
    assert data["13x13.komi"].tolist() == [0.5, 0.5]
    assert data["13x13.board"][0].sum() == 2


def test_boards_and_planes_are_those_of_the_position(folder, tmp_path, capsys):
    export(capsys, folder, tmp_path / "x.npz")
    data = np.load(tmp_path / "x.npz")
    position = Position(9, rules=Rules().with_komi(7))
    for turn in range(5):
        planes, numbers = np.zeros((19, 9, 9), np.float32), np.zeros(3, np.float32)
        OwnFeatures().encode(position, planes, numbers)
        np.testing.assert_array_equal(data["9x9.planes"][turn], planes)
        np.testing.assert_array_equal(data["9x9.numbers"][turn], numbers)
        np.testing.assert_array_equal(data["9x9.board"][turn], position.board())
        move = int(data["9x9.move"][turn])
        position.play(0 if move == 81 else position.points()[move])


def test_a_draw_and_what_white_gets_for_handicap(tmp_path, capsys):
    game = "(;SZ[9]KM[0]RU[Chinese]HA[2]AB[cc][gg]RE[Draw];W[ee];B[ec])"
    (tmp_path / "a.sgf").write_text(game)
    export(capsys, tmp_path / "a.sgf", tmp_path / "x.npz")
    data = np.load(tmp_path / "x.npz")
    assert data["9x9.margin"].tolist() == [0, 0]
    assert data["9x9.komi"].tolist() == [2, 2]


def test_a_large_file_comes_in_small_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(exporter, "PIECE_BYTES", 100)
    path = tmp_path / "large.sgf"
    path.write_text("(;GM[1]SZ[9];B[cc];W[gg])" * 50 + "(;GM[1]SZ[9];B[aa];W[aa])(;GM[1];B[cc])")
    pieces = list(exporter.export_games([str(path)], exporter.Sampling(), 1, new_stop()))
    assert max(map(len, pieces)) < 20
    places = [str(place) for piece in pieces for place in piece.games]
    assert places == [f"{path}#{number}" for number in [*range(50), 51]]


def test_some_positions_of_each_game(folder, tmp_path, capsys):
    told = export(capsys, folder, tmp_path / "x.npz", "--each", "1")
    assert (told["positions"], told["games"]) == (3, 3)
    kept = {}
    for seed in range(1, 9):
        export(capsys, folder, tmp_path / "x.npz", "--each", "2", "--seed", str(seed))
        turns = np.load(tmp_path / "x.npz")["9x9.turn"].tolist()
        assert turns[0] < turns[1]
        kept[seed] = turns
    assert len({tuple(turns) for turns in kept.values()}) > 1
    export(capsys, folder, tmp_path / "x.npz", "--each", "2", "--seed", "3")
    assert np.load(tmp_path / "x.npz")["9x9.turn"].tolist() == kept[3]


def test_what_is_drawn_does_not_depend_on_the_other_games(folder, tmp_path, capsys):
    export(capsys, folder, tmp_path / "all.npz", "--each", "2", "--seed", "5")
    export(capsys, folder / "a.sgf", tmp_path / "one.npz", "--each", "2", "--seed", "5")
    everything, one = np.load(tmp_path / "all.npz"), np.load(tmp_path / "one.npz")
    assert everything["9x9.turn"][:2].tolist() == one["9x9.turn"].tolist()


def test_several_processes_write_the_same(folder, tmp_path, capsys):
    for workers in ("1", "2"):
        export(capsys, folder, tmp_path / f"{workers}.npz", "--workers", workers)
    one, two = np.load(tmp_path / "1.npz"), np.load(tmp_path / "2.npz")
    assert one.files == two.files
    for name in one.files:
        np.testing.assert_array_equal(one[name], two[name])


def test_stop_after_some_positions(folder, tmp_path, capsys):
    told = export(capsys, folder, tmp_path / "x.npz", "--positions", "3")
    assert (told["positions"], told["games"], told["partial"]) == (3, 1, False)
    data = np.load(tmp_path / "x.npz")
    assert data["9x9.turn"].tolist() == [0, 1, 2]
    assert len(data["games"]) == 1


def test_parquet_has_the_same(folder, tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    export(capsys, folder, tmp_path / "x.npz")
    export(capsys, folder, tmp_path / "x.parquet")
    data, table = np.load(tmp_path / "x.npz"), parquet.read_table(tmp_path / "x.parquet")
    assert table.num_rows == 9
    for size, rows in (("9x9", 9), ("13x13", 13)):
        own = [row for row in table.to_pylist() if row["rows"] == rows]
        for name in ("to_play", "move", "komi", "winner", "game", "turn", "margin"):
            np.testing.assert_array_equal([row[name] for row in own], data[f"{size}.{name}"])
        for row, board, planes in zip(
            own, data[f"{size}.board"], data[f"{size}.planes"], strict=True
        ):
            assert row["board"] == board.ravel().tolist()
            bits = np.frombuffer(row["planes"], dtype=np.uint8)
            unpacked = np.unpackbits(bits, count=planes.size).reshape(planes.shape)
            np.testing.assert_array_equal(unpacked, planes)
            assert row["source"] == data["games"][row["game"]]
    meaning = table.schema.field("margin").metadata[b"meaning"].decode()
    assert meaning == COLUMNS["margin"]


def test_parquet_without_pyarrow(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(sample_file.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TengenError, match=r"needs pyarrow: pip install .\.\[parquet\]"):
        main(["games", "export", str(folder), "-o", str(tmp_path / "x.parquet")])


def test_what_cannot_be_written(folder, tmp_path):
    for output, told in (("x.csv", "not 'x.csv'"), ("none/x.npz", "no such folder")):
        with pytest.raises(TengenError, match=told):
            main(["games", "export", str(folder), "-o", str(tmp_path / output)])
    with pytest.raises(TengenError, match="missing"):
        main(["games", "export", str(tmp_path / "missing"), "-o", str(tmp_path / "x.npz")])
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_a_failure_leaves_the_old_file_and_nothing_else(folder, tmp_path, kind, monkeypatch):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"x.{kind}"
    output.write_text("old")

    def fail(*arguments):
        yield from exporter.export_games(*arguments)
        raise OSError("disk full")

    monkeypatch.setattr("tengen.cli.games_export._write", _writing_with(fail))
    with pytest.raises(OSError, match="disk full"):
        main(["games", "export", str(folder), "-o", str(output), "--workers", "1"])
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", output.name]


def _writing_with(pieces):
    """Return a `_write` whose positions come from `pieces`."""

    def write(file, arguments, sampling, stop):
        for piece in pieces(arguments.paths, sampling, 1, stop):
            file.add(piece.parts, piece.games)

    return write


def test_after_ctrl_c_the_file_has_what_was_read(folder, tmp_path, capsys, monkeypatch):
    real = games_export.stopping_at_interrupt

    def interrupted(stop):
        stop.set()
        return real(stop)

    monkeypatch.setattr(games_export, "stopping_at_interrupt", interrupted)
    output = tmp_path / "x.npz"
    words = ["games", "export", str(folder), "-o", str(output), "--workers", "1"]
    assert main(words) == games_export.INTERRUPTED
    assert "Stopped before the end" in capsys.readouterr().out
    assert np.load(output).files == ["games"]


def test_it_is_told_in_words(folder, tmp_path, capsys):
    main(["games", "export", str(folder), "-o", str(tmp_path / "x.npz"), "--workers", "1"])
    told = capsys.readouterr().out
    assert "9 positions of 3 games" in told
    assert "9x9: 7" in told
    assert "games skipped, setup later: 1" in told

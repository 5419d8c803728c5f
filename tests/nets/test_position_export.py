"""`tengen games export`: content of the files, skipped games, atomic writing."""

import json

import numpy as np
import pytest

from tengen.board import Position, Rules
from tengen.cli import games_export
from tengen.cli.main import main
from tengen.nets import Sampling, TengenFeatures, export_games, position_export, position_files
from tengen.nets.position_export import COLUMNS
from tengen.records import new_stop
from tengen.util import TengenError

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


def test_exports_all_positions_of_valid_games(folder, tmp_path, capsys):
    report = export(capsys, folder, tmp_path / "x.npz")
    assert (report["positions"], report["games"]) == (9, 3)
    assert report["sizes"] == {"9x9": 7, "13x13": 2}
    assert report["skipped"] == {"broken": 1, "no_moves": 1, "setup_later": 1, "not_playable": 1}
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


def test_boards_and_planes_match_the_positions(folder, tmp_path, capsys):
    export(capsys, folder, tmp_path / "x.npz")
    data = np.load(tmp_path / "x.npz")
    position = Position(9, rules=Rules().with_komi(7))
    for turn in range(5):
        planes, numbers = np.zeros((19, 9, 9), np.float32), np.zeros(3, np.float32)
        TengenFeatures().encode(position, planes, numbers)
        np.testing.assert_array_equal(data["9x9.planes"][turn], planes)
        np.testing.assert_array_equal(data["9x9.numbers"][turn], numbers)
        np.testing.assert_array_equal(data["9x9.board"][turn], position.board())
        move = int(data["9x9.move"][turn])
        position.play(0 if move == 81 else position.points()[move])


def test_draw_and_handicap_compensation(tmp_path, capsys):
    game = "(;SZ[9]KM[0]RU[Chinese]HA[2]AB[cc][gg]RE[Draw];W[ee];B[ec])"
    (tmp_path / "a.sgf").write_text(game)
    export(capsys, tmp_path / "a.sgf", tmp_path / "x.npz")
    data = np.load(tmp_path / "x.npz")
    assert data["9x9.margin"].tolist() == [0, 0]
    assert data["9x9.komi"].tolist() == [2, 2]


def test_splits_a_large_file_into_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(position_export, "BATCH_BYTES", 100)
    path = tmp_path / "large.sgf"
    path.write_text("(;GM[1]SZ[9];B[cc];W[gg])" * 50 + "(;GM[1]SZ[9];B[aa];W[aa])(;GM[1];B[cc])")
    batches = list(export_games([str(path)], Sampling(), 1, new_stop()))
    assert max(map(len, batches)) < 20
    locations = [str(location) for batch in batches for location in batch.games]
    assert locations == [f"{path}#{number}" for number in [*range(50), 51]]


def test_samples_positions_of_each_game(folder, tmp_path, capsys):
    report = export(capsys, folder, tmp_path / "x.npz", "--each", "1")
    assert (report["positions"], report["games"]) == (3, 3)
    kept = {}
    for seed in range(1, 9):
        export(capsys, folder, tmp_path / "x.npz", "--each", "2", "--seed", str(seed))
        turns = np.load(tmp_path / "x.npz")["9x9.turn"].tolist()
        assert turns[0] < turns[1]
        kept[seed] = turns
    assert len({tuple(turns) for turns in kept.values()}) > 1
    export(capsys, folder, tmp_path / "x.npz", "--each", "2", "--seed", "3")
    assert np.load(tmp_path / "x.npz")["9x9.turn"].tolist() == kept[3]


def test_sample_of_a_game_does_not_depend_on_other_games(folder, tmp_path, capsys):
    export(capsys, folder, tmp_path / "all.npz", "--each", "2", "--seed", "5")
    export(capsys, folder / "a.sgf", tmp_path / "one.npz", "--each", "2", "--seed", "5")
    everything, one = np.load(tmp_path / "all.npz"), np.load(tmp_path / "one.npz")
    assert everything["9x9.turn"][:2].tolist() == one["9x9.turn"].tolist()


def test_number_of_workers_does_not_change_the_file(folder, tmp_path, capsys):
    for workers in ("1", "2"):
        export(capsys, folder, tmp_path / f"{workers}.npz", "--workers", workers)
    one, two = np.load(tmp_path / "1.npz"), np.load(tmp_path / "2.npz")
    assert one.files == two.files
    for name in one.files:
        np.testing.assert_array_equal(one[name], two[name])


def test_stops_after_a_number_of_positions(folder, tmp_path, capsys):
    report = export(capsys, folder, tmp_path / "x.npz", "--positions", "3")
    assert (report["positions"], report["games"], report["partial"]) == (3, 1, False)
    data = np.load(tmp_path / "x.npz")
    assert data["9x9.turn"].tolist() == [0, 1, 2]
    assert len(data["games"]) == 1


def test_parquet_has_the_same_content_as_npz(folder, tmp_path, capsys):
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


def test_parquet_needs_pyarrow(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(position_files.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TengenError, match=r"needs pyarrow: pip install .tengen-go\[parquet\]"):
        main(["games", "export", str(folder), "-o", str(tmp_path / "x.parquet")])


def test_rejects_invalid_paths(folder, tmp_path):
    for output, message in (("x.csv", "not 'x.csv'"), ("none/x.npz", "no such folder")):
        with pytest.raises(TengenError, match=message):
            main(["games", "export", str(folder), "-o", str(tmp_path / output)])
    with pytest.raises(TengenError, match="missing"):
        main(["games", "export", str(tmp_path / "missing"), "-o", str(tmp_path / "x.npz")])
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_failure_keeps_the_old_file(folder, tmp_path, kind, monkeypatch):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"x.{kind}"
    output.write_text("old")

    def fail(*arguments):
        yield from export_games(*arguments)
        raise OSError("disk full")

    monkeypatch.setattr("tengen.cli.games_export._write", _write_with(fail))
    with pytest.raises(OSError, match="disk full"):
        main(["games", "export", str(folder), "-o", str(output), "--workers", "1"])
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games", output.name]


def _write_with(export):
    """Return a replacement of `_write` that takes its batches from `export`."""

    def write(file, arguments, sampling, stop):
        for batch in export(arguments.paths, sampling, 1, stop):
            file.add(batch.tables, batch.games)

    return write


def test_interrupted_export_writes_the_positions_so_far(folder, tmp_path, capsys, monkeypatch):
    real = games_export.stop_on_interrupt

    def interrupted(stop):
        stop.set()
        return real(stop)

    monkeypatch.setattr(games_export, "stop_on_interrupt", interrupted)
    output = tmp_path / "x.npz"
    words = ["games", "export", str(folder), "-o", str(output), "--workers", "1"]
    assert main(words) == games_export.INTERRUPTED
    assert "Interrupted: the file holds" in capsys.readouterr().out
    assert np.load(output).files == ["games"]


def test_prints_a_summary(folder, tmp_path, capsys):
    main(["games", "export", str(folder), "-o", str(tmp_path / "x.npz"), "--workers", "1"])
    report = capsys.readouterr().out
    assert "9 positions from 3 games" in report
    assert "9x9: 7" in report
    assert "games skipped, setup later: 1" in report

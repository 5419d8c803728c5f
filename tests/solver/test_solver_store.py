"""Solver tables on disk and the solver player."""

import numpy as np
import pytest

from tengen.board import PASS, Position, rules_named
from tengen.cli.main import main
from tengen.solver import Solver, SolverPlayer, SolverSettings, load_table, save_table
from tengen.solver.kernels.memory import ENTRY, PROVED
from tengen.solver.kernels.table import insert_entries, pack
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


def solved(shape, **settings) -> Solver:
    solver = Solver(*shape, SolverSettings(**{"table_bits": 16, **settings}))
    solver.solve(Position(*shape))
    return solver


def test_loaded_table_saves_nodes(tmp_path):
    path = tmp_path / "table.npz"
    first = solved((3, 3))
    assert save_table(first.searcher, path) > 100
    for bits in (12, 18):
        again = Solver(3, 3, SolverSettings(table_bits=bits))
        load_table(again.searcher, path)
        solution = again.solve(Position(3, 3))
        assert (solution.low, solution.high) == (9, 9)
        assert solution.nodes < first.solution.nodes


def test_rejects_other_tables_and_damaged_files(tmp_path):
    path = tmp_path / "table.npz"
    save_table(solved((2, 2)).searcher, path)
    for searcher in (solved((1, 4)).searcher, solved((2, 2), power=2).searcher):
        with pytest.raises(TengenError, match="other settings"):
            load_table(searcher, path)
    whole = path.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], b"PK" + whole[4:]):
        path.write_bytes(damaged)
        with pytest.raises(TengenError, match="not a solver table"):
            load_table(solved((2, 2)).searcher, path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(TengenError, match="not a solver table"):
        load_table(solved((2, 2)).searcher, path)


def test_checks_that_the_table_is_writable_before_solving(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "table.npz", tmp_path):
        with pytest.raises(TengenError, match="cannot write a table to"):
            main(["solve", "2x2", "--table", str(path)])
    assert capsys.readouterr().out == ""
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file"]


def test_rejects_entries_of_wrong_shape(tmp_path):
    path = tmp_path / "table.npz"
    save_table(solved((2, 2)).searcher, path)
    with np.load(path) as table:
        about = table["about"]
    with path.open("wb") as file:
        np.savez(file, about=about, entries=np.zeros(5, np.uint64))
    with pytest.raises(TengenError, match="damaged"):
        load_table(solved((2, 2)).searcher, path)


def test_failed_save_keeps_the_old_table(tmp_path, monkeypatch):
    path = tmp_path / "table.npz"
    solver = solved((2, 2))
    save_table(solver.searcher, path)
    before = path.read_bytes()

    def die(*arrays, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", die)
    with pytest.raises(KeyboardInterrupt):
        save_table(solver.searcher, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_player_wins_the_whole_3x3_board():
    player = SolverPlayer(settings=SolverSettings(table_bits=16))
    position = Position(3, 3, rules_named("chinese"))
    turn = 0
    while not position.is_over:
        legal = position.legal_moves()
        move = player.move(position) if turn % 2 == 0 else (legal[0] if legal else PASS)
        position.play(move)
        turn += 1
    assert set(position.board().ravel()) <= {0, 1}


def test_player_rejects_unsupported_rules():
    with pytest.raises(TengenError, match="superko"):
        SolverPlayer().move(Position(3, 3, rules_named("japanese")))


def test_small_table_does_not_shrink_a_large_file(tmp_path):
    path = tmp_path / "table.npz"
    count = save_table(solved((3, 3)).searcher, path)
    small = Solver(3, 3, SolverSettings(table_bits=8))
    assert load_table(small.searcher, path) < count
    assert save_table(small.searcher, path) == count


def test_save_keeps_bounds_that_only_the_file_has(tmp_path):
    """A small table drops a position and later proves one of its bounds again."""
    path = tmp_path / "table.npz"
    for depths in ((PROVED, PROVED), (PROVED, 0), (0, PROVED)):
        searcher = Solver(2, 2, SolverSettings(table_bits=8)).searcher
        entry = np.array([(12345, 1, 2, pack(-1, 1, *depths, 0, 0))], dtype=ENTRY)
        insert_entries(searcher.state.table, 8, entry)
        save_table(searcher, path)
        with np.load(path) as file:
            (row,) = file["entries"].tolist()
        assert row == [12345, 1, 2, int(pack(-1, 1, PROVED, PROVED, 0, 0))]

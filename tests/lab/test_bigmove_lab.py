"""Experiments of paper 000: a small run of each, and their statistics."""

import json
import os

import numpy as np
import pytest

from tengen.board import Position, parse_vertex
from tengen.cli.main import main
from tengen.engine import parse_source
from tengen.lab.bigmove import timing
from tengen.lab.bigmove.gallery import collect_positions, line_of
from tengen.lab.bigmove.match import GROUPS, VARIANTS, chosen_variants
from tengen.lab.bigmove.predict import (
    COLUMNS,
    EMPTY,
    INHERIT_COLUMNS,
    PARENT,
    SCORERS,
    distance_of,
    games_by_chunk,
    means,
    rank,
    totals,
)
from tengen.lab.bigmove.solvers import CLOCK, THESIS_TIMES, longest, ranking, thesis_summary
from tengen.lab.study import CsvTable, Study
from tengen.records import read_games, record_from_position, sgf_bytes
from tengen.sources import CompiledSource
from tengen.util import SINGLE_THREAD_ENV, TengenError, single_thread_process


@pytest.fixture
def records(tmp_path):
    """A folder with two games of 14 moves that start alike up to symmetry."""
    folder = tmp_path / "records"
    folder.mkdir()
    opening = ("Q16", "D4", "Q4", "D16", "C6", "R14")
    mirrored = ("D16", "Q4", "D4", "Q16", "R6", "C14")
    for name, vertices in (("a", opening), ("b", mirrored)):
        position = Position(19)
        for vertex in vertices:
            position.play(parse_vertex(vertex, 19, 19))
        random = np.random.default_rng(1)
        for _ in range(8):
            position.play(int(random.choice(position.legal_moves())))
        (folder / f"{name}.sgf").write_bytes(sgf_bytes(record_from_position(position)))
    return folder


# Statistics


def test_ranks_share_ties():
    legal = np.array(Position(3).legal_moves())
    grid = np.array([[5.0, 4, 4], [3, 3, 3], [0, 0, 0]])
    at = {v: parse_vertex(v, 3, 3) for v in ("A3", "B3", "A2", "A1")}
    assert rank(legal, grid, at["A3"]) == (0, 1, 9)
    assert rank(legal, grid, at["B3"]) == (1, 2, 9)
    assert rank(legal, grid, at["A2"]) == (3, 3, 9)
    assert rank(legal, grid, at["A1"]) == (6, 3, 9)


def test_distance_from_stones_and_edge():
    position = Position(5)
    assert distance_of()(position)[2, 2] == 3
    assert distance_of()(position)[0, 0] == 1
    position.play(parse_vertex("C3", 5, 5))
    assert distance_of()(position)[2, 2] == 0
    assert distance_of()(position)[2, 1] == 1
    assert distance_of((1,))(Position(5))[1, 1] == 1


def test_lines_of_points():
    position = Position(19)
    lines = [line_of(position, parse_vertex(v, 19, 19)) for v in ("A1", "D4", "K10", "T10", "C12")]
    assert lines == [1, 4, 10, 1, 3]


def test_all_variants_are_valid_sources():
    for comparison in VARIANTS.values():
        assert isinstance(parse_source(comparison.prior.format(visits=160)), CompiledSource)


def test_variants_are_selected_by_name_and_group():
    assert list(chosen_variants("y0.9,tests")) == ["y0.9", *GROUPS["tests"]]
    with pytest.raises(TengenError, match="unknown match 'z'"):
        chosen_variants("z")


def test_thesis_statistics_are_reproduced():
    """The appendices give the means and coefficients of variation of section 4.2.4."""
    printed = {
        "scipy.sparse.linalg.eigsh": (7.113, 0.319),
        "scipy.sparse.linalg.eigs": (6.621, 0.257),
        "inverse power, Cholesky (banded)": (11.431, 0.166),
        "inverse power, LU": (19.240, 0.094),
        "power, vectorized": (143.9, 1.187),
    }
    for name, (mean, variation) in printed.items():
        assert thesis_summary(THESIS_TIMES[name].of_thousand) == (
            pytest.approx(mean, rel=1e-3),
            pytest.approx(variation, abs=1e-3),
        )


def test_common_positions_are_found_under_symmetry(records):
    found = collect_positions(read_games(records), common=2, late=1)
    assert [position.name for position in found] == [
        "common 1, after 4 moves",
        "common 2, after 6 moves",
    ]
    assert sum(found[0].played.values()) == 2
    assert len(found[0].played) == 1, "both games continue alike"


# Commands


def test_predict_resumes(records, tmp_path):
    command = ["lab", "bigmove", "predict", "-o", str(tmp_path / "p"), "--records", str(records)]
    assert main([*command, "--moves", "6"]) == 0
    written = (tmp_path / "p" / "counts.csv").read_text()
    assert main([*command, "--moves", "6"]) == 0
    assert (tmp_path / "p" / "counts.csv").read_text() == written
    study = Study(
        tmp_path / "p",
        "The big move: moves of experts",
        {"games": str(records), "moves": 6},
    )
    counts = study.table("counts", COLUMNS)
    rates = totals(counts, study.table("chunks", ("chunk", "games")))
    assert set(rates) == set(SCORERS)
    assert rates["p1"]["positions"] == 12
    assert rates["random legal move"]["top1"] == pytest.approx(1 / 359, rel=0.02)
    assert (tmp_path / "p" / "report.html").is_file()


def test_games_are_counted_once_after_growing_the_study(records, tmp_path, capsys):
    out = tmp_path / "p"
    command = ["lab", "bigmove", "predict", "-o", str(out), "--records", str(records)]
    for games in ("1", "2", "1"):
        assert main([*command, "--moves", "6", "--games", games]) == 0
    assert "2 games." in (out / "report.html").read_text()
    chunks = CsvTable(out / "chunks.csv", ("chunk", "games"))
    assert games_by_chunk(chunks) == {"0": 2}
    assert totals(CsvTable(out / "counts.csv", COLUMNS), chunks)["p1"]["positions"] == 12
    with pytest.raises(SystemExit):
        main([*command, "--moves", "0"])
    assert "'0' is not a positive integer" in capsys.readouterr().err


def test_interrupted_chunk_counts_once(tmp_path):
    study = Study(tmp_path, "t", {})
    counts, chunks = study.table("counts", COLUMNS), study.table("chunks", ("chunk", "games"))
    row = dict.fromkeys(COLUMNS, 2) | {"scorer": "p1", "from_move": 0}
    counts.add(**(row | {"chunk": 0}))
    counts.add(**(row | {"chunk": 0}))
    counts.add(**(row | {"chunk": 1}))
    chunks.add(chunk=0, games=1)
    assert totals(counts, chunks)["p1"]["positions"] == 2


def test_inherit_counts_iterations_and_resumes(records, tmp_path):
    out = tmp_path / "i"
    command = ["lab", "bigmove", "inherit", "-o", str(out), "--records", str(records)]
    for _ in range(2):
        assert main([*command, "--moves", "6", "--residual", "1e-6", "--residual", "1e-2"]) == 0
    table = Study(
        out,
        "The big move: starting from the previous mode",
        {"games": str(records), "moves": 6},
    ).table("steps", INHERIT_COLUMNS)
    assert len(table.rows) == 2 * 3 * 2 * 2, "games, variants, residuals, starts: each once"
    found = {(row["variant"], row["from"], row["residual"]): row for row in means(table)}
    fine, rough = found["p2", PARENT, "1e-06"], found["p2", PARENT, "0.01"]
    assert fine["positions"] == 12
    assert fine["same biggest move"] == "100.0%"
    assert float(str(rough["steps"])) < float(str(fine["steps"]))
    assert found["p2", EMPTY, "1e-06"]["same biggest move"] == "100.0%"


def test_gallery(records, tmp_path):
    command = ["lab", "bigmove", "gallery", "-o", str(tmp_path / "g"), "--records", str(records)]
    for _ in range(2):
        assert main([*command, "--positions", "1", "--late", "0"]) == 0
    rows = (tmp_path / "g" / "moves.csv").read_text().splitlines()
    assert len(rows) == 1 + 3
    assert "K10" in rows[1]
    for name in ("board-0.png", "board-0.svg", "surface-0.png", "report.html"):
        assert (tmp_path / "g" / name).is_file()


def test_rejects_archives_without_suitable_games(tmp_path):
    (tmp_path / "empty").mkdir()
    for experiment in ("gallery", "predict", "inherit"):
        with pytest.raises(TengenError, match="no 19x19 games"):
            main(
                ["lab", "bigmove", experiment, "--records", str(tmp_path / "empty")]
                + ["-o", str(tmp_path / experiment)]
            )


def test_solvers(tmp_path, monkeypatch):
    def fail(*_arguments):
        raise AssertionError("timed in this process, whose libraries may have many threads")

    monkeypatch.setattr(timing, "time_method", fail)
    methods = "tengen;scipy.sparse.linalg.eigsh;inverse power, Cholesky (banded)"
    command = ["lab", "bigmove", "solvers", "-o", str(tmp_path), "--methods", methods]
    assert main([*command, "--iterations", "1,3", "--most", "5"]) == 0
    study = Study(
        tmp_path,
        "The big move: eigenvector methods",
        {"tolerance": 1e-6, "clock": CLOCK},
    )
    times = study.table("times", ("method", "board", "iterations", "factor_s", "iterate_s"))
    first = study.table("first-calls", ("method", "empty", "fuseki", "endgame"))
    assert len(times.rows) == 3 * 3 * 2
    rows = {row["method"]: row for row in ranking(times, first)}
    assert rows["tengen"]["rank"] == 1
    assert rows["tengen"]["thesis rank"] == ""
    assert rows["scipy.sparse.linalg.eigsh"]["thesis rank"] == 2
    assert rows["inverse power, Cholesky (banded)"]["factorization ms"] > 0
    assert all(float(str(row["overhead s"])) > 0.1 for row in rows.values())
    with pytest.raises(TengenError, match="unknown method"):
        main([*command[:-1], "magic"])


def test_methods_are_timed_on_one_thread():
    before = dict(os.environ)
    with single_thread_process() as process:
        for name in SINGLE_THREAD_ENV:
            assert process.submit(os.getenv, name).result() == "1"
    assert dict(os.environ) == before


def test_measurement_with_most_iterations_is_used(tmp_path):
    columns = ("method", "board", "iterations", "factor_s", "iterate_s")
    times = CsvTable(tmp_path / "times.csv", columns)
    for iterations in (5, 100, 10):
        times.add(method="m", board="empty", iterations=iterations, factor_s=0, iterate_s=1)
    assert longest(times, "m")["empty"]["iterations"] == "100"


def test_match(tmp_path):
    command = ["lab", "bigmove", "match", "-o", str(tmp_path), "--size", "5", "--playouts", "4"]
    assert main([*command, "--matches", "test4", "--games", "2"]) == 0
    assert main([*command, "--matches", "test4,whole", "--games", "2"]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "test4" in page
    assert "whole" in page
    assert "48 %" in page


# Benchmark


def test_bench(capsys):
    methods = "tengen;scipy.sparse.linalg.eigsh;scipy.sparse.linalg.eigsh(sigma=0)"
    assert main(["bench", "bigmove", "--seconds", "0.5", "--methods", methods, "--json"]) == 0
    rows = {row["method"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert set(methods.split(";")) < set(rows)
    for board in ("empty", "fuseki", "endgame"):
        assert all(row[f"{board}_us"] > 0 and row[f"{board}_ratio"] > 0 for row in rows.values())
        moves = {rows[method][f"{board}_move"] for method in methods.split(";")}
        assert len(moves) == 1, "all methods find the same move"
        assert rows["tengen"][f"{board}_residual"] <= 1e-6
    assert "tengen, from the parent's mode" in rows

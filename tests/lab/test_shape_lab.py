"""Experiments of paper 004: a small run of each."""

import argparse
import csv

import numpy as np
import pytest

from tengen.cli.main import main
from tengen.engine import EngineSettings
from tengen.lab.shape import accuracy, predict
from tengen.lab.shape.accuracy import Exact, exact_counts, sloppy_rates
from tengen.lab.shape.book import WITH, comparisons, variants
from tengen.lab.shape.predict import cut, first_games
from tengen.lab.study import CsvTable
from tengen.records import find_documents
from tengen.sources import ShapeSettings, ShapeTables
from tengen.sources.kernels.shape_tables import count_patterns, look_up_sizes
from tengen.util import TengenError

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def folder(reference_data, tmp_path_factory):
    """Two files of games: one to learn from, one held out."""
    folder = tmp_path_factory.mktemp("games")
    document = next(find_documents(reference_data / "games" / "small-9x9.tar.xz"))
    first, second = (document.data.index(b"(;", place) for place in (30_000, 60_000))
    (folder / "learn.sgf").write_bytes(document.data[:first])
    (folder / "aside.sgf").write_bytes(document.data[first:second])
    return folder


def test_number_of_games_is_limited(folder):
    games = list(first_games([str(folder)], 10))
    assert sum(map(len, games)) == 10
    assert len(cut(games[0], 3).codes) == games[0].starts[3]
    with pytest.raises(TengenError, match="cannot read"):
        list(first_games([str(folder / "none")], 1))


def test_array_tables_match_the_kernels(folder):
    exact = exact_counts([str(folder)], 30, 1)
    assert [one.size for one in exact] == [3, 5, 7, 9]
    assert len({int(one.seen.sum()) for one in exact}) == 1
    for ring in (0, 2):
        one = exact[ring]
        bits = ["0"] * 4
        bits[ring] = "7"
        tables = ShapeTables(ShapeSettings(tables=3, bits=",".join(bits)))
        for outcome, counts in enumerate((one.wins, one.losses)):
            keys = np.zeros((int(counts.sum()), 4), dtype=np.uint64)
            keys[:, ring] = np.repeat(one.keys, counts)
            outcomes = np.full(len(keys), outcome, dtype=np.uint8)
            count_patterns(keys, outcomes, tables.parameters(), tables.counts)
        numbers, slots = tables.parameters(), tables.slots()
        expected = sloppy_rates(one, 3, 7).mean
        rates, leasts = np.zeros((2, 4), dtype=np.float32)
        for index in range(0, len(one.keys), 17):
            keys = np.zeros(4, dtype=np.uint64)
            keys[ring] = one.keys[index]
            look_up_sizes(keys, numbers, slots, rates, leasts)
            assert rates[ring] == pytest.approx(expected[index], abs=1e-5)


def test_all_rates_are_exact_without_collisions():
    exact = Exact(
        3, np.arange(5, dtype=np.uint64), np.array([0, 1, 5, 2, 9]), np.array([3, 0, 5, 6, 1])
    )
    for rates in sloppy_rates(exact, 4, 20):
        assert rates == pytest.approx(exact.rates)


def rows_of(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_accuracy(folder, tmp_path):
    words = ["lab", "shape", "accuracy", str(folder), "-n", "30", "-o", str(tmp_path / "out")]
    words += ["--tables", "1,4", "--bits", "8,20"]
    assert main(words) == 0
    rows = rows_of(tmp_path / "out" / "accuracy.csv")
    large = [r for r in rows if r["bits"] == "20" and r["tables"] == "4" and r["seen"] == "all"]
    assert all(float(row["within_5"]) > 0.98 for row in large)
    once = [r for r in rows if r["bits"] == "8" and r["tables"] == "4" and r["seen"] == "1"]
    far = {row["size"]: float(row["mean_rate"]) for row in once if row["reading"] == "mean"}
    assert 0.4 < far["7"] < 0.6
    assert main(words) == 0, "run again, it finds all rows there"
    assert rows_of(tmp_path / "out" / "accuracy.csv") == rows
    for wrong in (["-n", "0"], ["--tables", "0"], ["--bits", "8,x"]):
        with pytest.raises(SystemExit):
            main([*words, *wrong])
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def test_played(folder, tmp_path):
    out = tmp_path / "out"
    assert main(["lab", "shape", "played", str(folder), "-n", "20", "-o", str(out)]) == 0
    rows = [row for row in rows_of(out / "played.csv") if row["least"] == "1"]
    never = {row["size"]: float(row["of_all"]) for row in rows if row["share"] == "never"}
    assert 0.1 < never["3"] < never["9"] < 1.0
    for size in "3579":
        assert sum(float(row["of_all"]) for row in rows if row["size"] == size) == pytest.approx(
            1.0, abs=1e-3
        )


def test_predict(folder, tmp_path):
    out = tmp_path / "out"
    words = ["lab", "shape", "predict", str(folder), "--held-out", "aside", "--test", "5"]
    assert main([*words, "--steps", "20", "-o", str(out)]) == 0
    rows = rows_of(out / "prediction.csv")
    assert {row["tables"] for row in rows} == {"bundled", "paper", "bundled settings"}
    best = {
        row["tables"]: float(row["top_1"])
        for row in rows
        if row["way"] == "combined" and row["phase"] == "all"
    }
    assert best["bundled"] > best["paper"], "a hundred thousand games know more than twenty"
    text = (out / "prediction.csv").read_text()
    assert main([*words, "--steps", "20", "-o", str(out)]) == 0, "run again, it finds all there"
    assert (out / "prediction.csv").read_text() == text
    with pytest.raises(TengenError, match="no file name contains"):
        main([*words[:4], "--held-out", "nothing", "-o", str(tmp_path / "other")])


def test_learned_tables_count_their_games(folder, tmp_path, capsys):
    """Files have 3 games; a step is reached with whole files and no extra file is learned."""
    games = (folder / "learn.sgf").read_bytes().split(b"(;")[1:13]
    for number in range(4):
        text = b"".join(b"(;" + game for game in games[3 * number : 3 * number + 3])
        (tmp_path / f"{number}.sgf").write_bytes(text)
    found = predict.learned(find_documents(tmp_path), ShapeSettings(bits="8"), [7, 2, 3, 20])
    assert [(step, tables.games) for step, tables in found] == [(2, 3), (3, 3), (7, 9)]
    assert "skipping step 20: only 12 games" in capsys.readouterr().err


def test_missing_boards_are_predicted(tmp_path):
    table = CsvTable(tmp_path / "p.csv", ["tables", "step", "board"])
    table.add(tables="paper", step=1000, board="9x9")
    assert predict.missing_boards(table, "paper", 1000, {9: [], 19: []}) == [19]
    assert predict.missing_boards(table, "paper", 4000, {9: [], 19: []}) == [9, 19]


def test_missing_sizes_are_counted(folder, tmp_path, monkeypatch):
    words = ["lab", "shape", "played", str(folder), "-n", "5", "-o", str(tmp_path)]
    count = accuracy._played_rows

    def stopped(size, *rest):
        if size == 5:
            raise KeyboardInterrupt
        return count(size, *rest)

    monkeypatch.setattr(accuracy, "_played_rows", stopped)
    with pytest.raises(KeyboardInterrupt):
        main(words)
    monkeypatch.undo()
    assert main(words) == 0
    sizes = [row["size"] for row in rows_of(tmp_path / "played.csv")]
    assert [sizes.count(size) for size in "3579"] == [sizes.count("3")] * 4


def test_missing_opponent_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["lab", "shape", "match", "-o", str(tmp_path / "out"), "--opponent", "gnugo:gnugo -x"]
    with pytest.raises(TengenError, match="program not found: 'gnugo'"):
        main(words)


def test_unbalanced_quote_is_reported(tmp_path):
    words = ["lab", "shape", "match", "-o", str(tmp_path / "out"), "--opponent", "gnugo:gnugo '-x"]
    with pytest.raises(TengenError, match="invalid command line .*: No closing"):
        main(words)


def test_match_compares_with_and_without_patterns(tmp_path, capsys):
    words = ["lab", "shape", "match", "-o", str(tmp_path), "--pace", "playouts=5", "--size", "5"]
    words += ["--games", "2", "--book", "default"]
    assert main(words) == 0
    page = (tmp_path / "report.html").read_text()
    for name, about in WITH.items():
        assert (tmp_path / f"{name}.sqlite").exists()
        assert f"{about} vs. none" in page
    capsys.readouterr()


def test_only_selected_matches_are_played():
    arguments = argparse.Namespace(pace="playouts=5", engine="", visits=80.0, book="default")
    arguments.opponent, arguments.matches = ["twin:tengen playouts=5"], ["both", "plain-twin"]
    assert [comparison.name for comparison in comparisons(arguments)] == ["both", "plain-twin"]
    arguments.matches = ["triple"]
    with pytest.raises(TengenError, match="unknown match 'triple': use one of book, book-twin"):
        comparisons(arguments)


def test_plain_player_has_no_patterns():
    arguments = argparse.Namespace(pace="playouts=5", engine="", visits=80.0, book="")
    plain, prior = (
        EngineSettings().with_overrides(text.split()[1:]) for text in variants(arguments).values()
    )
    assert (plain.priors.shape, prior.priors.shape) == (0, 80)
    assert not plain.sources
    assert not prior.sources

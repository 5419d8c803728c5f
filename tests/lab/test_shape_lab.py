"""The experiments on pattern tables, in small."""

import argparse
import csv

import numpy as np
import pytest

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.settings import EngineSettings
from tengen.knowledge.kernels.shape_tables import count_patterns, look_up_sizes
from tengen.knowledge.shape_tables import ShapeSettings, ShapeTables
from tengen.lab.shape import played, predict
from tengen.lab.shape.exact import Exact, exact_counts, sloppy_rates
from tengen.lab.shape.games import cut, first_games
from tengen.lab.shape.match import WITH, contests, variants
from tengen.lab.study import Table
from tengen.records.source import documents

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def folder(shared, tmp_path_factory):
    """Two files of games: one to learn from, one to keep aside."""
    folder = tmp_path_factory.mktemp("games")
    document = next(documents(shared / "games" / "small-9x9.tar.xz"))
    first, second = (document.data.index(b"(;", place) for place in (30_000, 60_000))
    (folder / "learn.sgf").write_bytes(document.data[:first])
    (folder / "aside.sgf").write_bytes(document.data[first:second])
    return folder


def test_games_are_cut_to_number(folder):
    games = list(first_games([str(folder)], 10))
    assert sum(map(len, games)) == 10
    assert len(cut(games[0], 3).words) == games[0].starts[3]
    with pytest.raises(TengenError, match="cannot read"):
        list(first_games([str(folder / "none")], 1))


def test_tables_by_arithmetic_are_those_of_the_kernels(folder):
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
            count_patterns(keys, outcomes, tables.numbers(), tables.counts)
        numbers, slots = tables.numbers(), tables.slots()
        expected = sloppy_rates(one, 3, 7).mean
        rates, leasts = np.zeros((2, 4), dtype=np.float32)
        for index in range(0, len(one.keys), 17):
            keys = np.zeros(4, dtype=np.uint64)
            keys[ring] = one.keys[index]
            look_up_sizes(keys, numbers, slots, rates, leasts)
            assert rates[ring] == pytest.approx(expected[index], abs=1e-5)


def test_all_readings_are_exact_without_collisions():
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
    words = ["lab", "shape", "predict", str(folder), "--held", "aside", "--test", "5"]
    assert main([*words, "--steps", "20", "-o", str(out)]) == 0
    rows = rows_of(out / "prediction.csv")
    assert {row["tables"] for row in rows} == {"shipped", "paper", "shipped settings"}
    best = {
        row["tables"]: float(row["top_1"])
        for row in rows
        if row["way"] == "combined" and row["phase"] == "all"
    }
    assert best["shipped"] > best["paper"], "a hundred thousand games know more than twenty"
    text = (out / "prediction.csv").read_text()
    assert main([*words, "--steps", "20", "-o", str(out)]) == 0, "run again, it finds all there"
    assert (out / "prediction.csv").read_text() == text
    with pytest.raises(TengenError, match="no file has"):
        main([*words[:4], "--held", "nothing", "-o", str(tmp_path / "other")])


def test_tables_know_as_many_games_as_they_say(folder, tmp_path, capsys):
    """Files of 3 games: a step is reached with whole files, and none is learned in vain."""
    games = (folder / "learn.sgf").read_bytes().split(b"(;")[1:13]
    for number in range(4):
        text = b"".join(b"(;" + game for game in games[3 * number : 3 * number + 3])
        (tmp_path / f"{number}.sgf").write_bytes(text)
    found = predict.learned(documents(tmp_path), ShapeSettings(bits="8"), [7, 2, 3, 20])
    assert [(step, tables.games) for step, tables in found] == [(2, 3), (3, 3), (7, 9)]
    assert "no step of 20: there are 12 games" in capsys.readouterr().err


def test_boards_that_are_missing_are_foretold(tmp_path):
    table = Table(tmp_path / "p.csv", ["tables", "step", "board"])
    table.add(tables="paper", step=1000, board="9x9")
    assert predict.missing_boards(table, "paper", 1000, {9: [], 19: []}) == [19]
    assert predict.missing_boards(table, "paper", 4000, {9: [], 19: []}) == [9, 19]


def test_sizes_that_are_missing_are_counted(folder, tmp_path, monkeypatch):
    words = ["lab", "shape", "played", str(folder), "-n", "5", "-o", str(tmp_path)]
    count = played._rows

    def stopped(size, *rest):
        if size == 5:
            raise KeyboardInterrupt
        return count(size, *rest)

    monkeypatch.setattr(played, "_rows", stopped)
    with pytest.raises(KeyboardInterrupt):
        main(words)
    monkeypatch.undo()
    assert main(words) == 0
    sizes = [row["size"] for row in rows_of(tmp_path / "played.csv")]
    assert [sizes.count(size) for size in "3579"] == [sizes.count("3")] * 4


def test_a_missing_opponent_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["lab", "shape", "match", "-o", str(tmp_path / "out"), "--opponent", "gnugo:gnugo -x"]
    with pytest.raises(TengenError, match="there is no program 'gnugo' here"):
        main(words)


def test_a_command_with_an_open_quote_is_told(tmp_path):
    words = ["lab", "shape", "match", "-o", str(tmp_path / "out"), "--opponent", "gnugo:gnugo '-x"]
    with pytest.raises(TengenError, match="cannot read the command line .*: No closing"):
        main(words)


def test_the_match_is_with_patterns_against_without(tmp_path, capsys):
    words = ["lab", "shape", "match", "-o", str(tmp_path), "--pace", "playouts=5", "--size", "5"]
    words += ["--games", "2", "--book", "shipped"]
    assert main(words) == 0
    page = (tmp_path / "report.html").read_text()
    for name, about in WITH.items():
        assert (tmp_path / f"{name}.sqlite").exists()
        assert f"{about} - without" in page
    capsys.readouterr()


def test_only_the_contests_that_are_named_are_played():
    arguments = argparse.Namespace(pace="playouts=5", engine="", visits=80.0, book="shipped")
    arguments.opponent, arguments.contests = ["twin:tengen playouts=5"], ["both", "plain-twin"]
    assert [contest.name for contest in contests(arguments)] == ["both", "plain-twin"]
    arguments.contests = ["triple"]
    with pytest.raises(TengenError, match="no contest 'triple': there are book, book-twin"):
        contests(arguments)


def test_the_plain_player_knows_no_patterns():
    arguments = argparse.Namespace(pace="playouts=5", engine="", visits=80.0, book="")
    plain, prior = (
        EngineSettings().with_words(text.split()[1:]) for text in variants(arguments).values()
    )
    assert (plain.priors.shape, prior.priors.shape) == (0, 80)
    assert not plain.sources
    assert not prior.sources

"""Quality of book moves."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from database_helpers import store_of

from tengen.board import parse_vertex
from tengen.cli.main import main
from tengen.engine.book import BuildSettings, build_book, read_book, write_book
from tengen.lab.shape.book import (
    by_weights,
    known_positions,
    read_labeled,
    searches_of,
    summary,
)
from tengen.lab.study import Study
from tengen.records import read_bytes
from tengen.records.database import GameIndex
from tengen.util import TengenError


@pytest.fixture
def folder(tmp_path) -> Path:
    """A book whose games start at a 3-3 point, and labels of a network that prefers E5."""
    points = [f"{column}{row}" for column in "abdefhi" for row in "abdef"]
    text = "".join(f"(;SZ[9]RE[B+R];B[cc];W[gg];B[{point}])" for point in points)
    store = store_of(list(read_bytes(text.encode())))
    shelf = GameIndex(9, 9, store.chunks(9, 9))
    write_book(build_book([shelf], BuildSettings(min_games=1)), tmp_path / "b")
    games = [{"size": 9, "komi": 6.5, "moves": moves} for moves in ("C7 G3", "G3 C7", "A1 E5")]
    (tmp_path / "games.json").write_text(json.dumps(games))
    # The last game is not listed, as after an interrupted labeling run.
    rows = [(game, turn) for game in range(4) for turn in (0, 1)]
    policy = np.zeros((len(rows), 32))
    policy[:, :5] = (0.5, 0.1, 0.1, 0.1, 0.1)
    moves = np.full((len(rows), 32), 81)
    moves[:, :5] = (40, 20, 24, 56, 60)
    np.savez(
        tmp_path / "labels-9.npz",
        game=np.array([game for game, _ in rows]),
        turn=np.array([turn for _, turn in rows]),
        policy_move=moves,
        policy=policy,
        black_win=np.full(len(rows), 0.5),
        black_lead=np.zeros(len(rows)),
        ownership=np.zeros((len(rows), 81), dtype=np.int8),
    )
    return tmp_path


def test_labels_are_board_points(folder):
    first = next(iter(read_labeled(folder, 9)))
    assert first.policy[parse_vertex("E5", 9, 9)] == 0.5
    assert first.policy[parse_vertex("G7", 9, 9)] == 0.1


def test_position_has_the_komi_of_its_game(folder):
    """The labels use this komi."""
    assert {labeled.position.rules.komi for labeled in read_labeled(folder, 9)} == {6.5}


def test_labels_of_unlisted_games_are_ignored(folder):
    assert [labeled.game for labeled in read_labeled(folder, 9)] == [0, 0, 1, 1, 2, 2]


def test_symmetric_positions_count_once(folder):
    """Six rows: the empty board three times, a 3-3 stone twice, one unknown position."""
    found = list(known_positions(folder, 9, read_book(folder / "b")))
    assert [(one.game, one.turn) for one, _ in found] == [(0, 0), (0, 1)]


def test_weights_are_compared(folder):
    rows = by_weights(list(known_positions(folder, 9, read_book(folder / "b"))))
    assert len(rows) == 15
    # Four symmetric corners on the empty board; the opposite corner after the stone.
    assert {row["mean probability"] for row in rows} == {f"{(0.4 + 0.1) / 2:.3f}"}


def test_book_experiment(folder, capsys):
    words = ["lab", "shape", "book", str(folder), "--book", str(folder / "b"), "--playouts", "5"]
    for _ in range(2):
        assert main([*words, "-o", str(folder / "out")]) == 0
    rows = (folder / "out" / "positions.csv").read_text().splitlines()
    assert len(rows) == 3, "the second run found all done"
    empty = next(row.split(",") for row in rows if row.startswith("0,0,"))
    # Four symmetric corners of 0.1 each, against 0.5 of the network.
    columns = (folder / "out" / "positions.csv").read_text().splitlines()[0].split(",")
    values = dict(zip(columns, empty, strict=True))
    assert float(values["book_p"]) == pytest.approx(0.4)
    assert float(values["best_p"]) == pytest.approx(0.5)
    printed = capsys.readouterr().out
    assert "search without book and SHAPE, positions: 2" in printed
    assert "first choice of SHAPE, positions: 2" in printed


def test_plain_search_does_not_use_shape():
    searches = searches_of(playouts=5, seed=1)
    assert searches["plain"].settings.priors.shape == 0
    assert searches["prior"].settings.priors.shape > 0


def test_other_settings_are_rejected(folder):
    words = ["lab", "shape", "book", str(folder), "--book", str(folder / "b"), "--playouts", "5"]
    assert main([*words, "-o", str(folder / "out")]) == 0
    elsewhere = folder.parent / "elsewhere"
    shutil.copytree(folder, elsewhere)
    with pytest.raises(TengenError, match="other settings"):
        main([*words[:3], str(elsewhere), *words[4:], "-o", str(folder / "out")])


def test_empty_study_has_no_summary(tmp_path):
    assert summary(Study(tmp_path / "s", "t", {}).table("positions", ["book_p"])) == []


def test_rejects_folders_without_labels(tmp_path):
    with pytest.raises(TengenError, match="is not a label folder"):
        list(read_labeled(tmp_path, 9))
    (tmp_path / "games.json").write_text("[]")
    with pytest.raises(TengenError, match="has no labels of 9x9"):
        list(read_labeled(tmp_path, 9))

"""Shape learning: against an oracle, in any order, with any number of threads."""

import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest
from shape_oracle import square

from tengen.board import Color, Position
from tengen.lab.shape.predict import COMBINED, predict
from tengen.records import Document, MoveSequences, find_documents, read_moves
from tengen.sources import (
    BUNDLED_TABLES,
    Learner,
    ShapeSettings,
    ShapeTables,
    digest_of,
    learn,
    load_tables,
    sample_batches,
)
from tengen.sources.kernels.shape_keys import RINGS
from tengen.sources.kernels.shape_tables import LOSS, WIN, new_scratch
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

SMALL = ShapeSettings(bits="10")


def some_games(reference_data, collection: str, part: int, count: int) -> bytes:
    """Return the first games of one file of a collection."""
    for number, document in enumerate(
        find_documents(reference_data / "games" / f"{collection}.tar.xz")
    ):
        if number == part:
            at = -1
            for _ in range(count + 1):
                at = document.data.index(b"(;", at + 1)
            return document.data[:at]
    raise AssertionError("no such part")


@pytest.fixture(scope="module")
def collection(reference_data, tmp_path_factory):
    """A folder with four files of games on two board sizes."""
    folder = tmp_path_factory.mktemp("games")
    for number, (name, count) in enumerate(
        [("small-9x9", 60), ("pro", 20), ("tom-9d", 30), ("tygem-9d", 10)]
    ):
        (folder / f"{number}.sgf").write_bytes(some_games(reference_data, name, 1, count))
    (folder / "broken.sgf").write_bytes(b"(;SZ[9];B[aa];W[aa])(;SZ[9];B[cc];W[dd])(;SZ[25];B[aa])")
    return folder


def learned(paths, settings=SMALL, workers=1, **options) -> ShapeTables:
    tables = ShapeTables(settings)
    learn(tables, [str(path) for path in paths], workers, threading.Event(), **options)
    return tables


def test_order_and_threads_do_not_matter(collection):
    files = sorted(collection.iterdir())
    one = learned([collection])
    assert one.games == 121
    assert one.broken == 2
    for paths, workers in ((files[::-1], 1), ([collection], 3), (files[2:] + files[:2], 2)):
        other = learned(paths, workers=workers)
        assert (other.counts == one.counts).all()
        assert {**other.about(), "documents": 0} == {**one.about(), "documents": 0}
        assert other.documents.keys() == one.documents.keys()


def test_adds_new_files_only_once(collection):
    files = sorted(collection.iterdir())
    tables = learned(files[:2])
    for _ in range(2):
        learn(tables, [str(collection)], 2, threading.Event())
    assert (tables.counts == learned([collection]).counts).all()


def test_stops_between_files(collection):
    stop = threading.Event()
    tables = ShapeTables(SMALL)
    learn(tables, [str(collection)], 1, stop, learned=lambda tables: stop.set())
    assert len(tables.documents) == 1
    learn(tables, [str(collection)], 1, threading.Event())
    assert (tables.counts == learned([collection]).counts).all()


def test_rejects_missing_path_before_learning(collection):
    tables = ShapeTables(SMALL)
    with pytest.raises(TengenError, match="nowhere"):
        learn(tables, [str(collection), "nowhere.sgf"], 1, threading.Event())
    assert not tables.documents


def test_failing_thread_stops_the_others():
    """One thread fails at the first file while the other waits for the second; no third is read."""

    def wanted():
        yield Document("a.sgf", b"(;SZ[9];B[cc];W[dd])")
        assert learner._failed.wait(60)
        yield Document("b.sgf", b"(;SZ[9];B[dd];W[cc])")
        pytest.fail("a third file is asked for")

    def learned(tables):
        if len(tables.documents) == 1:
            raise ValueError("failed")

    learner = Learner(ShapeTables(SMALL), wanted(), threading.Event(), learned)
    with pytest.raises(ValueError, match="failed"):
        learner.run(2)


CHILD = """
import sys, threading
from tengen.sources.shape import save_tables
from tengen.sources.shape import ShapeSettings, ShapeTables
from tengen.sources.shape_learning import learn

def learned(tables):
    print(len(tables.documents), flush=True)
    while True:
        save_tables(tables, sys.argv[2])
        if len(tables.documents) < 3:
            break

learn(ShapeTables(ShapeSettings(bits="10")), [sys.argv[1]], 1, threading.Event(), learned=learned)
"""


def test_killed_process_leaves_consistent_tables(collection, tmp_path):
    """The child saves in a loop after its third file and is killed meanwhile."""
    path = tmp_path / "tables.bin"
    words = [sys.executable, "-c", CHILD, str(collection), str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        for number in (1, 2, 3):
            assert child.stdout.readline() == f"{number}\n"
        child.kill()
    tables = load_tables(path)
    assert len(tables.documents) in (2, 3)
    learn(tables, [str(collection)], 1, threading.Event())
    whole = learned([collection])
    assert tables.games == whole.games
    assert np.array_equal(tables.counts, whole.counts)


def test_excludes_files_by_name(collection):
    without = learned([collection], without=["/1.", "broken"])
    assert without.games == 100
    assert without.broken == 0


def samples_of(data: bytes, marks: int = 1) -> tuple[MoveSequences, np.ndarray, np.ndarray]:
    games = read_moves(Document("x.sgf", data))
    found = list(sample_batches(games, np.uintp(marks), new_scratch()))
    return games, np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def test_played_moves_are_wins(reference_data):
    """Replay games in plain Python: each win is the played pattern, in order."""
    games, keys, outcomes = samples_of(some_games(reference_data, "small-9x9", 0, 5))
    texts: dict[tuple[int, int], str] = {}
    row = 0
    for game in range(len(games)):
        position = Position(*games.sizes[game].tolist())
        for word in games.codes[games.starts[game] : games.starts[game + 1]].tolist():
            point, color = word & 511, Color(word >> 9 & 3)
            position.to_play = color
            if point:
                assert outcomes[row] == WIN
                for ring in range(int(RINGS)):
                    text = square(position, point, ring)
                    assert texts.setdefault((ring, int(keys[row, ring])), text) == text
                row += 1 + (outcomes[row + 1 : row + 2].tolist() == [LOSS])
            position.play(point, color)
    assert row == len(outcomes)


def test_losses_are_uniform_over_other_legal_moves(reference_data):
    """After Black's center move on 5x5, all other points are equally likely."""
    letters = "abcde"
    others = [x + y for x in letters for y in letters if x + y != "cc"]
    games = "".join(
        f"(;SZ[5];B[cc];W[{a}];B[{b}];W[{c}])"
        for a in others
        for b in others
        if b != a
        for c in others[:3]
        if c not in (a, b)
    )
    _, keys, outcomes = samples_of(games.encode(), marks=0)
    first_losses = [keys[i + 1, 3] for i in range(len(keys) - 1) if _is_first(keys, outcomes, i)]
    drawn = Counter(int(key) for key in first_losses)
    assert len(drawn) == 24
    expected = len(first_losses) / 24
    chi_square = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert chi_square < 60, "24 equal points: above 60 once in 100,000 runs"


def _is_first(keys: np.ndarray, outcomes: np.ndarray, index: int) -> bool:
    """Return whether a sample is the win of a first move; these share one key."""
    return bool(outcomes[index] == WIN and keys[index, 3] == keys[0, 3])


def test_broken_games_give_no_samples():
    _, keys, _ = samples_of(b"(;SZ[9];B[aa];W[aa];B[bb])")
    assert len(keys) == 0


def test_bundled_tables_predict_held_out_games(reference_data):
    """Better than the rates of any single pattern size."""
    bundled = load_tables(BUNDLED_TABLES)
    held_out = next(find_documents(reference_data / "games" / "tygem-9d.tar.xz"))
    assert digest_of(held_out.data) not in bundled.documents
    train, test = (
        some_games(reference_data, "tygem-9d", 1, 600),
        some_games(reference_data, "tygem-9d", 0, 40),
    )
    small = ShapeTables(ShapeSettings(tables=1, bits="22,0,0,0"))
    wanted = iter([Document("train.sgf", train)])
    Learner(small, wanted, threading.Event(), lambda tables: None).run(1)
    games = read_moves(Document("test.sgf", test))
    ours, theirs = predict(bundled, games), predict(small, games)
    assert len(ours.ranks) > 6000
    assert ours.top(1) > 1.5 * theirs.top(1, 0)
    assert ours.mean_log_rank() < theirs.mean_log_rank(0) - 0.5
    assert ours.log_probability() > theirs.log_probability(0)
    for way in range(COMBINED):
        assert ours.mean_log_rank() < ours.mean_log_rank(way), "one size alone is worse"

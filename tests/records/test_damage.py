"""Damaged records: no crash, no hang, no loss without a warning, in any command."""

import copy
import io
import pickle
import random
import tarfile
import threading

import pytest

from tengen.bench.selfcheck import SEEDS, check_survival, mutate, random_case
from tengen.cli.main import main
from tengen.lab.shape.predict import first_games
from tengen.nets.training import usable_games
from tengen.records import ignore_warning, read_bytes, sgf_bytes
from tengen.sources import ShapeSettings, ShapeTables, learn


@pytest.mark.parametrize("data", SEEDS, ids=range(len(SEEDS)))
def test_undamaged_records(data):
    check_survival(data)


def test_mutated_records():
    rng = random.Random(20260)
    for _ in range(1800):
        check_survival(mutate(rng.choice(SEEDS), rng))
    for _ in range(200):
        check_survival(random_case(rng))


def test_random_bytes():
    data = random.Random(1).randbytes(1 << 20)
    warnings = []
    games = list(read_bytes(data, "noise", warnings.append))
    assert games or warnings


@pytest.mark.parametrize(
    "piece",
    [
        b"(", b")", b"[", b"]", b";", b"\\", b"(;", b"B[aa", b"C[a] x ", b";B[", b"(;B[aa]",
        b"C[[", b"]x", b"(;FF[4]", b"(;C[a]b]", b"A", b" ", b"A ", b"\x1b$B", b"\xe9", b"\xff\xfe",
        b"AB[aa:ss]", b"\\[", b"KM[", b";B[aa];W[aa]", b"(;GM[1])",
    ],
)  # fmt: skip
def test_time_is_linear_in_repetitions(piece):
    """A quadratic reader would exceed the time limit of the test."""
    data = b"(;SZ[19]C[x]" + piece * (500_000 // len(piece))
    assert any(game.rows == 19 for game in read_bytes(data, "many", ignore_warning))


def test_deep_trees_do_not_overflow_the_stack():
    depth = 20_000
    data = b"(;SZ[9]" + b"(;B[aa];W[bb]" * depth + b")" * depth + b")"
    (game,) = read_bytes(data, "deep", ignore_warning)
    assert sum(1 for _ in game.root.walk()) == 2 * depth + 1
    (again,) = read_bytes(sgf_bytes(game), "deep", ignore_warning)
    assert sum(1 for _ in again.root.walk()) == 2 * depth + 1
    copied = pickle.loads(pickle.dumps(game))
    assert sgf_bytes(copied) == sgf_bytes(game)


def test_deep_copies_are_independent():
    (game,) = read_bytes(b"(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))", "x")
    copied = copy.deepcopy(game)
    assert sgf_bytes(copied) == sgf_bytes(game)
    copied.root.children[0].properties["B"] = ["ii"]
    assert sgf_bytes(copied) != sgf_bytes(game)


# Commands that read collections


GAME = b"(;FF[4]SZ[9];B[cc];W[gg];B[gc];W[cg])\n"


@pytest.fixture
def damaged(tmp_path):
    """Return half of a tar of twenty games."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for number in range(20):
            member = tarfile.TarInfo(f"{number}.sgf")
            member.size = len(GAME)
            archive.addfile(member, io.BytesIO(GAME))
    path = tmp_path / "damaged.tar"
    path.write_bytes(whole.getvalue()[: 10 * 1024])
    return str(path)


def export(path):
    assert main(["games", "export", path, "-o", f"{path}.npz", "--workers", "1"]) == 0


def build_book(path):
    words = ["book", "build", path, "-o", f"{path}.book", "--workers", "1"]
    assert main([*words, "--no-shape", "--min-games", "1"]) == 0


def learn_shape(path):
    learn(ShapeTables(ShapeSettings(bits="10")), [path], 1, threading.Event())


def learn_net(path):
    assert len(list(usable_games([path]))) == 10


def predict(path):
    assert sum(len(games) for games in first_games([path], 20)) == 10


@pytest.mark.parametrize("use", [export, build_book, learn_shape, learn_net, predict])
def test_reports_a_damaged_archive(damaged, caplog, use):
    use(damaged)
    assert f"{damaged}: byte 0: cannot be read: damaged or truncated" in caplog.text

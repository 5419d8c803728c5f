"""All commands that read collections report damaged files."""

import io
import tarfile
import threading

import pytest

from tengen.cli.main import main
from tengen.lab.shape.predict import first_games
from tengen.nets.training import usable_games
from tengen.sources import ShapeSettings, ShapeTables, learn

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

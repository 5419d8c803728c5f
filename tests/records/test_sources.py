"""Files, folders and archives; and that memory does not grow with them."""

import io
import os
import random
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pytest

from tengen.core.errors import TengenError
from tengen.records import source
from tengen.records.reader import read_documents, read_games
from tengen.records.source import disk_size, documents
from tengen.records.warning import WarningKind

GAME = b"(;FF[4]SZ[9];B[aa];W[bb])\n"


def add_to_tar(archive, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def make_tar(path, members):
    with tarfile.open(path, "w:" + path.suffix.lstrip(".").replace("tar", "")) as archive:
        for name, data in members.items():
            add_to_tar(archive, name, data)


MEMBERS = {"a.sgf": GAME, "sub/b.SGF": GAME * 2, "note.txt": b"hello", "c.sgf": b"nothing"}


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".zip"])
def test_archives(tmp_path, suffix):
    path = tmp_path / f"games{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in MEMBERS.items():
                archive.writestr(name, data)
    else:
        make_tar(path, MEMBERS)
    warnings = []
    games = list(read_games(path, warnings.append))
    assert [(game.source, game.number) for game in games] == [
        (f"{path}/a.sgf", 0),
        (f"{path}/sub/b.SGF", 0),
        (f"{path}/sub/b.SGF", 1),
    ]
    kinds = {warning.kind for warning in warnings}
    assert kinds >= {WarningKind.OTHER_FILE, WarningKind.NO_GAME}


def test_folders_and_what_lies_in_them(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "a.sgf").write_bytes(GAME)
    (tmp_path / "b.sgf").write_bytes(GAME)
    make_tar(tmp_path / "c.tar.gz", {"x.sgf": GAME})
    (tmp_path / "gone.sgf").symlink_to(tmp_path / "nowhere")
    warnings = []
    assert len(list(read_games(tmp_path, warnings.append))) == 3
    assert [warning.kind for warning in warnings] == [WarningKind.UNREADABLE]
    assert disk_size(tmp_path) > 2 * len(GAME)


@pytest.mark.parametrize("share", [0, 0.01, 0.2, 0.5])
@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.xz", ".tar", ".zip"])
def test_damaged_archives_give_what_they_can(tmp_path, suffix, share):
    whole = tmp_path / f"whole{suffix}"
    if suffix == ".zip":
        with zipfile.ZipFile(whole, "w") as archive:
            archive.writestr("a.sgf", GAME)
    else:
        make_tar(whole, {"a.sgf": GAME * 1000, "b.sgf": GAME * 1000})
    path = tmp_path / f"cut{suffix}"
    data = whole.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    warnings = []
    list(read_games(path, warnings.append))
    # A tar without a byte is an empty tar to Python, and to GNU tar.
    assert warnings or (share == 0 and suffix == ".tar")


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_a_tar_of_small_files_that_is_cut_or_damaged_is_told(tmp_path, suffix):
    whole, path = tmp_path / f"whole{suffix}", tmp_path / f"damaged{suffix}"
    make_tar(whole, {f"{number}.sgf": GAME for number in range(100)})
    data = whole.read_bytes()
    assert told(whole) == []
    for share in np.linspace(0.05, 0.85, 9):
        cut = int(share * len(data))
        path.write_bytes(data[:cut])
        assert told(path) == [WarningKind.UNREADABLE], f"cut at {cut}"
        # In a plain tar only names have a checksum: the first byte of a block is a name's.
        place = cut // 1024 * 1024 if suffix == ".tar" else cut
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        # A packed file has bits that mean nothing.
        assert told(path) or contents(path) == contents(whole), f"a bit at {place}"


def contents(path):
    return [document.data for document in documents(path)]


def told(path):
    """Read a file's documents; return the kinds of warnings."""
    warnings = []
    list(documents(path, warnings.append))
    return [warning.kind for warning in warnings]


@pytest.mark.parametrize("path", ["no/such/file.sgf", "", "no.zip", "\0"])
def test_missing_paths_are_one_clear_line(path):
    with pytest.raises(TengenError) as caught:
        list(documents(path))
    assert "\n" not in str(caught.value)


def test_large_files_come_in_parts_between_games(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_PART", 1000)
    path = tmp_path / "large.sgf"
    path.write_bytes(GAME * 500)
    parts = list(documents(path))
    assert len(parts) > 5
    assert b"".join(part.data for part in parts) == GAME * 500
    assert all(part.data.startswith(b"(;") for part in parts)
    assert [part.start for part in parts] == [
        sum(len(part.data) for part in parts[:number]) for number in range(len(parts))
    ]
    assert [game.number for game in read_games(path)] == list(range(500))


def test_documents_are_cut_further(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "_PART", 1000)
    path = tmp_path / "large.sgf"
    path.write_bytes(GAME * 500)
    parts = list(source.in_parts(documents(path), 100))
    assert len(parts) > 50
    assert b"".join(part.data for part in parts) == GAME * 500
    data = path.read_bytes()
    assert all(data.startswith(part.data, part.start) for part in parts)
    assert [game.number for game in read_documents(parts)] == list(range(500))


BAD_NAME = os.fsdecode(b"b\xff.sgf")


def test_names_that_are_no_text_become_text(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xfe")
    folder.mkdir()
    (folder / BAD_NAME).write_bytes(GAME)
    (folder / BAD_NAME.replace("sgf", "txt")).write_bytes(b"")
    make_tar(folder / "a.tar", {BAD_NAME: GAME})
    warnings = []
    games = list(read_games(tmp_path, warnings.append))
    assert [game.source for game in games] == [
        f"{tmp_path}/?/a.tar/b?.sgf",
        f"{tmp_path}/?/b?.sgf",
    ]
    assert [warning.file for warning in warnings] == [f"{tmp_path}/?/b?.txt"]


def test_a_zip_that_lies_about_its_names_is_told(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ä.sgf", GAME)
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xff\xff"))
    warnings = []
    assert list(read_games(path, warnings.append)) == []
    assert [warning.kind for warning in warnings] == [WarningKind.UNREADABLE]


def test_memory_does_not_grow_with_the_archive(tmp_path):
    def peak(members):
        path = tmp_path / f"{members}.tar.gz"
        # Of the sort that does not shrink: a decompressor must hold what a block holds.
        noise = random.Random(1)
        make_tar(
            path,
            {
                f"{number}.sgf": b"(;FF[4]SZ[9]C[%s];B[aa])"
                % noise.randbytes(10_000).hex().encode()
                for number in range(members)
            },
        )
        tracemalloc.start()
        assert sum(1 for _ in read_games(path)) == members
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(5)
    assert peak(1000) < peak(50) + 200_000


def test_advance_counts_the_bytes_on_disk(tmp_path):
    path = tmp_path / "games.tar.gz"
    make_tar(path, {"a.sgf": GAME * 100})
    read = []
    for _ in documents(path, advance=read.append):
        pass
    assert sum(read) == disk_size(path)

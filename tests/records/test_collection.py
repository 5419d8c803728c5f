"""Files, folders and archives, and bounded memory."""

import io
import os
import random
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pytest

from tengen.records import (
    WarningKind,
    collection,
    disk_size,
    find_documents,
    read_documents,
    read_games,
    split_documents,
)
from tengen.util import TengenError

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


def test_folders(tmp_path):
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
def test_truncated_archives_give_a_warning(tmp_path, suffix, share):
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
    # Python and GNU tar take an empty file for an empty tar.
    assert warnings or (share == 0 and suffix == ".tar")


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_damaged_tars_of_small_files_give_a_warning(tmp_path, suffix):
    whole, path = tmp_path / f"whole{suffix}", tmp_path / f"damaged{suffix}"
    make_tar(whole, {f"{number}.sgf": GAME for number in range(100)})
    data = whole.read_bytes()
    assert warning_kinds(whole) == []
    for share in np.linspace(0.05, 0.85, 9):
        cut = int(share * len(data))
        path.write_bytes(data[:cut])
        assert warning_kinds(path) == [WarningKind.UNREADABLE], f"cut at {cut}"
        # A plain tar has checksums only of headers: the first byte of a block is part of one.
        place = cut // 1024 * 1024 if suffix == ".tar" else cut
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        # Compressed files contain unused bits.
        assert warning_kinds(path) or contents(path) == contents(whole), f"a bit at {place}"


def contents(path):
    return [document.data for document in find_documents(path)]


def warning_kinds(path):
    """Read the documents of a file; return the kinds of warnings."""
    warnings = []
    list(find_documents(path, warnings.append))
    return [warning.kind for warning in warnings]


@pytest.mark.parametrize("path", ["no/such/file.sgf", "", "no.zip", "\0"])
def test_missing_paths_give_a_one_line_error(path):
    with pytest.raises(TengenError) as caught:
        list(find_documents(path))
    assert "\n" not in str(caught.value)


def test_splits_large_files_between_games(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "_PART_BYTES", 1000)
    path = tmp_path / "large.sgf"
    path.write_bytes(GAME * 500)
    parts = list(find_documents(path))
    assert len(parts) > 5
    assert b"".join(part.data for part in parts) == GAME * 500
    assert all(part.data.startswith(b"(;") for part in parts)
    assert [part.start for part in parts] == [
        sum(len(part.data) for part in parts[:number]) for number in range(len(parts))
    ]
    assert [game.number for game in read_games(path)] == list(range(500))


def test_split_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "_PART_BYTES", 1000)
    path = tmp_path / "large.sgf"
    path.write_bytes(GAME * 500)
    parts = list(split_documents(find_documents(path), 100))
    assert len(parts) > 50
    assert b"".join(part.data for part in parts) == GAME * 500
    data = path.read_bytes()
    assert all(data.startswith(part.data, part.start) for part in parts)
    assert [game.number for game in read_documents(parts)] == list(range(500))


BAD_NAME = os.fsdecode(b"b\xff.sgf")


def test_file_names_that_are_not_text(tmp_path):
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


def test_zip_with_invalid_member_names(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ä.sgf", GAME)
    path.write_bytes(path.read_bytes().replace("ä".encode(), b"\xff\xff"))
    warnings = []
    assert list(read_games(path, warnings.append)) == []
    assert [warning.kind for warning in warnings] == [WarningKind.UNREADABLE]


def test_memory_is_independent_of_archive_size(tmp_path):
    def peak(members):
        path = tmp_path / f"{members}.tar.gz"
        # Incompressible: the decompressor has to hold a whole block.
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
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak_bytes

    peak(5)
    assert peak(1000) < peak(50) + 200_000


def test_progress_adds_up_to_disk_size(tmp_path):
    path = tmp_path / "games.tar.gz"
    make_tar(path, {"a.sgf": GAME * 100})
    read = []
    for _ in find_documents(path, on_progress=read.append):
        pass
    assert sum(read) == disk_size(path)


def test_pipes_and_devices_in_folders_are_ignored(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs named pipes")
    (tmp_path / "game.sgf").write_bytes(GAME)
    os.mkfifo(tmp_path / "pipe.sgf")
    (tmp_path / "zero.sgf").symlink_to("/dev/zero")
    (tmp_path / "zero.zip").symlink_to("/dev/zero")
    warnings = []
    assert len(list(read_games(tmp_path, warnings.append))) == 1
    assert [w.reason for w in warnings] == ["ignored: not a regular file"] * 3


@pytest.mark.parametrize("name", ["bomb.zip", "bomb.tar.gz"])
def test_archives_that_expand_too_much_are_not_read_further(tmp_path, monkeypatch, name):
    monkeypatch.setattr(collection, "MAX_EXPANDED_BYTES", 1 << 20)
    path = tmp_path / name
    members = {"a.sgf": GAME, "bomb.sgf": bytes(50 << 20), "b.sgf": GAME}
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
    else:
        make_tar(path, members)
    warnings = []
    assert len(list(read_games(path, warnings.append))) == 1
    assert "expands to too much data" in warnings[-1].reason


def test_a_file_without_games_does_not_fill_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(collection, "MAX_DOCUMENT_BYTES", 1 << 20)
    monkeypatch.setattr(collection, "_PART_BYTES", 1 << 18)
    (tmp_path / "long.sgf").write_bytes(b"(;C[" + b"x" * (4 << 20))
    warnings = []
    assert list(read_games(tmp_path / "long.sgf", warnings.append)) == []
    assert "no end of a game within 1 MiB" in warnings[-1].reason

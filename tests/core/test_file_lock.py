"""A folder that one process works in is closed to others, until that process is gone."""

import errno
import fcntl
import subprocess
import sys

import pytest

from tengen.core.errors import TengenError
from tengen.core.file_lock import hold_folder

HOLDER = """
import sys
from pathlib import Path
from tengen.core.file_lock import hold_folder
hold_folder(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_has_one_owner_at_a_time(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(TengenError, match="another run is at work in"):
            hold_folder(tmp_path)
        holder.kill()
    hold_folder(tmp_path)
    hold_folder(tmp_path / "." / ".." / tmp_path.name)
    later = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert "another run is at work in" in later.stderr


def test_a_file_system_without_locks_shuts_nobody_out(tmp_path, monkeypatch):
    """NFS wants a file open for writing, which a folder cannot be."""

    def refuse(descriptor, operation):
        raise OSError(errno.EBADF, "Bad file descriptor")

    monkeypatch.setattr(fcntl, "flock", refuse)
    hold_folder(tmp_path)


def test_without_locks_nothing_is_held(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    hold_folder(tmp_path)
    monkeypatch.undo()
    hold_folder(tmp_path)

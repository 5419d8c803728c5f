"""Tests of the compiled-kernel cache."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tengen.util import cache, cache_dir, compiler, kernel_cache

SOURCE = Path(cache.__file__).resolve().parents[1]
DAY_S = 24 * 3600


def key_of(copy: Path, **environment) -> str:
    """Return the cache key computed by a copy of the package."""
    code = "from tengen.util import cache; print(cache.__file__); print(cache.cache_key())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(copy), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    path, key = done.stdout.split()
    assert Path(path).is_relative_to(copy)
    return key


@pytest.fixture
def package(tmp_path):
    """A folder with a copy of the package."""
    shutil.copytree(SOURCE, tmp_path / "tengen", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def append(path: Path) -> None:
    path.write_text(path.read_text() + "\n# changed\n")


def test_key_depends_on_kernel_sources(package):
    first = key_of(package)
    assert key_of(package) == first
    assert first == cache.cache_key(), "the key does not depend on the install location"
    append(package / "tengen" / "cli" / "main.py")
    append(package / "tengen" / "board" / "position.py")
    assert key_of(package) == first, "other modules do not change the key"
    seen = {first}
    for name in (
        "board/kernels/layout.py",
        "search/kernels/tree.py",
        "util/compiler.py",
        "util/kernel_cache.py",
        "util/lanes.py",
    ):
        append(package / "tengen" / name)
        seen.add(key_of(package))
    (package / "tengen" / "playout" / "kernels" / "new.py").write_text("ANSWER = 42\n")
    seen.add(key_of(package))
    assert len(seen) == 7
    assert key_of(package, NUMBA_BOUNDSCHECK="1") not in seen


def test_key_covers_every_kernel_module():
    sources = set(cache.kernel_sources())
    assert sources >= {path for path in SOURCE.rglob("*.py") if path.parent.name == "kernels"}


def test_cache_folder_from_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_CACHE_DIR", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"
    folder = cache.prepare_cache()
    assert folder == tmp_path / "mine" / "kernels" / cache.cache_key()
    assert folder.is_dir()
    monkeypatch.delenv("TENGEN_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform == "linux":
        assert cache_dir() == tmp_path / "xdg" / "tengen"


def test_unwritable_folder_disables_the_cache(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TENGEN_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert cache.prepare_cache() is None


def test_unwritable_home_moves_the_cache_to_the_environment(monkeypatch, tmp_path):
    (tmp_path / "home").write_text("in the way")
    monkeypatch.delenv("TENGEN_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    folder = tmp_path / "venv" / "var" / "cache" / "tengen" / "kernels" / cache.cache_key()
    assert cache.prepare_cache() == folder
    assert folder.is_dir()


def test_missing_home_folder_disables_the_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    (tmp_path / "venv").write_text("not writable")

    def no_home(path):
        raise RuntimeError("Could not determine home directory.")

    for name in ("TENGEN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert cache.prepare_cache() is None


def test_removes_unused_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("TENGEN_CACHE_DIR", str(tmp_path))
    ages = {"ancient": 31 * DAY_S, "recent": 29 * DAY_S}
    for name, age_s in ages.items():
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.nbc").write_text("code")
        os.utime(folder, (time.time() - age_s,) * 2)
    folder = cache.prepare_cache()
    assert not (tmp_path / "kernels" / "ancient").exists()
    assert (tmp_path / "kernels" / "recent" / "kernel.nbc").exists()
    os.utime(folder, (0, 0))
    assert cache.prepare_cache() == folder, "the current cache is kept"
    assert folder.stat().st_mtime > time.time() - DAY_S


def test_tolerates_concurrent_cleanup(monkeypatch, tmp_path):
    """Another process may remove the same cache at the same time."""

    def vanish(path, **options):
        raise FileNotFoundError(path)

    monkeypatch.setenv("TENGEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels" / "old").mkdir(parents=True)
    os.utime(tmp_path / "kernels" / "old", (0, 0))
    monkeypatch.setattr(shutil, "rmtree", vanish)
    assert cache.prepare_cache() is not None


# Real processes. Setting up a position compiles only a few kernels.

SMALL = (
    "from tengen.board.position import Position; "
    "print(Position.from_diagram('X./.O').diagram().replace(chr(10), '/'))"
)


def start(folder: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", SMALL],
        env={**os.environ, "TENGEN_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_start_without_cache_prints_progress(tmp_path):
    (tmp_path / "file").write_text("in the way")
    process = start(tmp_path / "file" / "below")
    output, errors = process.communicate()
    assert (process.returncode, output) == (0, "X./.O\n")
    assert "tengen: compiling " in errors
    assert "tengen: compiled in " in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_concurrent_starts_with_empty_cache(tmp_path):
    both = [start(tmp_path) for _ in range(2)]
    for process in both:
        output, errors = process.communicate()
        assert (process.returncode, output) == (0, "X./.O\n"), errors
    later = start(tmp_path)
    output, errors = later.communicate()
    assert (output, errors) == ("X./.O\n", ""), "the second start uses the cache"


def truncate(data: bytes) -> bytes:
    return data[: len(data) // 2]


def clear(data: bytes) -> bytes:
    return bytes(len(data))


def empty(data: bytes) -> bytes:
    return b""


def flip(data: bytes) -> bytes:
    """Change one bit in the middle, in the machine code of a data file."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.fixture(scope="module")
def filled_cache(tmp_path_factory):
    """A cache folder with the kernels of a first start."""
    folder = tmp_path_factory.mktemp("cache")
    start(folder).communicate()
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "damage"),
    [("nbi", truncate), ("nbi", empty), ("nbc", truncate), ("nbc", clear), ("nbc", flip)],
)
def test_damaged_kernels_are_compiled_again(filled_cache, tmp_path, suffix, damage):
    shutil.copytree(filled_cache, tmp_path, dirs_exist_ok=True)
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert files
    for path in files:
        path.write_bytes(damage(path.read_bytes()))
    process = start(tmp_path)
    output, errors = process.communicate()
    assert (process.returncode, output) == (0, "X./.O\n"), errors
    assert "Traceback" not in errors
    assert errors.count("tengen: damaged kernels in the cache") == 1
    output, errors = start(tmp_path).communicate()
    assert (output, errors) == ("X./.O\n", ""), "the damaged files were replaced"


@pytest.mark.slow
def test_full_disk_is_reported_once(tmp_path):
    resource = pytest.importorskip("resource")
    process = subprocess.run(
        [sys.executable, "-c", SMALL],
        env={**os.environ, "TENGEN_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert (process.returncode, process.stdout) == (0, "X./.O\n"), process.stderr
    assert process.stderr.count("tengen: cannot save compiled kernels in") == 1
    assert "File too large" in process.stderr
    assert "Traceback" not in process.stderr


def test_folders_that_cannot_be_created_are_reported(monkeypatch, capsys):
    """Numba creates a folder for each module, with RuntimeError if it cannot."""

    def fail(function):
        raise RuntimeError("no locator available")

    monkeypatch.setattr(kernel_cache, "KernelCache", fail)
    monkeypatch.setattr(kernel_cache, "_reported", set())
    for _ in range(2):
        assert compiler.kernel(double)(21) == 42
    assert capsys.readouterr().err.count("cannot save compiled kernels") == 1


def double(number):
    return 2 * number

"""The on-disk cache of compiled kernels.

Numba invalidates a cached kernel when its own module changes, but not when a constant or callee in
another module does. The cache folder is therefore named after a hash of all kernel sources.
"""

import hashlib
import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from tengen.util.files import cache_dir

_PACKAGE = Path(__file__).resolve().parent.parent
_MAX_AGE_S = 30 * 24 * 3600


def kernel_sources() -> list[Path]:
    """Return all modules that affect compiled code, in a fixed order."""
    shared = [_PACKAGE / "util" / name for name in ("compiler.py", "kernel_cache.py", "lanes.py")]
    return sorted([*_PACKAGE.rglob("kernels/*.py"), *shared])


def cache_key() -> str:
    """Return a hash of kernel sources, Numba, NumPy and Python versions and bounds checking."""
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    versions = f"{metadata.version('numba')} {metadata.version('numpy')} {sys.version}"
    digest.update(versions.encode())
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())
    return digest.hexdigest()[:16]


def prepare_cache() -> Path | None:
    """Create the cache folder for the current key; return None if none is writable.

    If the default one is not writable, use one in the Python environment.
    """
    key = cache_key()
    for parent in (cache_dir, environment_cache_dir):
        try:
            folder = parent() / "kernels" / key
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except (OSError, RuntimeError):
            # RuntimeError: the user has no home folder.
            continue
        _remove_old(folder)
        return folder
    return None


def environment_cache_dir() -> Path:
    """Return the cache folder in the Python environment.

    Raise RuntimeError if the user chose a folder, which this one must not replace.
    """
    if os.environ.get("TENGEN_CACHE_DIR"):
        raise RuntimeError("TENGEN_CACHE_DIR is set")
    return Path(sys.prefix) / "var" / "cache" / "tengen"


def _remove_old(current: Path) -> None:
    """Delete caches that have not been used for a month; other processes may do the same."""
    with suppress(OSError):
        os.utime(current)
        for other in current.parent.iterdir():
            if other != current and time.time() - other.stat().st_mtime > _MAX_AGE_S:
                shutil.rmtree(other, ignore_errors=True)

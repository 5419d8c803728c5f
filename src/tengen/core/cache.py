"""Where compiled kernels are kept between runs.

Numba's own cache goes stale when a constant or a callee in *another* module changes. So the
folder is named by a hash of all kernel sources: changed sources never meet old machine code.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

from tengen.core.folders import cache_folder

_PACKAGE = Path(__file__).resolve().parent.parent
_OLD_AFTER_S = 30 * 24 * 3600


def kernel_sources() -> list[Path]:
    """Return every module that makes machine code, in a fixed order."""
    core = _PACKAGE / "core"
    return sorted([*_PACKAGE.rglob("kernels/*.py"), core / "compiler.py", core / "lanes.py"])


def cache_key() -> str:
    """Return a name that changes with the kernel sources, Numba, Python or the check mode."""
    digest = hashlib.sha256()
    for path in kernel_sources():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    versions = f"{metadata.version('numba')} {metadata.version('numpy')} {sys.version}"
    digest.update(versions.encode())
    digest.update(os.environ.get("NUMBA_BOUNDSCHECK", "").encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Return the folder for all of Tengen's caches; it need not exist.

    `TENGEN_CACHE_DIR` names it, else it is `tengen` in the user's cache folder.
    """
    named = os.environ.get("TENGEN_CACHE_DIR")
    return Path(named) if named else cache_folder()


def prepare_cache() -> Path | None:
    """Make the folder for this version's kernels and return it, or None if it cannot be written."""
    try:
        folder = cache_root() / "kernels" / cache_key()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):
        # RuntimeError: there is no home folder, as for a user id without an entry.
        return None
    _remove_old(folder)
    return folder


def _remove_old(current: Path) -> None:
    """Delete the caches of versions that were not used for a month; another process may too."""
    with contextlib.suppress(OSError):
        os.utime(current)
        for other in current.parent.iterdir():
            if other != current and time.time() - other.stat().st_mtime > _OLD_AFTER_S:
                shutil.rmtree(other, ignore_errors=True)

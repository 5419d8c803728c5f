"""Numba's on-disk cache of compiled kernels, safe against damaged files and full disks.

A kernel that cannot be loaded is compiled again and replaces the damaged file. A kernel that cannot
be saved is compiled at every start. Either is reported once per process.
"""

import os
import pickle
import sys
import zlib

from tengen.util.cache import prepare_cache

FOLDER = prepare_cache()
"""The folder of compiled kernels, or None if it is not writable."""
if FOLDER is not None:
    # Numba reads this variable when it is imported.
    os.environ["NUMBA_CACHE_DIR"] = str(FOLDER)

from numba.core import caching  # noqa: E402

_reported = set()


def enable_cache(dispatcher):
    """Load and save the compiled code of a kernel, if there is a cache folder for it."""
    if FOLDER is None or not hasattr(dispatcher, "enable_caching"):
        return
    try:
        dispatcher._cache = KernelCache(dispatcher.py_func)
    except (OSError, RuntimeError) as error:
        # RuntimeError: Numba could not create the folder of the module.
        _report_unsaved(error)


class KernelCache(caching.FunctionCache):
    """The cached code of one kernel, for all signatures."""

    def __init__(self, function):
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig, data):
        """Save compiled code; report why if that is not possible."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _report_unsaved(error)


class _CheckedFiles(caching.IndexDataCacheFile):
    """The files of one kernel, with a checksum: damaged machine code would end the process."""

    def _load_index(self):
        try:
            return super()._load_index()
        except Exception:  # unpickling damaged data can raise anything
            _report_damage()
            return {}

    def _save_data(self, name, data):
        pickled = self._dump(data)
        super()._save_data(name, (zlib.crc32(pickled), pickled))

    def _load_data(self, name):
        try:
            checksum, pickled = super()._load_data(name)
            if zlib.crc32(pickled) == checksum:
                return pickle.loads(pickled)
        except FileNotFoundError:
            raise
        except Exception:  # as above
            pass
        _report_damage()
        raise FileNotFoundError(name)  # Numba compiles the kernel and saves it again


def _report_damage():
    _report_once(
        "damage", f"damaged kernels in the cache {FOLDER}: they are compiled and saved again"
    )


def _report_unsaved(error):
    reason = getattr(error, "strerror", None) or error
    _report_once("unsaved", f"cannot save compiled kernels in {FOLDER}: {reason}")


def _report_once(kind, text):
    if kind not in _reported:
        _reported.add(kind)
        sys.stderr.write(f"tengen: {text}\n")
        sys.stderr.flush()

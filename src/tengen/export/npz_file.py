"""Positions as NumPy's `.npz`: for each board size one array a column, `9x9.move` and so on.

A `.npy` tells its length first, which nobody knows before the end: columns are gathered in
files of their own, and put together when all is there. So memory stays bounded.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from tengen.export.part import Part, Place
from tengen.export.sample_file import partial_path
from tengen.network.kernels.features import PLANES

ROWS_AT_ONCE = 4096


class _Column:
    """The rows of one array so far, in a file of their own."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]):
        self.dtype, self.shape, self.count = np.dtype(dtype), shape, 0
        self._file = path.open("w+b")

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Append rows."""
        self._file.write(np.ascontiguousarray(rows, dtype=self.dtype).tobytes())
        self.count += len(rows)

    def chunks(self) -> Iterator[npt.NDArray[Any]]:
        """Yield all rows, some thousand at a time."""
        self._file.seek(0)
        size = self.dtype.itemsize * int(np.prod(self.shape))
        while data := self._file.read(size * ROWS_AT_ONCE):
            yield np.frombuffer(data, self.dtype).reshape(-1, *self.shape)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


class NpzFile:
    """An `.npz` being written."""

    def __init__(self, path: Path):
        self._path = path
        self._partial = partial_path(path)
        self._folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
        self._columns: dict[str, _Column] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._games: list[str] = []

    def add(self, parts: list[Part], games: list[Place]) -> None:
        """Add positions, and where their games are from."""
        self._games += map(str, games)
        for part in parts:
            size = f"{part.columns}x{part.rows}"
            self._sizes[size] = part.rows, part.columns
            for name, array in part.arrays.items():
                self._column(f"{size}.{name}", array).add(array)

    def _column(self, name: str, array: npt.NDArray[Any]) -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column(self._folder / name, array.dtype, array.shape[1:])
        return self._columns[name]

    def close(self) -> None:
        """Put the columns together; now the file is where it shall be."""
        with zipfile.ZipFile(self._partial, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
            for name, column in self._columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    self._write(name, column, cast(BinaryIO, member))
            with archive.open("games.npy", "w") as member:
                np.lib.format.write_array(member, np.array(self._games, dtype=np.str_))
        self._partial.replace(self._path)
        self.abandon()

    def _write(self, name: str, column: _Column, member: BinaryIO) -> None:
        """Write one array; planes are unpacked on the way."""
        size, _, kind = name.rpartition(".")
        is_packed = kind == "planes"
        shape = (PLANES, *self._sizes[size]) if is_packed else column.shape
        header = {
            "descr": np.lib.format.dtype_to_descr(column.dtype),
            "fortran_order": False,
            "shape": (column.count, *shape),
        }
        np.lib.format.write_array_header_2_0(member, header)
        for rows in column.chunks():
            if is_packed:
                rows = np.unpackbits(rows, axis=1, count=int(np.prod(shape)))
            member.write(rows.tobytes())

    def abandon(self) -> None:
        """Leave nothing behind that is not finished."""
        for column in self._columns.values():
            column.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._partial.unlink(missing_ok=True)

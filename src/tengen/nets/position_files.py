"""Files of exported positions: NumPy `.npz` and Parquet, written batch by batch and atomically."""

import importlib.util
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import numpy as np
import numpy.typing as npt

from tengen.nets.kernels.features import PLANES
from tengen.nets.position_export import COLUMNS, GameLocation, PositionTable
from tengen.util import TengenError, install_command

FORMATS = (".npz", ".parquet")
_ROWS_PER_CHUNK = 4096


class PositionFile(Protocol):
    """A file being written; it replaces an existing file only when it is closed."""

    def add(self, tables: list[PositionTable], games: list[GameLocation]) -> None:
        """Append positions, and the locations of the next games."""

    def close(self) -> None:
        """Complete the file and move it to its path."""

    def abandon(self) -> None:
        """Remove all temporary files."""


def create_position_file(path: Path) -> PositionFile:
    """Create a file of the format given by its suffix; raise TengenError if it cannot be."""
    if path.suffix not in FORMATS:
        raise TengenError(f"positions are written as {' or '.join(FORMATS)}, not {path.name!r}")
    if not path.absolute().parent.is_dir():
        raise TengenError(f"no such folder: {path.parent}")
    if path.suffix == ".npz":
        return NpzFile(path)
    if importlib.util.find_spec("pyarrow") is None:
        raise TengenError(f"Parquet needs pyarrow: {install_command('parquet')}, or write .npz")
    return ParquetFile(path)


def _partial_path(path: Path) -> Path:
    """Return the temporary file beside `path`, one per process."""
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


class _Column:
    """A column of an `.npz`, collected in a temporary file."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...]):
        self.dtype, self.shape, self.count = np.dtype(dtype), shape, 0
        self._file = path.open("w+b")

    def add(self, rows: npt.NDArray[Any]) -> None:
        """Append rows."""
        self._file.write(np.ascontiguousarray(rows, dtype=self.dtype).tobytes())
        self.count += len(rows)

    def chunks(self) -> Iterator[npt.NDArray[Any]]:
        """Yield all rows in chunks."""
        self._file.seek(0)
        size = self.dtype.itemsize * int(np.prod(self.shape))
        while data := self._file.read(size * _ROWS_PER_CHUNK):
            yield np.frombuffer(data, self.dtype).reshape(-1, *self.shape)

    def close(self) -> None:
        """Close the temporary file."""
        self._file.close()


class NpzFile:
    """An `.npz` with one array per board size and column, such as `9x9.move`.

    An `.npy` header contains the length of the array, which is known only at the end: columns are
    collected in temporary files and joined on closing, so that memory stays bounded.
    """

    def __init__(self, path: Path):
        self._path = path
        self._partial = _partial_path(path)
        self._folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
        self._columns: dict[str, _Column] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._games: list[str] = []

    def add(self, tables: list[PositionTable], games: list[GameLocation]) -> None:
        """Append positions, and the locations of the next games."""
        self._games += map(str, games)
        for table in tables:
            size = f"{table.columns}x{table.rows}"
            self._sizes[size] = table.rows, table.columns
            for name, array in table.arrays.items():
                self._column(f"{size}.{name}", array).add(array)

    def _column(self, name: str, array: npt.NDArray[Any]) -> _Column:
        if name not in self._columns:
            self._columns[name] = _Column(self._folder / name, array.dtype, array.shape[1:])
        return self._columns[name]

    def close(self) -> None:
        """Join the columns and move the file to its path."""
        with zipfile.ZipFile(self._partial, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
            for name, column in self._columns.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    self._write(name, column, cast(BinaryIO, member))
            with archive.open("games.npy", "w") as member:
                np.lib.format.write_array(member, np.array(self._games, dtype=np.str_))
        self._partial.replace(self._path)
        self.abandon()

    def _write(self, name: str, column: _Column, member: BinaryIO) -> None:
        """Write one array; feature planes are unpacked."""
        size, _, column_name = name.rpartition(".")
        is_packed = column_name == "planes"
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
        """Remove all temporary files."""
        for column in self._columns.values():
            column.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._partial.unlink(missing_ok=True)


_PARQUET_MEANINGS = {
    **COLUMNS,
    "planes": f"{COLUMNS['planes']}, packed: numpy.unpackbits gives 19 x rows x columns",
    "rows": "rows of the board",
    "columns": "columns of the board",
    "source": "file of the game and index in the file",
}


def _parquet_schema() -> Any:
    import pyarrow as pa

    types = {
        "rows": pa.uint8(),
        "columns": pa.uint8(),
        "planes": pa.binary(),
        "numbers": pa.list_(pa.float32()),
        "board": pa.list_(pa.uint8()),
        "to_play": pa.uint8(),
        "move": pa.uint16(),
        "komi": pa.float32(),
        "winner": pa.uint8(),
        "margin": pa.float32(),
        "game": pa.int32(),
        "turn": pa.uint16(),
        "source": pa.string(),
    }
    return pa.schema(
        [
            pa.field(name, kind, metadata={"meaning": _PARQUET_MEANINGS[name]})
            for name, kind in types.items()
        ]
    )


class ParquetFile:
    """A Parquet file with one row per position of any board size; `planes` are packed bits.

    bits = np.frombuffer(row["planes"], dtype=np.uint8)
    planes = np.unpackbits(bits, count=19 * rows * columns).reshape(19, rows, columns)
    """

    def __init__(self, path: Path):
        import pyarrow.parquet as pq

        self._path = path
        self._partial = _partial_path(path)
        self._schema = _parquet_schema()
        self._writer = pq.ParquetWriter(self._partial, self._schema, compression="zstd")
        self._games: list[str] = []

    def add(self, tables: list[PositionTable], games: list[GameLocation]) -> None:
        """Append positions, and the locations of the next games."""
        self._games += map(str, games)
        for table in tables:
            self._writer.write_table(self._convert(table))

    def _convert(self, table: PositionTable) -> Any:
        import pyarrow as pa

        count = len(table)
        columns: dict[str, Any] = {
            **table.arrays,
            "rows": np.full(count, table.rows, dtype=np.uint8),
            "columns": np.full(count, table.columns, dtype=np.uint8),
            "planes": [row.tobytes() for row in table.arrays["planes"]],
            "numbers": list(table.arrays["numbers"]),
            "board": list(table.arrays["board"].reshape(count, -1)),
            "source": [self._games[game] for game in table.arrays["game"].tolist()],
        }
        arrays = [pa.array(columns[field.name], type=field.type) for field in self._schema]
        return pa.Table.from_arrays(arrays, schema=self._schema)

    def close(self) -> None:
        """Complete the file and move it to its path."""
        self._writer.close()
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Remove all temporary files."""
        self._writer.close()
        self._partial.unlink(missing_ok=True)

"""Positions as Parquet: one row a position, of all board sizes; `planes` are packed bits.

bits = np.frombuffer(row["planes"], dtype=np.uint8)
planes = np.unpackbits(bits, count=19 * rows * columns).reshape(19, rows, columns)
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tengen.export.part import COLUMNS, Part, Place
from tengen.export.sample_file import partial_path

_TYPES = {
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
_MEANINGS = {
    **COLUMNS,
    "planes": f"{COLUMNS['planes']}, packed: numpy.unpackbits gives 19 x rows x columns",
    "rows": "of the board",
    "columns": "of the board",
    "source": "file and place in it of the game",
}
SCHEMA = pa.schema(
    [pa.field(name, kind, metadata={"meaning": _MEANINGS[name]}) for name, kind in _TYPES.items()]
)


class ParquetFile:
    """A Parquet file being written, a group of rows for each piece."""

    def __init__(self, path: Path):
        self._path = path
        self._partial = partial_path(path)
        self._writer = pq.ParquetWriter(self._partial, SCHEMA, compression="zstd")
        self._games: list[str] = []

    def add(self, parts: list[Part], games: list[Place]) -> None:
        """Add positions, and where their games are from."""
        self._games += map(str, games)
        for part in parts:
            self._writer.write_table(self._table(part))

    def _table(self, part: Part) -> Any:
        count = len(part)
        columns: dict[str, Any] = {
            **part.arrays,
            "rows": np.full(count, part.rows, dtype=np.uint8),
            "columns": np.full(count, part.columns, dtype=np.uint8),
            "planes": [row.tobytes() for row in part.arrays["planes"]],
            "numbers": list(part.arrays["numbers"]),
            "board": list(part.arrays["board"].reshape(count, -1)),
            "source": [self._games[game] for game in part.arrays["game"].tolist()],
        }
        arrays = [pa.array(columns[name], type=kind) for name, kind in _TYPES.items()]
        return pa.Table.from_arrays(arrays, schema=SCHEMA)

    def close(self) -> None:
        """Finish: now the file is where it shall be."""
        self._writer.close()
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._writer.close()
        self._partial.unlink(missing_ok=True)

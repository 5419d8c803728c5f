"""Files of positions: one interface, written piece by piece, there as a whole or not at all."""

import importlib.util
import os
from pathlib import Path
from typing import Protocol

from tengen.core.errors import TengenError
from tengen.export.part import Part, Place

FORMATS = (".npz", ".parquet")


class SampleFile(Protocol):
    """A file being written."""

    def add(self, parts: list[Part], games: list[Place]) -> None:
        """Add positions, and where the games are from that they are the next of."""

    def close(self) -> None:
        """Finish: now the file is where it shall be."""

    def abandon(self) -> None:
        """Leave nothing behind."""


def create(path: Path) -> SampleFile:
    """Begin a file of the kind that its name tells; raise TengenError if that cannot be."""
    if path.suffix not in FORMATS:
        raise TengenError(f"positions are written as {' or '.join(FORMATS)}, not {path.name!r}")
    if not path.absolute().parent.is_dir():
        raise TengenError(f"no such folder: {path.parent}")
    if path.suffix == ".npz":
        from tengen.export.npz_file import NpzFile

        return NpzFile(path)
    if importlib.util.find_spec("pyarrow") is None:
        how = "pip install '.[parquet]' in Tengen's folder"
        raise TengenError(f"Parquet needs pyarrow: {how}, or write .npz")
    from tengen.export.parquet_file import ParquetFile

    return ParquetFile(path)


def partial_path(path: Path) -> Path:
    """Return where a file is written until it is whole: beside it, one for each process."""
    return path.with_name(f".{path.name}.{os.getpid()}.partial")

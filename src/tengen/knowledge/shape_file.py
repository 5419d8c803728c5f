"""Pattern tables on the disk: a line of magic, a line of JSON, the counts compressed.

The file that comes with Tengen is `tengen/data/shape.bin`; docs/shape.md tells how it was made.
"""

import functools
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.core.errors import TengenError
from tengen.core.whole_file import whole_file
from tengen.knowledge.shape_tables import ShapeSettings, ShapeTables

MAGIC = b"tengen shape 1\n"
SHIPPED = Path(__file__).resolve().parents[1] / "data" / "shape.bin"
_LONGEST_HEADER = 1 << 28
_COUNT = np.dtype("<u4")


def save(tables: ShapeTables, path: str | os.PathLike[str]) -> None:
    """Write the tables; the file is there whole or not at all. Raise TengenError if it cannot."""
    planes = tables.counts.astype(_COUNT).view(np.uint8).reshape(-1, 2, 4).transpose(1, 2, 0)
    body = zlib.compress(planes.tobytes(), 9)
    about = {**tables.about(), "body_bytes": len(body), "body_crc32": zlib.crc32(body)}
    header = json.dumps(about, ensure_ascii=False, separators=(",", ":")).encode()
    with whole_file(path) as file:
        file.write(MAGIC + header + b"\n" + body)


def load(path: str | os.PathLike[str]) -> ShapeTables:
    """Read tables; raise TengenError that says what is wrong if it is no such file, or damaged."""
    try:
        with Path(path).open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise TengenError(f"{path}: no file of pattern tables (tengen shape learn)")
            header = file.readline(_LONGEST_HEADER)
            body = file.read()
    except OSError as error:
        raise TengenError(f"cannot read {str(path)!r}: {error.strerror}") from None
    try:
        return _tables(json.loads(header), body)
    except TengenError as error:
        raise TengenError(f"{path}: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError, zlib.error):
        raise TengenError(f"{path}: damaged pattern tables: the header makes no sense") from None


def _tables(about: dict[str, Any], body: bytes) -> ShapeTables:
    if len(body) != about["body_bytes"]:
        found = f"{len(body):,} of {about['body_bytes']:,} bytes"
        raise TengenError(f"damaged pattern tables: {found} of counts are there")
    if zlib.crc32(body) != about["body_crc32"]:
        raise TengenError("damaged pattern tables: the checksum is wrong")
    settings = ShapeSettings(**about["settings"])
    figures = {name: int(about[name]) for name in ("games", "broken", "moves", "losses")}
    documents = {str(digest): str(name) for digest, name in about["documents"].items()}
    return ShapeTables(settings, _counts(body, settings.slots), documents=documents, **figures)


def _counts(body: bytes, slots: int) -> npt.NDArray[np.uint32]:
    planes = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(2, 4, slots)
    pairs = np.ascontiguousarray(planes.transpose(2, 0, 1))
    return pairs.view(_COUNT).astype(np.uint32).ravel()


@functools.lru_cache(maxsize=4)
def load_once(path: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]:
    """Return the numbers and slots of a file as the kernels want them, the same for all users."""
    tables = load(path or SHIPPED)
    return tables.numbers(), tables.slots()

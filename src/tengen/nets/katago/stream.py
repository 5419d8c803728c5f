"""The words and arrays of a KataGo model file.

A file is gzip. Inside are ASCII words separated by white space; each array of weights is the mark
`@BIN@` followed by little-endian float32 values.
"""

import gzip
import zlib
from pathlib import Path

import numpy as np

from tengen.nets.evaluation import Floats
from tengen.util import TengenError

MARK = b"@BIN@"
BLANKS = b" \t\r\n"
LONGEST_WORD = 1000
LARGEST_ARRAY = 1 << 28
"""Maximum number of weights in an array; larger ones mean a damaged file."""
CHUNK_BYTES = 1 << 20
MAX_EXPANSION = 16
"""Maximum ratio of decompressed to compressed size; weights compress by about a tenth."""
ALWAYS_UNPACKED_BYTES = 1 << 25
"""Files that decompress to less than this are read at any ratio."""
MAX_BYTES = (1 << 31) - (1 << 24)
"""Maximum decompressed size: an ONNX file must be smaller than 2 GiB."""


class ModelStream:
    """A model file read sequentially; errors are one line that names the file."""

    def __init__(self, path: Path) -> None:
        """Decompress a file; raise TengenError if it is not a KataGo model."""
        self.path = path
        self._content = _unpack(path)
        self._place = 0

    def error(self, what: str) -> TengenError:
        """Return an error about this file."""
        return TengenError(f"{self.path}: {what}")

    def word(self) -> str:
        """Return the next word."""
        content, begin = self._content, self._place
        while begin < len(content) and content[begin] in BLANKS:
            begin += 1
        end = begin
        while end < len(content) and content[end] not in BLANKS and end - begin <= LONGEST_WORD:
            end += 1
        if begin == end:
            raise self.error("file is truncated; download it again")
        self._place = end
        try:
            return content[begin:end].decode("ascii")
        except UnicodeDecodeError:
            raise self.error("not a KataGo model, or damaged") from None

    def integer(self, low: int = 0, high: int = 1 << 20) -> int:
        """Return the next word as an integer within a range."""
        word = self.word()
        try:
            number = int(word)
        except ValueError:
            raise self.error(f"not a KataGo model: expected a number, got {word[:20]!r}") from None
        if not low <= number <= high:
            raise self.error(f"damaged KataGo model: {number} is not within {low} to {high}")
        return number

    def floating(self) -> float:
        """Return the next word as a float."""
        word = self.word()
        try:
            return float(word)
        except ValueError:
            raise self.error(f"not a KataGo model: expected a number, got {word[:20]!r}") from None

    def zeros(self, count: int) -> None:
        """Read words that must be 0: reserved for options that are not supported."""
        for _ in range(count):
            if self.integer(-(1 << 20)) != 0:
                raise self.error("uses an unsupported option of KataGo")

    def array(self, *shape: int) -> Floats:
        """Return the next array."""
        count = int(np.prod(shape, dtype=object))
        begin = self._content.find(MARK, self._place, self._place + 100) + len(MARK)
        if begin < len(MARK):
            raise self.error("no binary weights found; .txt.gz models are not supported")
        end = begin + 4 * count
        if count > LARGEST_ARRAY or end > len(self._content):
            raise self.error("file is truncated; download it again")
        self._place = end
        numbers = np.frombuffer(self._content, "<f4", count, begin).astype(np.float32)
        if not np.isfinite(numbers).all():
            raise self.error(f"damaged KataGo model: non-finite weights before byte {end}")
        return numbers.reshape(shape)

    def finish(self) -> None:
        """Raise TengenError unless the whole file was read."""
        if self._content[self._place :].strip(BLANKS):
            raise self.error("damaged KataGo model: unexpected data at the end")


def _unpack(path: Path) -> bytearray:
    """Return the decompressed file; its size is limited, so that memory is bounded."""
    if not path.is_file():
        raise TengenError(f"{path}: {'a folder' if path.is_dir() else 'no such file'}")
    limit = min(max(path.stat().st_size * MAX_EXPANSION, ALWAYS_UNPACKED_BYTES), MAX_BYTES)
    content = bytearray()
    try:
        with gzip.open(path) as file:
            while chunk := file.read(CHUNK_BYTES):
                content += chunk
                if len(content) > limit:
                    raise TengenError(
                        f"{path}: not a KataGo model: it decompresses to more than"
                        f" {limit >> 20} MiB"
                    )
    except EOFError:
        raise TengenError(f"{path}: file is truncated; download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TengenError(f"{path}: not a KataGo model (.bin.gz), or damaged") from None
    return content

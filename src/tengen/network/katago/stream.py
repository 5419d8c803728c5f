"""KataGo's model files as a stream of words and blocks of numbers.

The file is gzip. Inside are ASCII words separated by white space; each array of numbers is the
mark `@BIN@` followed by little-endian float32 without separators.
"""

import gzip
import zlib
from pathlib import Path

import numpy as np

from tengen.core.errors import TengenError
from tengen.network.evaluation import Floats

MARK = b"@BIN@"
BLANKS = b" \t\r\n"
LONGEST_WORD = 1000
LARGEST_ARRAY = 1 << 28
"""Numbers; a file that asks for more is damaged."""


class ModelStream:
    """A model file, read from its beginning; every complaint is one line that names the file."""

    def __init__(self, path: Path) -> None:
        """Unpack a file; raise TengenError if it is none of KataGo's."""
        self.path = path
        self._content = _unpack(path)
        self._place = 0

    def error(self, what: str) -> TengenError:
        """Return an error that tells what is wrong with the file."""
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
            raise self.error("the file ends in the middle; get it again")
        self._place = end
        try:
            return content[begin:end].decode("ascii")
        except UnicodeDecodeError:
            raise self.error("not a KataGo model, or a damaged one") from None

    def whole(self, low: int = 0, high: int = 1 << 20) -> int:
        """Return the next word as a whole number within a range."""
        word = self.word()
        try:
            number = int(word)
        except ValueError:
            raise self.error(f"not a KataGo model: a number expected, not {word[:20]!r}") from None
        if not low <= number <= high:
            raise self.error(f"a damaged KataGo model: {number} where {low} to {high} may stand")
        return number

    def real(self) -> float:
        """Return the next word as a number."""
        word = self.word()
        try:
            return float(word)
        except ValueError:
            raise self.error(f"not a KataGo model: a number expected, not {word[:20]!r}") from None

    def zeros(self, count: int) -> None:
        """Read words that must be 0: room for options that this reader does not know."""
        for _ in range(count):
            if self.whole(-(1 << 20)) != 0:
                raise self.error("uses an option of KataGo's that Tengen does not know")

    def array(self, *shape: int) -> Floats:
        """Return the next array."""
        count = int(np.prod(shape, dtype=object))
        begin = self._content.find(MARK, self._place, self._place + 100) + len(MARK)
        if begin < len(MARK):
            raise self.error("weights are not where they should be; is it a .txt.gz model?")
        end = begin + 4 * count
        if count > LARGEST_ARRAY or end > len(self._content):
            raise self.error("the file ends in the middle; get it again")
        self._place = end
        numbers = np.frombuffer(self._content[begin:end], dtype="<f4").astype(np.float32)
        if not np.isfinite(numbers).all():
            raise self.error(f"a damaged KataGo model: weights before byte {end} are no numbers")
        return numbers.reshape(shape)

    def finish(self) -> None:
        """Raise TengenError unless all was read."""
        if self._content[self._place :].strip(BLANKS):
            raise self.error("a damaged KataGo model: more in the file than there should be")


def _unpack(path: Path) -> bytes:
    if not path.is_file():
        raise TengenError(f"{path}: {'a folder' if path.is_dir() else 'no such file'}")
    try:
        return gzip.decompress(path.read_bytes())
    except EOFError:
        raise TengenError(f"{path}: the file ends in the middle; get it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TengenError(f"{path}: not a KataGo model (.bin.gz), or a damaged one") from None

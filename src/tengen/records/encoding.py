"""From bytes to text, whatever the encoding, and back from characters to byte offsets.

Records come in a dozen encodings; the declared one is often missing and sometimes a lie. The
order of trust: a byte order mark, UTF-8 if the bytes are valid UTF-8 (nothing else looks like
it), the declared encoding if the bytes fit it, then whichever East Asian encoding gives the
most ordinary characters, then Latin. Decoding comes before parsing because in Shift-JIS, GBK
and Big5 the second byte of a character may look like a backslash or a bracket.
"""

import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

_STEP = 4096
"""Characters between two entries of the offset table: a table costs little, a lookup too."""

_ALIASES = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb-2312": "gb18030",
    "euc-cn": "gb18030",
    "euccn": "gb18030",
    "cp936": "gb18030",
    "shift-jis": "cp932",
    "shiftjis": "cp932",
    "shift_jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "euc-kr": "cp949",
    "euckr": "cp949",
    "ks_c_5601-1987": "cp949",
    "big5": "cp950",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859_1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
}
"""Supersets, since files use more than the encoding they name."""

_CANDIDATES = ("gb18030", "cp950", "cp932", "cp949", "euc_jp")

_CONVINCING = 0.7
"""A mean mark above which East Asian text is no accident; chance gives about 0.3."""

_FEW = 3
"""Stretches of text below which Hangul may be an accident."""

_DECLARED = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_ .:-]{1,40}?)\s*\]")
_DECLARED_UTF8 = re.compile(rb"CA\s*\[\s*UTF-?8\s*\]", re.IGNORECASE)
_PIECE = re.compile(rb"\)\s*(?=\(\s*;\s*(?:FF|GM|CA|SZ|AP|EV|GN|PB|PW)\s*\[)")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LATIN_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]{1,2}(?![\x80-\xff])")
_HIGH_CHARACTER = re.compile(r"[^\x00-\x7f]")
_ESCAPED_JAPANESE = re.compile(rb"\x1b\$[@B]")
_ESCAPED_KOREAN = re.compile(rb"\x1b\$\)C")


def _keep_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Let bytes that decode to nothing pass as lone surrogates, and back."""
    if isinstance(error, UnicodeDecodeError):
        wrong = error.object[error.start : error.end]
        return "".join(chr(0xDC00 + byte) for byte in wrong), error.end
    if isinstance(error, UnicodeEncodeError):
        wrong_text = error.object[error.start : error.end]
        return bytes(ord(character) & 0xFF for character in wrong_text), error.end
    raise error


codecs.register_error("tengen-keep", _keep_bytes)


@dataclass(frozen=True)
class Piece:
    """A stretch of text in one encoding, and where it starts."""

    start: int
    byte_start: int
    encoding: str


class Text:
    """Decoded text that knows which byte each character came from."""

    def __init__(self, exact: str, pieces: list[Piece], lies: list[int] | None = None):
        """Take text with lone surrogates for bytes that mean nothing, and its pieces.

        `lies` are the indices of pieces whose declared encoding did not fit.
        """
        self._exact = exact
        self.pieces = pieces
        self._starts = [*(piece.start for piece in pieces), len(exact)]
        self.lies = lies or []
        self.bad = [match.start() for match in re.finditer("[\udc00-\udcff]+", exact)]
        self.text = re.sub("[\udc00-\udcff]", "\ufffd", exact) if self.bad else exact
        self._table: list[int] | None = None

    def byte_offset(self, index: int) -> int:
        """Return the byte at which the character at `index` starts.

        Exact but for ISO-2022, whose escapes between characters are not counted.
        """
        if self._table is None:
            self._table = self._make_table()
        entry = min(index, len(self._exact)) // _STEP
        return self._table[entry] + self._length(entry * _STEP, index)

    def _make_table(self) -> list[int]:
        table = [self.pieces[0].byte_start]
        for start in range(0, len(self._exact), _STEP):
            table.append(table[-1] + self._length(start, start + _STEP))
        return table

    def _length(self, start: int, end: int) -> int:
        """Count the bytes of a short stretch of characters."""
        length = 0
        first = bisect_right(self._starts, start, hi=len(self.pieces)) - 1
        last = bisect_left(self._starts, end, hi=len(self.pieces))
        for number in range(first, last):
            piece = self.pieces[number]
            part = self._exact[max(start, piece.start) : min(end, self._starts[number + 1])]
            if piece.encoding.startswith("iso2022"):
                length += len(part) + len(_HIGH_CHARACTER.findall(part))
            else:
                length += len(part.encode(piece.encoding, "tengen-keep"))
        return length


def decode(data: bytes) -> Text:
    """Return the text of a file; never fails."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _decode_as(data, encoding, len(mark))
    if wide := _wide_encoding(data):
        return _decode_as(data, wide, 0)
    is_escaped = b"\x1b$" in data and not _DECLARED_UTF8.search(data)
    if not is_escaped and (data.isascii() or _fits(data, "utf-8")):
        return _decode_as(data, "utf-8", 0)
    return _decode_pieces(data)


def _decode_as(data: bytes, encoding: str, skip: int) -> Text:
    errors = "replace" if encoding.startswith("utf-16") else "tengen-keep"
    return Text(data[skip:].decode(encoding, errors), [Piece(0, skip, encoding)])


def _wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by the zero bytes of the ASCII it starts with."""
    head = data[:200]
    if len(head) < 8 or head.count(0) < len(head) // 3:
        return None
    if head[1] == head[3] == 0:
        return "utf-16-le"
    return "utf-16-be" if head[0] == head[2] == 0 else None


def _escaped_encoding(data: bytes) -> str | None:
    if b"\x1b$" not in data or not data.isascii() or _DECLARED_UTF8.search(data):
        return None
    if _ESCAPED_JAPANESE.search(data) and _fits(data, "iso2022_jp_2"):
        return "iso2022_jp_2"
    if _ESCAPED_KOREAN.search(data) and _fits(data, "iso2022_kr"):
        return "iso2022_kr"
    return None


def _decode_pieces(data: bytes) -> Text:
    """Decode game by game, since collections mix encodings.

    Where the cuts fall does no harm: the texts are joined again before they are parsed.
    """
    cuts = [0, *(match.end() for match in _PIECE.finditer(data)), len(data)]
    texts: list[str] = []
    pieces: list[Piece] = []
    lies: list[int] = []
    length = 0
    for start, end in zip(cuts, cuts[1:], strict=False):
        part = data[start:end]
        encoding, lied = sniff(part)
        if lied:
            lies.append(length)
        if not pieces or pieces[-1].encoding != encoding:
            pieces.append(Piece(length, start, encoding))
        texts.append(part.decode(encoding, "tengen-keep"))
        length += len(texts[-1])
    return Text("".join(texts), pieces, lies)


def sniff(data: bytes) -> tuple[str, bool]:
    """Return the encoding of a stretch of bytes, and whether it contradicts the declared one."""
    if escaped := _escaped_encoding(data):
        return escaped, False
    if data.isascii() or _fits(data, "utf-8"):
        return "utf-8", False
    declared = _declared_encoding(data)
    if declared and _is_plausible(data, declared):
        return declared, False
    found = _damaged_utf8(data) or _latin(data) or _east_asian(data)[0]
    return found, declared is not None and declared != found


def _declared_encoding(data: bytes) -> str | None:
    match = _DECLARED.search(data)
    if match is None:
        return None
    name = match[1].decode("ascii").lower()
    name = _ALIASES.get(name, name)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # Python's registry also holds codecs that are not text, and some that do harm.
    is_text = getattr(info, "_is_text_encoding", True)
    return None if not is_text or info.name in _NOT_ENCODINGS else info.name


_NOT_ENCODINGS = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"}


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _is_plausible(data: bytes, encoding: str) -> bool:
    """Tell whether bytes decode without error, without control characters, and to sense."""
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return False
    if re.search("[\x80-\x9f]", text):
        return False
    if not encoding.startswith(("cp125", "iso8859")) or _latin(data) is not None:
        return True
    # Names in Chinese declared as Latin decode too, to strings of accented letters.
    return not _damaged_utf8(data) and _east_asian(data)[1] < _CONVINCING


def _damaged_utf8(data: bytes) -> str | None:
    """Recognise UTF-8 with a few broken characters, as programs leave that cut names short."""
    text = data.decode("utf-8", "tengen-keep")
    good = bad = 0
    for character in _HIGH_CHARACTER.findall(text):
        if "\udc00" <= character <= "\udcff":
            bad += 1
        else:
            good += 1
    return "utf-8" if good > bad else None


def _latin(data: bytes) -> str | None:
    """Recognise Latin text by its high bytes: one or two among letters, few of them controls."""
    runs = _HIGH_RUN.findall(data)
    high = b"".join(runs)
    controls = sum(byte < 0xA0 for byte in high)
    in_words = len(_LATIN_WORD.findall(data))
    if controls > 0.3 * len(high) or (len(high) >= 1.3 * len(runs) and 2 * in_words <= len(runs)):
        return None
    return "cp1252" if _fits(data, "cp1252") else "latin-1"


def _east_asian(data: bytes) -> tuple[str, float]:
    """Return the encoding that gives the most ordinary characters, and their mean mark.

    If none gives any sense, it is Latin-1, which has a character for every byte.
    """
    best, best_score = "latin-1", 0.0
    for encoding in _CANDIDATES:
        text = data.decode(encoding, "tengen-keep")
        score = _ordinariness(text, _JUDGES[encoding])
        if encoding == "cp949" and len(_HIGH_RUN.findall(data)) < _FEW:
            score *= 0.9  # a single Chinese name may be all Hangul by accident
        # A decoding that swallows brackets as second bytes breaks the record.
        score -= 0.5 * (data.count(b"]") - text.count("]")) / max(1, data.count(b"]"))
        if score > best_score + 1e-9:
            best, best_score = encoding, score
    return best, best_score


def _ordinariness(text: str, judge: Callable[[str], float]) -> float:
    """Return the mean mark of the characters beyond ASCII: 1 for ordinary ones, 0 for odd."""
    characters = _HIGH_CHARACTER.findall(text)[:2000]
    if not characters:
        return 0.0
    marks = [-1.0 if "\udc00" <= c <= "\udcff" else judge(c) for c in characters]
    return sum(marks) / len(marks)


def _is_kana(character: str) -> bool:
    return "\u3041" <= character <= "\u30fe"


def _is_common(character: str) -> bool:
    """Punctuation and the wide forms of ASCII, common to all of them."""
    return "\u3000" <= character <= "\u301f" or "\uff01" <= character <= "\uff5e"


def _judge_in_rows(codec: str, first: int, last: int, rare: float) -> Callable[[str], float]:
    """Judge by the row of the character: tables list the frequent characters first."""

    def judge(character: str) -> float:
        if _is_common(character):
            return 0.8
        try:
            code = character.encode(codec)
        except UnicodeError:
            return 0.0
        return 1.0 if len(code) == 2 and first <= code[0] <= last else rare

    return judge


def _judge_japanese(character: str) -> float:
    if _is_kana(character) or character in "々黒":
        return 1.0
    if "\uff61" <= character <= "\uff9f":
        return -0.5
    return _JIS_LEVEL_1(character)


def _judge_korean(character: str) -> float:
    """Judge so that text of nothing but Hangul is Korean, though it is good Chinese too."""
    return 1.05 * _HANGUL(character)


_HANGUL = _judge_in_rows("euc_kr", 0xB0, 0xC8, 0.1)
_JIS_LEVEL_1 = _judge_in_rows("euc_jp", 0xB0, 0xCF, 0.2)
_JUDGES: dict[str, Callable[[str], float]] = {
    "gb18030": _judge_in_rows("gb2312", 0xB0, 0xD7, 0.2),
    "cp950": _judge_in_rows("big5", 0xA4, 0xC6, 0.2),
    "cp932": lambda character: 0.95 * _judge_japanese(character),
    "euc_jp": lambda character: 0.9 * _judge_japanese(character),
    "cp949": _judge_korean,
}

"""Detection of text encodings, decoding, and the byte offsets of decoded characters.

Records use a dozen encodings; the declared one is often missing and sometimes wrong. In order of
precedence: a byte order mark; UTF-8 if the bytes are valid UTF-8; the declared encoding if it is
plausible; Latin; the East Asian encoding that gives the most common characters. Decoding precedes
parsing because in Shift-JIS, GBK and Big5 the second byte of a character may be a backslash or a
bracket.
"""

import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

_TABLE_STEP = 4096
"""Characters between two entries of the table of byte offsets."""

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
"""Supersets of the declared encodings, since files use characters beyond them."""

_UNSAFE_CODECS = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"}

_EAST_ASIAN_ENCODINGS = ("gb18030", "cp950", "cp932", "cp949", "euc_jp")

_EAST_ASIAN_THRESHOLD = 0.7
"""Mean character score above which text is East Asian; random bytes score about 0.3."""

_MIN_HANGUL_RUNS = 3
"""With fewer runs of non-ASCII bytes, text that decodes to Hangul may be Chinese."""

_DECLARED = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_ .:-]{1,40}?)\s*\]")
_DECLARED_UTF8 = re.compile(rb"CA\s*\[\s*UTF-?8\s*\]", re.IGNORECASE)
_GAME_BOUNDARY = re.compile(rb"\)\s*(?=\(\s*;\s*(?:FF|GM|CA|SZ|AP|EV|GN|PB|PW)\s*\[)")
_NON_ASCII_RUN = re.compile(rb"[\x80-\xff]+")
_LATIN_WORD = re.compile(rb"(?<=[A-Za-z])[\x80-\xff]{1,2}(?![\x80-\xff])")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")
_ISO2022_JAPANESE = re.compile(rb"\x1b\$[@B]")
_ISO2022_KOREAN = re.compile(rb"\x1b\$\)C")


def _keep_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Decode invalid bytes to lone surrogates, and encode these back to the bytes."""
    if isinstance(error, UnicodeDecodeError):
        wrong = error.object[error.start : error.end]
        return "".join(chr(0xDC00 + byte) for byte in wrong), error.end
    if isinstance(error, UnicodeEncodeError):
        wrong_text = error.object[error.start : error.end]
        return bytes(ord(character) & 0xFF for character in wrong_text), error.end
    raise error


codecs.register_error("tengen-keep", _keep_bytes)


@dataclass(frozen=True)
class EncodedSpan:
    """A stretch of text in one encoding: its first character and byte, and the encoding."""

    start: int
    byte_start: int
    encoding: str


class DecodedText:
    """Decoded text with the byte offset of each character."""

    def __init__(
        self, exact: str, spans: list[EncodedSpan], wrong_declarations: list[int] | None = None
    ):
        """Create it from text with lone surrogates for invalid bytes, and its spans.

        `wrong_declarations` are indices of games whose declared encoding is wrong.
        """
        self._exact = exact
        self.spans = spans
        self._starts = [*(span.start for span in spans), len(exact)]
        self.wrong_declarations = wrong_declarations or []
        self.invalid_indices = [m.start() for m in re.finditer("[\udc00-\udcff]+", exact)]
        self.text = re.sub("[\udc00-\udcff]", "\ufffd", exact) if self.invalid_indices else exact
        self._table: list[int] | None = None

    def byte_offset(self, index: int) -> int:
        """Return the offset of the first byte of the character at `index`.

        It is exact except for ISO-2022, whose escape sequences are not counted.
        """
        if self._table is None:
            self._table = self._make_table()
        entry = min(index, len(self._exact)) // _TABLE_STEP
        return self._table[entry] + self._byte_length(entry * _TABLE_STEP, index)

    def _make_table(self) -> list[int]:
        table = [self.spans[0].byte_start]
        for start in range(0, len(self._exact), _TABLE_STEP):
            table.append(table[-1] + self._byte_length(start, start + _TABLE_STEP))
        return table

    def _byte_length(self, start: int, end: int) -> int:
        """Return the number of bytes of the characters from `start` to `end` - 1."""
        length = 0
        first = bisect_right(self._starts, start, hi=len(self.spans)) - 1
        last = bisect_left(self._starts, end, hi=len(self.spans))
        for number in range(first, last):
            span = self.spans[number]
            part = self._exact[max(start, span.start) : min(end, self._starts[number + 1])]
            if span.encoding.startswith("iso2022"):
                length += len(part) + len(_NON_ASCII.findall(part))
            else:
                length += len(part.encode(span.encoding, "tengen-keep"))
        return length


def decode(data: bytes) -> DecodedText:
    """Decode the content of a file; never raises."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _decode_whole(data, encoding, len(mark))
    if utf16 := _detect_utf16(data):
        return _decode_whole(data, utf16, 0)
    is_escaped = b"\x1b$" in data and not _DECLARED_UTF8.search(data)
    if not is_escaped and (data.isascii() or _fits(data, "utf-8")):
        return _decode_whole(data, "utf-8", 0)
    return _decode_by_game(data)


def _decode_whole(data: bytes, encoding: str, skip: int) -> DecodedText:
    errors = "replace" if encoding.startswith("utf-16") else "tengen-keep"
    return DecodedText(data[skip:].decode(encoding, errors), [EncodedSpan(0, skip, encoding)])


def _detect_utf16(data: bytes) -> str | None:
    """Detect UTF-16 without a byte order mark by the zero bytes of leading ASCII."""
    head = data[:200]
    if len(head) < 8 or head.count(0) < len(head) // 3:
        return None
    if head[1] == head[3] == 0:
        return "utf-16-le"
    return "utf-16-be" if head[0] == head[2] == 0 else None


def _detect_iso2022(data: bytes) -> str | None:
    if b"\x1b$" not in data or not data.isascii() or _DECLARED_UTF8.search(data):
        return None
    if _ISO2022_JAPANESE.search(data) and _fits(data, "iso2022_jp_2"):
        return "iso2022_jp_2"
    if _ISO2022_KOREAN.search(data) and _fits(data, "iso2022_kr"):
        return "iso2022_kr"
    return None


def _decode_by_game(data: bytes) -> DecodedText:
    """Decode game by game, since collections mix encodings.

    A misplaced cut is harmless: the texts are joined again before they are parsed.
    """
    cuts = [0, *(match.end() for match in _GAME_BOUNDARY.finditer(data)), len(data)]
    texts: list[str] = []
    spans: list[EncodedSpan] = []
    wrong_declarations: list[int] = []
    length = 0
    for start, end in zip(cuts, cuts[1:], strict=False):
        part = data[start:end]
        encoding, is_declaration_wrong = detect_encoding(part)
        if is_declaration_wrong:
            wrong_declarations.append(length)
        if not spans or spans[-1].encoding != encoding:
            spans.append(EncodedSpan(length, start, encoding))
        texts.append(part.decode(encoding, "tengen-keep"))
        length += len(texts[-1])
    return DecodedText("".join(texts), spans, wrong_declarations)


def detect_encoding(data: bytes) -> tuple[str, bool]:
    """Return the encoding of some bytes, and whether the declared one is wrong."""
    if iso2022 := _detect_iso2022(data):
        return iso2022, False
    if data.isascii() or _fits(data, "utf-8"):
        return "utf-8", False
    declared = _declared_encoding(data)
    if declared and _is_plausible(data, declared):
        return declared, False
    found = _detect_damaged_utf8(data) or _detect_latin(data) or _detect_east_asian(data)[0]
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
    # Python's registry also holds codecs that are not text encodings, and some unsafe ones.
    is_text = getattr(info, "_is_text_encoding", True)
    return None if not is_text or info.name in _UNSAFE_CODECS else info.name


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _is_plausible(data: bytes, encoding: str) -> bool:
    """Return whether bytes decode to text without errors, control characters or gibberish."""
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return False
    if re.search("[\x80-\x9f]", text):
        return False
    if not encoding.startswith(("cp125", "iso8859")) or _detect_latin(data) is not None:
        return True
    # Chinese names declared as Latin also decode, to strings of accented letters.
    return not _detect_damaged_utf8(data) and _detect_east_asian(data)[1] < _EAST_ASIAN_THRESHOLD


def _detect_damaged_utf8(data: bytes) -> str | None:
    """Detect UTF-8 with a few invalid characters, as left by programs that truncate names."""
    text = data.decode("utf-8", "tengen-keep")
    valid = invalid = 0
    for character in _NON_ASCII.findall(text):
        if "\udc00" <= character <= "\udcff":
            invalid += 1
        else:
            valid += 1
    return "utf-8" if valid > invalid else None


def _detect_latin(data: bytes) -> str | None:
    """Detect Latin text: one or two non-ASCII bytes among letters, few control characters."""
    runs = _NON_ASCII_RUN.findall(data)
    high = b"".join(runs)
    controls = sum(byte < 0xA0 for byte in high)
    in_words = len(_LATIN_WORD.findall(data))
    if controls > 0.3 * len(high) or (len(high) >= 1.3 * len(runs) and 2 * in_words <= len(runs)):
        return None
    return "cp1252" if _fits(data, "cp1252") else "latin-1"


def _detect_east_asian(data: bytes) -> tuple[str, float]:
    """Return the encoding that gives the most common characters, and their mean score.

    Falls back to Latin-1, which has a character for every byte.
    """
    best, best_score = "latin-1", 0.0
    for encoding in _EAST_ASIAN_ENCODINGS:
        text = data.decode(encoding, "tengen-keep")
        score = _mean_score(text, _CHARACTER_SCORES[encoding])
        if encoding == "cp949" and len(_NON_ASCII_RUN.findall(data)) < _MIN_HANGUL_RUNS:
            score *= 0.9  # a single Chinese name may happen to decode to Hangul
        # An encoding that takes brackets for second bytes of characters breaks the record.
        score -= 0.5 * (data.count(b"]") - text.count("]")) / max(1, data.count(b"]"))
        if score > best_score + 1e-9:
            best, best_score = encoding, score
    return best, best_score


def _mean_score(text: str, score: Callable[[str], float]) -> float:
    """Return the mean score of the non-ASCII characters: 1 for common ones, 0 for rare ones."""
    characters = _NON_ASCII.findall(text)[:2000]
    if not characters:
        return 0.0
    scores = [-1.0 if "\udc00" <= c <= "\udcff" else score(c) for c in characters]
    return sum(scores) / len(scores)


def _is_kana(character: str) -> bool:
    return "\u3041" <= character <= "\u30fe"


def _is_punctuation(character: str) -> bool:
    """Return whether it is punctuation or a full-width form, common to all encodings."""
    return "\u3000" <= character <= "\u301f" or "\uff01" <= character <= "\uff5e"


def _score_by_row(codec: str, first: int, last: int, rare: float) -> Callable[[str], float]:
    """Score a character by its row in the codec's table, which lists common characters first."""

    def score(character: str) -> float:
        if _is_punctuation(character):
            return 0.8
        try:
            code = character.encode(codec)
        except UnicodeError:
            return 0.0
        return 1.0 if len(code) == 2 and first <= code[0] <= last else rare

    return score


def _score_japanese(character: str) -> float:
    if _is_kana(character) or character in "々黒":
        return 1.0
    if "\uff61" <= character <= "\uff9f":
        return -0.5
    return _JIS_LEVEL_1(character)


def _score_korean(character: str) -> float:
    """Score Hangul above 1: text of only Hangul is Korean even if it also decodes as Chinese."""
    return 1.05 * _HANGUL(character)


_HANGUL = _score_by_row("euc_kr", 0xB0, 0xC8, 0.1)
_JIS_LEVEL_1 = _score_by_row("euc_jp", 0xB0, 0xCF, 0.2)
_CHARACTER_SCORES: dict[str, Callable[[str], float]] = {
    "gb18030": _score_by_row("gb2312", 0xB0, 0xD7, 0.2),
    "cp950": _score_by_row("big5", 0xA4, 0xC6, 0.2),
    "cp932": lambda character: 0.95 * _score_japanese(character),
    "euc_jp": lambda character: 0.9 * _score_japanese(character),
    "cp949": _score_korean,
}

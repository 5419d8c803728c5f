"""Damaged game records, and the invariants of reading them."""

import random

from tengen.records import RecordWarning, read_bytes, sgf_bytes

SEEDS = [
    b"(;FF[4]GM[1]CA[UTF-8]SZ[19]KM[6.5]PB[a]PW[b]RE[B+R];B[pd];W[dd];B[pq];W[dp];B[];W[tt])",
    b"(;GM[1]FF[3]SZ[9]HA[2]AB[gc][cg];W[ee];B[ec](;W[cc];B[dc])(;W[gg]C[or [a\\] ] here]))",
    b"(;SZ[7:9]AB[aa:cc]AW[dd];B[ee]AE[aa]LB[ee:1][dd:2];PL[W]W[ff]TR[aa][bb])",
    "(;CA[GBK]PB[石下之臣]PW[李载雄]RE[黑中盘胜];B[qd];W[dp])".encode("gb18030"),
    "(;CA[Shift_JIS]PB[申眞ソ]RE[白3目半勝];B[qd]C[表示能];W[dp])".encode("cp932"),
    "(;PB[이세돌]PW[박정환]RE[흑 불계승];B[qd];W[dp])".encode("cp949"),
    "(;PB[Jérôme];B[qd]C[Übung])".encode("latin-1"),
    "(;FF[4]SZ[5];B[cc];W[bb])".encode("utf-16"),
    "(;CA[ISO-2022-JP]PB[囲碁];B[qd])".encode("iso2022_jp"),
    b"(;White[qd]AddBlack[aa]KoMi[6,5]Comment[old])(;FF[4]GM[1]SZ[5];B[aa])(;GM[2];B[aa])",
    b"(;SZ[3];B[aa];W[ba];B[ca];W[ab];B[bb];W[cb];B[ac];W[bc];B[cc];W[aa])" * 3,
    b"\\HS\r\n\\[GAMEBLACKNAME=x (3D)\\]\r\n\\[GAMEINFOMAIN=GRLT:1,ZIPSU:110,GONGJE:65,"
    b"LINE:19\\]\r\n\\HE\r\n\\GS\r\nINI 0 1 3 &4\r\nSTO 0 2 2 3 3\r\nSKI 0 3\r\n\\GE\r\n",
    b"Rated game\n19\nA  9DP\nB  5K*\nx\n2\n0\n7\n20170316 [09:37]\n5\nWhite wins by 2.5!\n2\n"
    b"PMABWREER\nPMACBEEEE\n",
    b"GIcup\nGIx 9D\nGIy 5D\nGI\nGI\nGI2006-9-5\nGI19\nGI0\nGI0\nGI6\nGI2\nPMABBREER\nGI1\n",
    b"[Header]\nSize=19\nHdcp=0,6.5\nWinner=B,2.5\nCoordinateType=IGS\nPlayerB=k,2k,,\n[Data]\n"
    b"QP,B1,1,0\nYA,W1,2,0\n[ReviewNode]\nNODE,1,0,0,0\nNODE,2,1,17,16\n  VARIATION,\n"
    b"    NODE,4,2,3,3\n  VARIATIONEND,\nNODE,3,2,4,17\n[ReviewComment]\n.Comment,2\nhello\n",
]

TOKENS = [b"(", b")", b"[", b"]", b";", b"\\", b"(;", b"B[aa]", b"W[", b"C[", b"FF[4]", b"SZ[9]"]
TOKENS += [b"AB[", b"\x00", b"\xff", b"\x1b$B", b"\xef\xbb\xbf", b":", b"9" * 30, b"\n", b"KM[x]"]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Return the data with random damage."""
    text = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.randint(0, rng.choice((1, 1, 4, 40))))
        kind = rng.randrange(6)
        if kind == 0:
            del text[start:end]
        elif kind == 1:
            text[start:start] = rng.choice(TOKENS)
        elif kind == 2:
            text[start:end] = rng.randbytes(end - start)
        elif kind == 3:
            text[start:start] = text[start:end] * rng.randint(1, 5)
        elif kind == 4:
            del text[start + rng.randint(0, 30) :]
        else:
            text += rng.choice(SEEDS)
    return bytes(text)


def random_case(rng: random.Random) -> bytes:
    """Return a damaged record or, sometimes, random bytes or tokens."""
    if rng.random() < 0.05:
        return rng.randbytes(rng.randint(0, 300))
    if rng.random() < 0.1:
        return b"".join(rng.choice(TOKENS) for _ in range(rng.randint(1, 60)))
    return mutate(rng.choice(SEEDS), rng)


def check_survival(data: bytes) -> None:
    """Read, replay, write and read again; raise AssertionError if an invariant fails."""
    file_warnings: list[RecordWarning] = []
    games = list(read_bytes(data, "case", file_warnings.append))
    _require(bool(games or file_warnings), "no games and no warnings")
    for game in games:
        for warning in game.warnings:
            _require(0 <= warning.offset <= len(data) + 16, warning)
            _require("\n" not in str(warning), warning)
        if game.is_playable:
            _require(game.position().rows == game.rows, game.rows)
        written = sgf_bytes(game)
        again = list(read_bytes(written, "again", file_warnings.append))
        _require(len(again) == 1, (len(again), written))
        _require(again[0].moves == game.moves, written)
        _require(again[0].setup == game.setup, written)
        _require(again[0].result == game.result, written)
        _require(sgf_bytes(again[0]) == written, written)


def _require(condition: bool, detail: object) -> None:
    if not condition:
        raise AssertionError(detail)

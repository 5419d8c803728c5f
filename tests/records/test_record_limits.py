"""Limits on hostile records, and the fast path for lines of plain nodes."""

import random
import re
import time

import pytest

from tengen.bench.selfcheck import SEEDS, mutate
from tengen.records import WarningKind, grammar, ignore_warning, mask_points, point_mask, read_bytes
from tengen.records.warning import MAX_WARNINGS

LINES = [
    b"(;SZ[9];B[aa]BL[10.5]OB[3]C[x\\] ;W[bb]];W[];B[tt] ;W[cc](;B[dd];W[ee])(;B[ff]))",
    b"(;B[aa];W[bb]);W[cc];B[dd])(;SZ[5];B[ff];W[aa])",
    b"(;SZ[9](;B[aa];W[bb])(;B[cc];W[dd]);B[ee];W[ff]C[a]b])",
    b"(;B[aa];W[bb]\n[cc];B[dd] junk;W[ee]",
]


def content(data):
    """Return everything that is read: trees, offsets, moves and warnings."""
    outside = []
    games = [
        (
            [(node.properties, node.offset, len(node.children)) for node in game.root.walk()],
            game.moves,
            game.warnings,
        )
        for game in read_bytes(data, "file", outside.append)
    ]
    return games, outside


def test_lines_kept_as_text_are_read_like_other_nodes(monkeypatch):
    rng = random.Random(3)
    cases = [mutate(rng.choice(SEEDS + LINES * 3), rng) for _ in range(1500)] + SEEDS + LINES
    fast = [content(data) for data in cases]
    monkeypatch.setattr(grammar, "PLAIN_LINE", re.compile(r"(?!)"))
    assert fast == [content(data) for data in cases]


def test_lines_are_kept_as_text():
    (game,) = read_bytes(b"(;SZ[9];B[aa];W[bb]C[x];B[ee])")
    assert game.root.line_moves() == ["B[aa]", "W[bb]", "B[ee]"]
    assert [node.text("C") for node in game.root.main_line()] == [None, None, "x", None]
    assert game.root.line_moves() == []


@pytest.mark.parametrize(
    "data",
    [
        b"(;AB" + b"[aa:ss]" * 200_000 + b")",
        b"(;AB" + b"[aa]" * 1_000_000 + b")",
        b"(;" + b"AB[aa]" * 200_000 + b")",
        b"(;" + b";AE[aa:ss]" * 200_000 + b")",
        b"(;" + b";B[aa];W[]" * 400_000 + b")",
    ],
)
def test_hostile_records_take_seconds(data):
    start_s = time.process_time()
    (game,) = read_bytes(data, "file", ignore_warning)
    assert time.process_time() - start_s < 10
    assert len(game.warnings) <= MAX_WARNINGS + len(WarningKind)
    assert all(len(v) <= grammar.MAX_VALUES for v in game.root.properties.values())


def test_limits_are_reported(monkeypatch):
    monkeypatch.setattr(grammar, "MAX_NODES", 10)
    (game,) = read_bytes(b"(;SZ[9]" + b";N[x]" * 20 + b")(;B[aa])")
    assert [warning.kind for warning in game.warnings] == [WarningKind.TRUNCATED]
    (game,) = read_bytes(b"(;SZ[9]" + b";B[aa]" * 20 + b")(;B[aa])")
    assert "more than 10 nodes" in game.warnings[0].reason
    (game,) = read_bytes(b"(;LB" + b"[aa:x]" * 2001 + b")")
    assert game.warnings[0].reason == "more than 2,000 values of LB"


def test_further_warnings_are_counted():
    (game,) = read_bytes(b"(;SZ[9]" + b"AB[zz]" * 1500 + b";B[aa])")
    assert len(game.warnings) == MAX_WARNINGS + 1
    assert game.warnings[-1].reason == "500 further warnings of this kind"


@pytest.mark.parametrize("text", ["aa", "ba:cc", "cc:ba", "aa:ss", "zz", "aa:bb:cc", "", "ss:"])
def test_point_masks(text):
    mask = point_mask(text, 19, 19)
    corners = [(ord(c[0]) - 97, ord(c[1]) - 97) for c in text.split(":") if len(c) == 2]
    if text in ("zz", "aa:bb:cc", "", "ss:"):
        assert mask is None
        return
    columns, rows = zip(*corners, strict=True)
    expected = [
        (row + 1) * 20 + column + 1
        for row in range(min(rows), max(rows) + 1)
        for column in range(min(columns), max(columns) + 1)
    ]
    assert mask_points(mask) == expected

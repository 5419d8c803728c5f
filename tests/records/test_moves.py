"""The fast move reader against the full reader, on real, irregular and damaged games."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tengen.records import (
    INCOMPLETE_KINDS,
    Document,
    GameRecord,
    MoveSequences,
    WarningKind,
    find_documents,
    ignore_warning,
    read_document,
    read_moves,
)
from tengen.records.moves import encode_moves
from tengen.sources.kernels.shape_tables import is_sound, new_scratch

pytestmark = pytest.mark.kernels


def split(games: MoveSequences) -> list[tuple[tuple[int, int], list[int]]]:
    return [
        (
            tuple(games.sizes[i].tolist()),
            games.codes[games.starts[i] : games.starts[i + 1]].tolist(),
        )
        for i in range(len(games))
    ]


def assert_same(data: bytes, name: str = "x.sgf") -> MoveSequences:
    """Compare the complete and legal games with those of the full reader."""
    document = Document(name, data)
    games = read_moves(document, ignore_warning)
    scratch = new_scratch()
    found = [
        ((rows, columns), codes)
        for (rows, columns), codes in split(games)
        if is_sound(np.array(codes, dtype=np.uint16), np.uintp(rows), np.uintp(columns), scratch)
    ]
    expected = [
        ((record.rows, record.columns), encode_moves(record).tolist())
        for record in read_document(document, ignore_warning)
        if record.is_playable and not record.setup_changes and not INCOMPLETE_KINDS & _kinds(record)
    ]
    assert found == expected
    return games


def _kinds(record: GameRecord) -> set[WarningKind]:
    return {warning.kind for warning in record.warnings}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(;SZ[9];B[aa];W[ii])", [((9, 9), [1 << 9 | 21, 2 << 9 | 189])]),
        ("(;B[])", [((19, 19), [1 << 9])]),
        ("(;FF[4]SZ[9]\n ;B [tt] ;W[bb]C[x\\]y];W[cc])", None),
        ("(;SZ[9];B[aa](;W[bb])(;W[cc]))", None),
        ("(;SZ[9]AB[aa][bb];W[cc])(;SZ[5];B[aa])", None),
        ("(;SZ[9];B[jj])", None),
        ("(;SZ[9];B[AA])", None),
        ("(;SZ[9];B[aa]W[bb])", None),
        ("(;SZ[9];B[aa][bb])", None),
        ("(;SZ[7:9];B[aa])", None),
        ("(;GM[2]SZ[9];B[aa])(;SZ[9];B[bb])", None),
        ("(;SZ[9];B[aa];AE[aa];W[aa])", None),
        ("junk (;SZ[9];B[aa]) more (;SZ[9];B[bb])", None),
        ("(;SZ[9];B[aa]", None),
        ("(;SZ[9];B[aa);W[bb])", None),
        ("(;SZ[9];B[aa]);W[bb])", None),
        ("(;SZ[9];B[aa](;SZ[9];B[bb])", None),
        ("(;SZ[9];Black[aa];w[bb])", None),
        ("(;SZ[9];B[aa];B[aa])", None),
        ("(;B[aa]SZ[9];W[ss])", None),
        ("(;SZ[9];SZ[19];B[ss])", None),
        ("(SZ[9];B[aa])", None),
        ("(;C[a] b];B[aa])", None),
        ("", None),
        ("()", None),
        ("(;)", None),
        ("(;SZ[0];B[aa])(;SZ[99];B[aa])(;SZ[];B[aa])", None),
    ],
)
def test_small_texts(text, expected):
    games = assert_same(text.encode())
    if expected is not None:
        assert split(games) == expected


def test_other_encodings():
    # In Shift-JIS the second byte of these characters is a backslash or a bracket.
    text = "(;SZ[9]PB[表ソ]PW[ポ];B[aa];W[bb])"
    assert_same(text.encode("cp932"))
    assert_same(text.encode("utf-8"))
    assert_same(text.encode("utf-16"))
    assert_same(text.encode("iso2022_jp_2"))


def test_irregular_files(reference_data):
    for document in find_documents(reference_data / "suites" / "odd-sgf.tar.xz", ignore_warning):
        assert_same(document.data, document.name)


@pytest.mark.parametrize("collection", ["pro", "small-9x9", "tom-9d", "tygem-9d"])
def test_real_games(reference_data, collection):
    document = next(
        find_documents(reference_data / "games" / f"{collection}.tar.xz", ignore_warning)
    )
    games = assert_same(document.data[: document.data.index(b"(;", 300_000)])
    assert len(games) > 100


@pytest.fixture(scope="module")
def real(reference_data) -> bytes:
    document = next(find_documents(reference_data / "games" / "small-9x9.tar.xz", ignore_warning))
    return document.data[: document.data.index(b"(;", 3000)]


def test_damaged_games(real):
    rng = np.random.default_rng(7)
    characters = b"()[];\\BW AZaz09\n\xe3"
    for _ in range(600):
        data = bytearray(real[: int(rng.integers(300, len(real)))])
        for _ in range(int(rng.integers(1, 4))):
            index = int(rng.integers(len(data)))
            character = characters[int(rng.integers(len(characters)))]
            match rng.integers(3):
                case 0:
                    data[index] = character
                case 1:
                    data.insert(index, character)
                case _:
                    del data[index : index + int(rng.integers(1, 5))]
        assert_same(bytes(data))


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["(", ")", "(;", ";", "B[aa]", "W[bb]", "B[]", "SZ[9]", "[cc]", "AB[dd]", " ", "C[x"]
            + ["]", "\\", ";B[ab]", ";W[ba]", "GM[1]", "FF[4]", "PL[W]", "x", "B", "[", "(;SZ[5]"]
        ),
        max_size=25,
    )
)
def test_random_token_sequences(parts):
    assert_same("".join(parts).encode())

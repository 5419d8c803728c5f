"""A suite of 150 irregular files of many programs."""

import csv
import io
import tarfile

import pytest

from tengen.records import WarningKind, ignore_warning, read_bytes, sgf_bytes


@pytest.fixture(scope="module")
def odd(reference_data):
    """Return the files by name, and the manifest."""
    path = reference_data / "suites" / "odd-sgf.tar.xz"
    if not path.is_file():
        pytest.skip(f"needs {path}, which is not part of the repository")
    files = {}
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile():
                files[member.name.rpartition("/")[2]] = archive.extractfile(member).read()
    manifest = list(csv.DictReader(io.StringIO(files.pop("MANIFEST.csv").decode())))
    return files, manifest


def games_of(files, number):
    """Return the games of the file with that number."""
    name = next(name for name in files if name.startswith(f"{number:03d}_"))
    return list(read_bytes(files[name], name, ignore_warning))


def test_reads_a_game_of_every_file(odd):
    files, manifest = odd
    assert len(manifest) == 150
    empty = []
    for row in manifest:
        if not list(read_bytes(files[row["file"]], row["file"], ignore_warning)):
            empty.append(row["file"])
    assert empty == ["070_gnugo-3.8-regression_nightmare.sgf"]  # empty file


def test_number_of_nodes_agrees_with_sgfmill(odd):
    """The manifest has the number of nodes of the main line according to sgfmill 1.1.1."""
    files, manifest = odd
    for row in manifest:
        if row["sgfmill_1.1.1"].startswith("ok:"):
            game = next(read_bytes(files[row["file"]], row["file"], ignore_warning))
            nodes = sum(1 for _ in game.root.main_line())
            assert nodes == int(row["sgfmill_1.1.1"][3:]), row["file"]


def test_keeps_all_legal_moves(odd):
    files, _ = odd
    stopped = []
    for name, data in files.items():
        for game in read_bytes(data, name, ignore_warning):
            written = sum(
                len(values)
                for node in game.root.main_line()
                for key, values in node.properties.items()
                if key in ("B", "W")
            )
            kinds = {warning.kind for warning in game.warnings}
            if kinds & {WarningKind.ILLEGAL_MOVE, WarningKind.NOT_GO, WarningKind.SIZE}:
                stopped.append(name)
            else:
                assert len(game.moves) == written, name
    assert stopped == [
        "125_herzbube-libsgfcplusplus_compressed-point-list.sgf",  # the second game is not Go
        "287_Remi-Coulom-gogui_invalidmove.sgf",
    ]


def test_round_trip(odd):
    files, _ = odd
    for name, data in files.items():
        for game in read_bytes(data, name, ignore_warning):
            written = sgf_bytes(game)
            (again,) = read_bytes(written, name, ignore_warning)
            assert again.moves == game.moves, name
            assert again.setup == game.setup, name
            assert again.result == game.result, name
            assert sgf_bytes(again) == written, name


@pytest.mark.parametrize(
    ("number", "black", "white", "moves", "result"),
    [
        (99, "石下之臣", "harpmaster", 268, "W+11"),  # GIB in GB2312
        (100, "jy512", "leejw977", 118, "?"),  # GIB in UTF-8
        (101, "CYY", "LQC", 333, "B+0.5"),  # NGF
        (102, "朴承华", "李载雄", 211, "B+R"),  # the older NGF, in GB2312
        (103, "p81587", "ace550", 189, "W+R"),  # NGF with handicap
        (108, "申眞ソ", "党毅飛", 8, "B+R"),  # Nihon Kiin: Shift-JIS, no first semicolon
        (112, "Kitani Minoru", "Go Seigen", 164, "?"),  # UTF-16
        (115, "benjito2", "qys1980", 293, "B+63.5"),  # the newer GIB
        (3, "fuego9 bot", "Jan Hrabánek", 49, "?"),  # Latin-1, not declared
        (249, "Sato Masaharu", "佐藤洋平", 155, "B+R"),
    ],
)
def test_players_moves_and_results(odd, number, black, white, moves, result):
    (game,) = games_of(odd[0], number)
    found = (game.black, game.white, len(game.moves), str(game.result))
    assert found == (black, white, moves, result)


def test_offset_of_an_illegal_move(odd):
    (game,) = games_of(odd[0], 287)
    (warning,) = game.warnings
    assert (warning.kind, warning.offset) == (WarningKind.ILLEGAL_MOVE, 69)
    assert len(game.moves) == 2


def test_declared_encodings(odd):
    for number, word in ((127, "围棋"), (130, "囲碁"), (131, "古代"), (139, "यह"), (142, "Šš")):
        comments = "".join(
            node.text("C") or "" for node in games_of(odd[0], number)[0].root.main_line()
        )
        assert word in comments or number in (130, 139), number
        assert not comments.isascii(), number


def test_rectangles_of_stones(odd):
    (game,) = games_of(odd[0], 94)
    assert len(game.setup) == 4

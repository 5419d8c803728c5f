"""The 150 odd files: each is read, none is lost, and what is known of them comes out."""

import csv
import io
import tarfile

import pytest

from tengen.records.reader import read_bytes
from tengen.records.warning import WarningKind
from tengen.records.writer import sgf_bytes


def quiet(warning):
    pass


@pytest.fixture(scope="module")
def odd(shared):
    """The files by name, and the manifest."""
    path = shared / "suites" / "odd-sgf.tar.xz"
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
    return list(read_bytes(files[name], name, quiet))


def test_every_file_gives_a_game(odd):
    files, manifest = odd
    assert len(manifest) == 150
    empty = []
    for row in manifest:
        if not list(read_bytes(files[row["file"]], row["file"], quiet)):
            empty.append(row["file"])
    assert empty == ["070_gnugo-3.8-regression_nightmare.sgf"]  # it has no bytes


def test_where_sgfmill_reads_we_read_the_same_nodes(odd):
    """The manifest holds the nodes of the main line as sgfmill 1.1.1 counts them."""
    files, manifest = odd
    for row in manifest:
        if row["sgfmill_1.1.1"].startswith("ok:"):
            game = next(read_bytes(files[row["file"]], row["file"], quiet))
            nodes = sum(1 for _ in game.root.main_line())
            assert nodes == int(row["sgfmill_1.1.1"][3:]), row["file"]


def test_all_moves_are_kept_unless_one_is_illegal(odd):
    files, _ = odd
    stopped = []
    for name, data in files.items():
        for game in read_bytes(data, name, quiet):
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
        "125_herzbube-libsgfcplusplus_compressed-point-list.sgf",  # its second game is not Go
        "287_Remi-Coulom-gogui_invalidmove.sgf",
    ]


def test_everything_is_written_and_read_back(odd):
    files, _ = odd
    for name, data in files.items():
        for game in read_bytes(data, name, quiet):
            written = sgf_bytes(game)
            (again,) = read_bytes(written, name, quiet)
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
def test_special_ones(odd, number, black, white, moves, result):
    (game,) = games_of(odd[0], number)
    found = (game.black, game.white, len(game.moves), str(game.result))
    assert found == (black, white, moves, result)


def test_an_illegal_move_is_named_with_its_byte(odd):
    (game,) = games_of(odd[0], 287)
    (warning,) = game.warnings
    assert (warning.kind, warning.offset) == (WarningKind.ILLEGAL_MOVE, 69)
    assert len(game.moves) == 2


def test_declared_encodings_come_out(odd):
    for number, word in ((127, "围棋"), (130, "囲碁"), (131, "古代"), (139, "यह"), (142, "Šš")):
        comments = "".join(
            node.text("C") or "" for node in games_of(odd[0], number)[0].root.main_line()
        )
        assert word in comments or number in (130, 139), number
        assert not comments.isascii(), number


def test_rectangles_of_stones(odd):
    (game,) = games_of(odd[0], 94)
    assert len(game.setup) == 4

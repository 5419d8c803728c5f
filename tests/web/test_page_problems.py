"""Problems: verdicts of files, spaced repetition, collections, and the page's messages."""

import io
import tarfile
from datetime import date, timedelta

import pytest
from web_helpers import client_of, make_game_server, page_of

from tengen.board import BLACK, WHITE, parse_vertex
from tengen.records import read_bytes
from tengen.util import TengenError
from tengen.web.problem_store import INTERVALS, MIN_BETWEEN, ProblemProgress, ProblemStore
from tengen.web.problems import Attempt, Problem, Status, cut_line, text_verdict

SETUP = "GM[1]SZ[9]AB[aa][ba][ca][da]AW[ab][bb][cb][db]PL[B]"
TREE = f"(;{SETUP}C[Find the correct move](;B[gg]C[RIGHT])(;B[hh];W[hg];B[gh])(;B[ee]C[Wrong]))"
DAY = date(2026, 3, 1)


def problem(text):
    (record,) = read_bytes(text.encode())
    return Problem(record)


def attempt(text):
    return Attempt(problem(text))


# Verdicts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("RIGHT", True),
        ("right", True),
        ("Black lives. RIGHT", True),
        ("Right!", True),
        ("That's right.", True),
        ("Correct", True),
        ("This is correct.", True),
        ("正解", True),
        ("richtig", True),
        ("Black takes the right side", None),
        ("the stones on the right live", None),
        ("White fails to capture", None),
        ("Wrong", False),
        ("wrong!", False),
        ("Incorrect.", False),
        ("not correct", False),
        ("Failure", False),
        ("失敗", False),
        ("不正解", False),
        ("", None),
    ],
)
def test_text_verdict(text, verdict):
    assert text_verdict(text) is verdict


@pytest.mark.parametrize(
    ("moves", "right", "wrong"),
    [
        ("(;B[gg]C[RIGHT])(;B[hh])", ["G3"], ["H2"]),
        ("(;B[hh]C[wrong])(;B[gg])", ["G3"], ["H2"]),
        ("(;B[gg])(;B[hh])", ["G3"], ["H2"]),  # the main line
        ("(;B[hh]BM[1])(;B[gg]TE[1])", ["G3"], ["H2"]),
        ("(;B[hh]GW[1])(;B[gg]GB[1])", ["G3"], ["H2"]),
        ("(;B[hh]N[wrong])(;B[gg]N[Right])", ["G3"], ["H2"]),
        ("(;B[hh]WV[hh])(;B[gg])", ["G3"], ["H2"]),
        (
            "(;B[hh];W[hg]C[Failure])(;B[gg];W[hg];B[gh]C[Correct])(;B[gh]C[correct])",
            ["G3", "G2"],
            ["H2"],
        ),
    ],
)
def test_right_and_wrong_first_moves(moves, right, wrong):
    for vertex in right:
        tried = attempt(f"(;{SETUP}{moves})")
        tried.play(vertex)
        assert tried.status in (Status.RIGHT, Status.OPEN), vertex
    for vertex in wrong:
        tried = attempt(f"(;{SETUP}{moves})")
        tried.play(vertex)
        assert tried.status is Status.WRONG, vertex


def test_opponents_tesuji_does_not_count_as_right():
    tried = attempt(f"(;{SETUP}(;B[hh];W[hg]TE[1])(;B[gg]C[RIGHT]))")
    tried.play("H2")
    assert tried.status is Status.WRONG
    assert [tried.position.vertex(move) for move in tried.line] == ["H3"]


def test_answer_of_the_file_is_played():
    tried = attempt(f"(;{SETUP};B[gg];W[hg];B[gh]C[RIGHT])")
    tried.play("G3")
    assert tried.status is Status.OPEN
    assert tried.position.vertex(tried.position.last_move) == "H3"
    assert tried.position.to_play == BLACK
    tried.play("G2")
    assert tried.status is Status.RIGHT
    with pytest.raises(TengenError, match="solved"):
        tried.play("A1")


def test_solution_and_retry():
    tried = attempt(TREE)
    tried.show_solution()
    assert [tried.position.vertex(move) for move in tried.line] == ["G3"]
    tried.play("H2")  # a move after it is a new try
    assert tried.status is Status.WRONG
    assert len(tried.line) == 2
    tried.retry()
    assert (tried.status, tried.node, tried.line) == (Status.OPEN, tried.problem.start, [])


def test_unknown_move_waits_for_the_engine():
    tried = attempt(TREE)
    tried.play("J9")
    assert tried.status is Status.CHECKING
    with pytest.raises(TengenError, match="thinking"):
        tried.play("J8")


@pytest.mark.parametrize("vertex", ["A9", "A8"])
def test_illegal_move(vertex):
    with pytest.raises(TengenError, match="illegal"):
        attempt(TREE).play(vertex)


def test_side_to_move_is_that_of_the_first_move():
    assert problem("(;SZ[9]AB[aa]AW[bb];W[cc])").color == WHITE
    assert problem("(;SZ[9];AB[aa]AW[bb];W[cc]C[right])").color == WHITE
    assert problem("(;SZ[9]AB[aa]AW[bb]PL[W])").color == WHITE


def test_region_of_the_stones_and_of_marks():
    corner = problem(TREE)
    names = {corner.position.vertex(point) for point in corner.region()}
    assert {"A9", "E9", "A7"} <= names
    assert not {"A1", "J9", "G3", "F9"} & names
    marked = problem(f"(;{SETUP}TR[ea:fb])")
    assert {marked.position.vertex(point) for point in marked.region()} == {"E9", "F9", "E8", "F8"}
    assert marked.allowed(marked.position) == sorted(
        parse_vertex(vertex, 9, 9) for vertex in ("E9", "F9", "E8", "F8")
    )
    assert problem("(;SZ[9]AB[ee];W[ef])").region() is not None
    assert problem("(;SZ[9]AB[aa][ii];W[ef])").region() is None


def test_line_is_cut_at_the_region():
    assert cut_line([5, 6, 9, 7], frozenset({5, 6, 7})) == [5, 6]
    assert cut_line([5, 6, 0, 7], None) == [5, 6]


# Spaced repetition


def test_intervals_of_right_answers():
    progress, day = ProblemProgress(), DAY
    for interval in (*INTERVALS, INTERVALS[-1]):
        card = progress.record("a", True, day)
        assert card.due - day == timedelta(interval)
        day = card.due
    assert progress.record("a", False, day).box == 1
    assert progress.cards["a"].due == day
    assert (card.tries, card.solved) == (len(INTERVALS) + 2, len(INTERVALS) + 1)


def test_order_of_problems():
    keys = ["a", "b", "c", "d", "e", "f", "g", "h"]
    progress = ProblemProgress()
    assert progress.next_of(keys, DAY) == 0
    progress.record("a", False, DAY)
    assert progress.next_of(keys, DAY, "a") == 1, "a failed problem does not come again at once"
    for number, key in enumerate(keys[1 : 1 + MIN_BETWEEN], start=1):
        assert progress.next_of(keys, DAY) == number
        progress.record(key, True, DAY)
    assert progress.next_of(keys, DAY) == 0, "it comes again after some others"
    progress.record("a", True, DAY)
    for key in "gh":
        progress.record(key, True, DAY)
    assert progress.next_of(keys, DAY) is None
    assert progress.next_of(keys, DAY + timedelta(1)) == 1
    progress.record("b", False, DAY + timedelta(1))
    later = DAY + timedelta(9)
    assert progress.next_of(keys, later) == 2, "the one that was answered first"


def test_streak():
    progress = ProblemProgress()
    for back in (1, 2, 4):
        progress.record("a", True, DAY - timedelta(back))
    assert progress.streak(DAY) == 2
    progress.record("a", False, DAY)
    assert progress.streak(DAY) == 2
    progress.record("a", True, DAY)
    assert progress.streak(DAY) == 3
    assert progress.streak(DAY + timedelta(2)) == 0


# Collections


def test_collection_is_stored(tmp_path):
    store = ProblemStore(tmp_path / "problems", today=lambda: DAY)
    assert store.collections() == []
    second = "(;SZ[9]AB[ee]GN[Second];B[ef])"
    collection, skipped = store.add(
        "Corner Problems.sgf", (TREE + second + "(;GM[2]SZ[8])").encode()
    )
    assert (collection.id, collection.name, skipped) == ("corner-problems", "Corner Problems", 1)
    again = ProblemStore(tmp_path / "problems")
    (found,) = again.collections()
    assert found == collection
    assert found.titles[1] == "Second"
    tried = Attempt(again.problem(found, 0))
    assert tried.problem.key == found.keys[0]
    tried.play("G3")
    assert tried.status is Status.RIGHT
    with pytest.raises(TengenError, match="from 1 to 2"):
        again.problem(found, 2)
    again.record(found.keys[0], True)
    again.delete(found.id)
    assert again.collections() == []
    assert again.progress().cards[found.keys[0]].box == 1
    assert [path.name for path in (tmp_path / "problems").iterdir()] == ["progress.json"]


def test_archive_of_problems(tmp_path):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for number in (2, 1):
            content = f"(;SZ[9]AB[{'abc'[number]}a];B[ee])".encode()
            info = tarfile.TarInfo(f"set/{number:03}.sgf")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    collection, _ = ProblemStore(tmp_path).add("set.tar", data.getvalue())
    assert (collection.name, collection.titles) == ("set", ["001", "002"])


@pytest.mark.parametrize("data", [b"", b"hello", b"(;GM[2]SZ[8])"])
def test_file_without_problems(tmp_path, data):
    with pytest.raises(TengenError, match="no problem"):
        ProblemStore(tmp_path).add("a.sgf", data)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".", "missing"])
def test_unknown_collection(tmp_path, name):
    with pytest.raises(TengenError, match="no such collection"):
        ProblemStore(tmp_path).collection(name)


def test_damaged_progress_is_reported(tmp_path):
    (tmp_path / "progress.json").write_text("{")
    with pytest.raises(TengenError, match="cannot read"):
        ProblemStore(tmp_path).record("a", True)
    assert (tmp_path / "progress.json").read_text() == "{"


# Messages


@pytest.fixture
def server(tmp_path):
    server = make_game_server(color="both", size="9")
    server.context.problems = ProblemStore(tmp_path)
    return server


@pytest.fixture
def client(server):
    with client_of(server) as client:
        yield client


def upload(client, text, name="Set.sgf"):
    response = client.post(f"/problems?name={name}", content=text.encode())
    assert response.status_code == 200, response.text
    return response.json()["id"]


def decided(state):
    return state["status"] != "checking"


def test_solving_problems(client, page):
    name = upload(client, TREE + "(;SZ[9]AB[aa][ii];B[ee])")
    state = page.request("open_problem", _answer="problem", collection=name)
    assert (state["number"], state["status"], state["to_play"]) == (1, "open", "black")
    state = page.request("try_move", _answer="problem", vertex="H2")
    assert (state["status"], state["line"], state["is_from_engine"]) == (
        "wrong",
        ["H3", "G2"],
        False,
    )
    assert page.newest["problems"]["collections"][0]["due"] == 1
    state = page.request("try_move", _answer="problem", vertex="G3")
    assert (state["status"], state["boxes"]) == ("right", [1, 0])
    state = page.request("open_problem", _answer="problem", collection=name)
    assert state["number"] == 2
    state = page.request("try_move", _answer="problem", vertex="E5")
    assert (state["status"], state["boxes"], state["solved"]) == ("right", [1, 1], 1)
    assert page.newest["problems"]["streak"] == 1
    assert page.newest["problems"]["solved_today"] == 1


def test_engine_judges_moves_that_are_not_in_the_file(client, page):
    # Only E1 saves the black stones in atari.
    race = (
        "(;GM[1]SZ[7]KM[9]AB[ca][cb][cc][cd][ce][cf][cg][ea][eb][ec][ed][ee][ef]"
        "AW[da][db][dc][dd][de][df][dg][fg][ga][gb][gc][gd][ge][gf][gg]PL[B]"
    )
    name = upload(client, race + ";B[eg]C[right])" + race + "TR[eg][aa:bg])")
    page.request("open_problem", _answer="problem", collection=name)
    page.send("try_move", vertex="A1")
    state = page.receive("problem", decided)
    assert (state["status"], state["is_from_engine"]) == ("wrong", True)
    assert state["line"][0] == "E1"
    assert state["points_loss"] > 5
    page.request("open_problem", _answer="problem", collection=name, number=2)
    page.send("try_move", vertex="E1")
    assert page.receive("problem", decided)["status"] == "right"
    page.request("open_problem", _answer="problem", collection=name, number=2)
    page.send("problem_action", action="solution")
    state = page.receive("problem", decided)
    assert (state["status"], state["line"][0]) == ("shown", "E1")


def test_refutation_by_the_engine_where_the_file_has_none(client, page):
    name = upload(client, TREE)
    page.request("open_problem", _answer="problem", collection=name)
    page.send("try_move", vertex="E5")
    state = page.receive("problem", lambda found: found["is_from_engine"])
    assert state["status"] == "wrong"


def test_playing_out(client, page):
    name = upload(client, TREE)
    page.request("open_problem", _answer="problem", collection=name)
    page.request("problem_action", _answer="problem", action="play_out")
    page.send("try_move", vertex="E8")
    state = page.receive(
        "problem", lambda found: found["status"] == "free" and found["last"] != "E8"
    )
    assert state["to_play"] == "black"
    assert page.newest["state"]["move"] == 0, "the game is not touched"
    state = page.request("problem_action", _answer="problem", action="retry")
    assert state["is_start"]


def test_a_second_page_sees_the_problem(client, page):
    name = upload(client, TREE)
    page.request("open_problem", _answer="problem", collection=name)
    with page_of(client, page.newest["game"]["id"]) as other:
        assert other.newest["problem"]["number"] == 1


def test_errors(client, page):
    assert "no problem is open" in page.request("try_move", _answer="error", vertex="A1")["text"]
    assert client.post("/problems?name=a.sgf", content=b"hello").status_code == 422
    answer = page.request("open_problem", _answer="error", collection="../../x")
    assert "no such collection" in answer["text"]
    name = upload(client, TREE)
    page.request("delete_problems", _answer="problems", collection=name)
    assert page.newest["problems"]["collections"] == []

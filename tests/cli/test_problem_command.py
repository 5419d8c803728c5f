"""`tengen problem`, its suites, and the GTP command."""

import json

import pytest

from tengen.cli.main import main
from tengen.records import read_games
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

STONES = "AB[da][ab][bb][cb][db]AW[ea][eb][ac][bc][cc][dc][ec]"
PROBLEM = f"(;SZ[7]{STONES}PL[W](;W[ba]C[right])(;W[aa]))"
FAST = ["--net", "none"]


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "three.sgf"
    path.write_text(PROBLEM)
    return path


def test_answer_as_text(problem, capsys):
    assert main(["problem", str(problem), *FAST, "--verify"]) == 0
    output = capsys.readouterr().out
    assert "White to play: the 5 stones of Black are captured (proved)" in output
    assert "first move: B7" in output
    assert "verified:" in output


def test_answer_as_json_for_the_other_side(problem, capsys):
    assert main(["problem", str(problem), *FAST, "--to-play", "black", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["status"], answer["proved"], answer["moves"]) == ("alive", True, ["B7"])
    assert answer["failing"]


def test_refutation_tree_and_picture(problem, tmp_path):
    tree, picture = tmp_path / "tree.sgf", tmp_path / "answer.svg"
    main(["problem", str(problem), *FAST, "-o", str(tree), "--picture", str(picture)])
    (record,) = read_games(tree)
    comments = [node.comment for node in record.root.walk()]
    assert "right" in comments
    assert "wrong" in comments
    assert "captured" in comments
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("(;SZ[9])", [], "the board is empty"),
        ("(;SZ[9]AB[aa][bb])", [], "White has no stones"),
        (PROBLEM, ["--stones", "A7"], "A7 has no stone"),
        (PROBLEM, ["--number", "2"], "no problem 2"),
        (PROBLEM, ["--table-bits", "99"], "4 to 28"),
    ],
)
def test_bad_input(tmp_path, text, options, message):
    path = tmp_path / "bad.sgf"
    path.write_text(text)
    with pytest.raises(TengenError, match=message):
        main(["problem", str(path), *FAST, *options])


def test_a_suite_is_counted_and_resumed(problem, tmp_path, capsys):
    results = tmp_path / "results.csv"
    words = ["problem", "--suite", str(problem.parent), *FAST, "--results", str(results), "--json"]
    assert main(words) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["problems"], row["right"], row["proved_right"]) == (1, 1, 1)
    before = results.read_text()
    assert main(words) == 0
    assert results.read_text() == before
    with pytest.raises(TengenError, match="other settings"):
        main([*words, "--seconds", "3"])


def test_gtp_command():
    import tengen.protocols.gtp.loop  # noqa: F401  (registers all commands)
    from tengen.engine import EngineSettings
    from tengen.protocols.gtp import Command, Session

    session = Session(EngineSettings())
    session.execute(Command("", "boardsize", ["7"]))
    for color, vertices in (("black", "D7 A6 B6 C6 D6"), ("white", "E7 E6 A5 B5 C5 D5 E5")):
        for vertex in vertices.split():
            session.execute(Command("", "play", [color, vertex]))
    reply = session.execute(Command("", "tengen-problem", ["white", "5"]))
    assert "captured (proved)" in reply
    assert "moves B7" in reply

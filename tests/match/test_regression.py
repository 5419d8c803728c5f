"""Regression suites in GNU Go's format."""

import json
import tarfile

import pytest

import tengen.protocols.gtp.loop  # noqa: F401  (registers all commands)
from tengen.cli.main import main
from tengen.cli.regress import InProcessSession
from tengen.engine import EngineSettings
from tengen.match import Script, open_suite, run_script
from tengen.match.regression import CaseOutcome, parse_answer, parse_script
from tengen.protocols.gtp import COMMANDS
from tengen.util import TengenError

SETTINGS = EngineSettings().with_overrides(["playouts=1", "seed=1", "threads=1"])

SCRIPT = """\
# A comment.
boardsize 5
komi 0.5
play black C3
10 reg_genmove white
#? [B2|C2]*
20 owl_attack C3
#? [1 D3]
30 reg_genmove white
# no expected answer
play white D3
trymove black D2
popgo
undo
40 reg_genmove white
#? [!C3]

loadsgf nowhere.sgf 7
50 reg_genmove white
#? [A1]
play white D3
loadsgf game.sgf 3
60 reg_genmove black
#? [PASS]
"""

GAME = "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[dd];B[bb])"


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "small.tst").write_text(SCRIPT)
    (tmp_path / "empty.tst").write_text("# no case here\n")
    (tmp_path / "game.sgf").write_text(GAME)
    return tmp_path


@pytest.fixture
def asked(monkeypatch):
    """Answer C2 to everything and record the positions."""
    positions = []

    def answer(session, arguments):
        positions.append((session.position.diagram().replace("\n", "/"), arguments[0]))
        return "C2"

    monkeypatch.setitem(COMMANDS, "reg_genmove", answer)
    return positions


@pytest.mark.parametrize(
    ("line", "reply", "right"),
    [
        ("#? [B2|C2]", "C2", True),
        ("#? [B2|C2]*", "b2", True),
        ("#? [B2]", "B22", False),
        ("#? [B2|C2]", "B2|C2", False),
        ("#? [!B2]", "C2", True),
        ("#? [!(B2|C2)]", "C2", False),
        ("#? [! B2 ]", "B2", False),
        ("#? [PASS]", "pass", True),
        ("#? [.*]", "D4", True),
        ("#? [(B2]", "(B2", True),
    ],
)
def test_expected_answers(line, reply, right):
    assert parse_answer(line).allows(reply) is right


def test_star_marks_cases_that_gnugo_fails():
    assert parse_answer("#? [B2]*").gnugo_fails
    assert not parse_answer("#? [B2]").gnugo_fails
    assert parse_answer("# [B2]") is None


def test_parse_script():
    steps = parse_script(SCRIPT)
    cases = [step for step in steps if step.answer]
    assert [case.command.id for case in cases] == ["10", "40", "50", "60"]
    assert cases[0].line == 5
    assert str(cases[1].answer) == "!C3"


def test_run_script(suite, asked):
    script = Script("small.tst", suite, parse_script(SCRIPT))
    outcomes = {result.number: result for result in run_script(script, InProcessSession(SETTINGS))}
    assert [outcomes[number].outcome for number in ("10", "40", "50", "60")] == [
        CaseOutcome.PASSED,
        CaseOutcome.PASSED,
        CaseOutcome.NOT_RUN,
        CaseOutcome.FAILED,
    ]
    assert "nowhere.sgf" in outcomes["50"].problem
    assert asked == [
        ("...../...../..X../...../.....", "white"),
        ("...../...../..X../...../.....", "white"),
        ("...../...../..X../...O./.....", "black"),
    ]


@pytest.mark.kernels
def test_regress_prints_json(suite, capsys):
    assert main(["regress", str(suite), "threads=1", "--playouts", "20", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["cases"], figures["not_run"], figures["partial"]) == (3, 1, False)
    assert figures["gnugo_passed"] == 2
    assert figures["passed"] >= figures["both_passed"]
    assert list(figures["files"]) == ["small.tst"]
    assert len(figures["problems"]) == 1
    assert [result["case"] for result in figures["results"]] == ["10", "40", "50", "60"]


def test_regress_prints_a_table(suite, asked, capsys):
    assert main(["regress", str(suite / "small.tst"), "threads=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["small.tst", "3", "2", "67%", "2", "1", "1"]
    assert lines[2].split()[0] == "all"
    assert "nowhere.sgf" in lines[-1]


def test_archives_are_unpacked_temporarily(suite, asked):
    path = suite.parent / "suite.tar.xz"
    with tarfile.open(path, "w:xz") as archive:
        archive.add(suite, "suite")
    with open_suite(path) as scripts:
        assert [script.name for script in scripts] == ["small.tst"]
        assert (scripts[0].folder / "game.sgf").is_file()
    assert not scripts[0].folder.exists()


def test_interrupted_command_prints_partial_results(suite, asked, monkeypatch, capsys):
    def interrupted(session, arguments):
        raise KeyboardInterrupt

    monkeypatch.setitem(COMMANDS, "loadsgf", interrupted)
    assert main(["regress", str(suite), "threads=1", "--json"]) == 130
    figures = json.loads(capsys.readouterr().out)
    assert (figures["cases"], figures["partial"]) == (2, True)


@pytest.mark.parametrize("words", [["--only", "large"], ["--only", "empty.tst"]])
def test_rejects_unknown_files_of_a_suite(suite, words):
    with pytest.raises(TengenError, match="no such file with cases"):
        main(["regress", str(suite), *words])


@pytest.mark.parametrize("name", ["nowhere", "nowhere.tst", "small.sgf"])
def test_rejects_files_that_are_no_suite(tmp_path, name):
    (tmp_path / "small.sgf").write_text(GAME)
    with pytest.raises(TengenError, match="cannot read"):
        main(["regress", str(tmp_path / name)])


def test_gnugo_suite_positions(reference_data, asked):
    """Sixteen cases of one game that is not in the archive cannot be set up."""
    with open_suite(reference_data / "suites" / "gnugo.tar.xz") as scripts:
        assert sum(script.cases for script in scripts) > 2000
        chosen = [s for s in scripts if s.name < "c" or s.name == "endgame1.tst"]
        results = [
            result for script in chosen for result in run_script(script, InProcessSession(SETTINGS))
        ]
    problems = [result.problem for result in results if result.problem]
    assert len(problems) == 16
    assert all("games/endgame1.sgf" in problem for problem in problems)

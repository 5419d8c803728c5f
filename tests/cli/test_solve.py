"""`tengen solve`, and the solver as a GTP player."""

import json
import signal
import subprocess
import sys

import pytest

TENGEN = [sys.executable, "-m", "tengen.cli.main"]

pytestmark = pytest.mark.kernels


def tengen(*words: str, text: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [*TENGEN, *words], input=text, capture_output=True, text=True, check=False
    )


def test_solve_as_json_with_a_table(tmp_path):
    table = tmp_path / "3x3.npz"
    runs = [tengen("solve", "3x3", "table_bits=16", "--json", "--table", str(table)) for _ in "ab"]
    first, second = (json.loads(run.stdout) for run in runs)
    assert first["value"] == second["value"] == 9
    assert first["line"][0].lower() == "b2"
    assert second["nodes"] < first["nodes"]
    assert [run.returncode for run in runs] == [0, 0]


def test_size_is_columns_by_rows():
    found = json.loads(tengen("solve", "4x1", "table_bits=16", "--json").stdout)
    assert found["board"] == "4x1"
    assert all(vertex[-1] == "1" for vertex in found["line"] if vertex != "pass")


def test_solve_a_position_of_a_game(tmp_path):
    game = tmp_path / "game.sgf"
    game.write_text("(;GM[1]FF[4]SZ[3];B[bb];W[ab])")
    assert "value +9 for Black" in tengen("solve", "--sgf", str(game), "table_bits=16").stdout
    early = tengen("solve", "--sgf", str(game), "--move", "1", "table_bits=16", "--no-line")
    assert "value +9 for Black" in early.stdout
    late = tengen("solve", "--sgf", str(game), "--move", "4")
    assert "no move 4: the game has 2 moves" in late.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["9x9"], "up to 30 points"),
        (["4by4"], "use a number like 9, or 7x9"),
        ([], "no board given"),
        (["3x3", "power=9"], "power must be from 1 to 3"),
        (["3x3", "nonsense=1"], "unknown parameter"),
    ],
)
def test_errors_are_one_line(words, complaint):
    run = tengen("solve", *words)
    assert run.returncode == 2
    assert complaint in run.stderr
    assert "Traceback" not in run.stderr


def test_interrupt_saves_the_table(tmp_path):
    table = tmp_path / "5x5.npz"
    command = [*TENGEN, "solve", "5x5", "table_bits=18", "--table", str(table)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("depth   8"):
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate()
    assert process.returncode == 130
    assert "not solved" in rest
    assert table.exists()


def test_time_limit_prints_bounds():
    run = tengen("solve", "5x5", "table_bits=18", "--seconds", "0.5")
    assert run.returncode == 1
    assert "not solved" in run.stdout


def test_solver_plays_over_gtp():
    commands = (
        "boardsize 3\ngenmove b\nplay w a1\ngenmove b\nshowboard\nboardsize 9\ngenmove b\nquit\n"
    )
    run = tengen("gtp", "--player", "solver", text=commands)
    replies = run.stdout.split("\n\n")
    assert replies[1].lower() == "= b2"
    assert replies[3].startswith("= ")
    assert "? the solver supports boards of up to 30 points" in run.stdout

"""The public functions, the names that `tengen` lends, and the notebook that uses them."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tengen
from tengen import api

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples" / "first_look.ipynb"


def test_importing_tengen_loads_nothing():
    code = "import sys, tengen; dir(tengen); print(sorted(n for n in sys.modules if 'numpy' in n))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_lent_names_are_those_of_the_api():
    assert set(tengen.PUBLIC) <= set(api.__all__)
    for name in tengen.PUBLIC:
        assert getattr(tengen, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tengen.nonsense


def test_every_public_name_is_there_and_explained():
    for name in api.__all__:
        assert getattr(api, name).__doc__


def test_a_match_goes_on_in_its_file(tmp_path):
    players = ("tengen playouts=2 memory_mib=8", "tengen playouts=1 memory_mib=8")
    where = {"size": "3", "komi": 0.5, "output": tmp_path / "match.db"}
    first = api.match(*players, games=2, **where)
    again = api.match(*players, games=2, **where)
    assert [row.began for row in again.rows] == [row.began for row in first.rows]
    more = api.match(*players, games=4, **where)
    assert len(more.rows) == 4
    assert more.rows[:2] == first.rows
    assert str(more).count(" wins, ") == 2


def test_a_match_that_cannot_be_is_told(tmp_path):
    with pytest.raises(api.TengenError, match="even number"):
        api.match("tengen", "tengen", games=3)
    with pytest.raises(api.TengenError, match="unknown setting 'game'"):
        api.match("tengen", "tengen", game=2)


def test_without_file_locks_only_matches_are_missing(tmp_path):
    """As on Windows, which has none."""
    code = (
        "import os, sys; sys.modules['fcntl'] = None; del os.sysconf\n"
        "import tengen.cli.play, tengen.web.app\n"
        "from tengen.api import Position, TengenError, match\n"
        "try: match('tengen playouts=1', 'tengen playouts=2', games=2, size='3')\n"
        "except TengenError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == (
        "matches need file locks that this system lacks: on Windows use WSL\n"
    ), done.stderr


def test_an_own_source_that_fails_is_told():
    with pytest.raises(api.TengenError, match="source <lambda> failed"):
        api.see(api.Position(5), lambda position: 1 / 0)


def test_moves_by_turns():
    position = api.Position(5).after("C3 pass B2")
    assert [move.colour for move in position.moves] == [api.BLACK, api.WHITE, api.BLACK]
    with pytest.raises(api.TengenError, match="illegal"):
        position.after("C3")
    with pytest.raises(api.TengenError, match="outside"):
        position.after("F6")
    assert len(position.moves) == 3


def test_the_notebook_runs_and_its_pictures_are_pictures():
    book = json.loads(NOTEBOOK.read_text())
    names: dict = {}
    shown = []
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "keep outputs out of the repository"
            shown.append(_run_cell("".join(cell["source"]), names))
    pictures = [value._repr_svg_() for value in shown if hasattr(value, "_repr_svg_")]
    assert len(pictures) == 5
    assert all(picture.startswith("<svg") for picture in pictures)


def _run_cell(source, names):
    """Run a cell; return the value of its last expression, as a notebook does."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        return None
    tree.body.pop()
    exec(compile(tree, str(NOTEBOOK), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


@pytest.mark.kernels
def test_a_search_ends_by_playouts_or_seconds():
    quick = {"threads": 1, "memory_mib": 8}
    assert api.search(api.Position(5), playouts=30, **quick).simulations == 30
    assert api.search(api.Position(5), seconds=0.02, **quick).simulations > 0


def test_settings_are_for_engines_that_are_made():
    engine = api.make_engine(threads=1, memory_mib=8)
    with pytest.raises(api.TengenError, match="an engine has its settings"):
        api.search(api.Position(5), engine, playout=50)


def test_an_idea_that_fails_is_warned_of():
    def fails(position):
        raise ValueError("what now?")

    engine = api.make_engine(fails, memory_mib=8)
    with pytest.warns(UserWarning, match="source fails failed in test_api.py"):
        api.search(api.Position(5), engine, playouts=5)


def test_an_idea_may_play_on_its_position():
    def plays(position):
        position.play(api.PASS)
        return position.legal_grid() * 0.5

    engine = api.make_engine([plays], memory_mib=8, threads=1)
    report = api.search(api.Position(5), engine, playouts=50)
    assert sum(candidate.visits for candidate in report.candidates) >= 49


@pytest.mark.parametrize("playouts", [1.5, 0, -3, float("nan")])
def test_odd_numbers_of_playouts_are_told(playouts):
    with pytest.raises(api.TengenError, match="whole number from 1 up"):
        api.search(api.Position(5), playouts=playouts)


def test_what_is_no_time_weight_or_position_is_told():
    with pytest.raises(api.TengenError, match="seconds are a number above 0"):
        api.search(api.Position(5), seconds=-1)
    with pytest.raises(api.TengenError, match="a number from 0 up, not nan"):
        api.make_engine([lambda position: None], weight=float("nan"))
    with pytest.raises(api.TengenError, match="search a Position, not 'E5'"):
        api.search("E5")


def test_rules_may_be_named():
    assert api.Position(9, rules="japanese").rules == api.rules_named("japanese")


def test_an_idea_that_leaves_the_program_has_failed():
    def leaves(position):
        raise SystemExit("bye")

    with pytest.warns(UserWarning, match="source leaves failed"):
        api.search(api.Position(5), api.make_engine([leaves], memory_mib=8), playouts=5)

"""The public API, the names in `tengen`, and the example notebook."""

import ast
import doctest
import inspect
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tengen
from tengen import api

NOTEBOOK = Path(__file__).resolve().parents[1] / "examples" / "first_look.ipynb"


def test_import_is_lazy():
    code = "import sys, tengen; dir(tengen); print(sorted(n for n in sys.modules if 'numpy' in n))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_names_of_the_package_come_from_the_api():
    assert set(tengen.PUBLIC) <= set(api.__all__)
    for name in tengen.PUBLIC:
        assert getattr(tengen, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tengen.nonsense


CONSTANTS = {"BLACK", "PASS", "WHITE"}
PUBLIC_OBJECTS = {name: getattr(api, name) for name in api.__all__ if name not in CONSTANTS}


@pytest.mark.parametrize("name", sorted(PUBLIC_OBJECTS))
def test_public_docstrings_follow_numpy_style(name):
    public = PUBLIC_OBJECTS[name]
    doc = inspect.getdoc(public)
    assert "Examples\n--------\n>>>" in doc
    if inspect.isfunction(public):
        signature = inspect.signature(public)
        assert ("Parameters\n---" in doc) == bool(signature.parameters)
        assert ("Returns\n---" in doc) == (signature.return_annotation is not None)


@pytest.mark.kernels
@pytest.mark.parametrize("name", sorted(PUBLIC_OBJECTS))
def test_docstring_examples_run(name):
    public = PUBLIC_OBJECTS[name]
    names = dict(vars(sys.modules[public.__module__]))
    (test,) = doctest.DocTestFinder(recurse=False).find(public, name, globs=names)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_engines_and_settings_pickle():
    engine = api.make_engine(playouts=5, threads=1, memory_mib=8, seed=3)
    copy = pickle.loads(pickle.dumps(engine))
    assert (copy.settings, copy.seed) == (engine.settings, 3)


def corner(position):
    return "A1" if position.is_legal(position.parse_move("A1")) else "pass"


@pytest.mark.kernels
@pytest.mark.parametrize("workers", [0, 1])
def test_match_of_function_engine_and_settings(workers):
    engine = api.make_engine(playouts=2, threads=1, memory_mib=8)
    settings = api.engine_settings(playouts=1, threads=1, memory_mib=8)
    result = api.match(
        corner,
        engine,
        settings,
        games=2,
        size="3",
        komi=0.5,
        workers=workers,
        names=("a", "b", "c"),
    )
    assert [result.score(number).games for number in range(3)] == [4, 4, 4]


def test_match_resumes_from_its_file(tmp_path):
    players = ("tengen playouts=2 memory_mib=8", "tengen playouts=1 memory_mib=8")
    where = {"size": "3", "komi": 0.5, "output": tmp_path / "match.db"}
    first = api.match(*players, games=2, **where)
    again = api.match(*players, games=2, **where)
    assert [row.started for row in again.rows] == [row.started for row in first.rows]
    more = api.match(*players, games=4, **where)
    assert len(more.rows) == 4
    assert more.rows[:2] == first.rows
    assert str(more).count(" wins, ") == 2


def test_match_rejects_invalid_options(tmp_path):
    with pytest.raises(api.TengenError, match="even number"):
        api.match("tengen", "tengen", games=3)
    with pytest.raises(api.TengenError, match="unknown setting 'game'"):
        api.match("tengen", "tengen", game=2)


def test_match_without_file_locks_reports_an_error():
    """Importing the page and the API works; a match cannot lock its result file."""
    code = (
        "import os, sys; sys.modules['fcntl'] = None; del os.sysconf\n"
        "import tengen.cli.play, tengen.web.app\n"
        "from tengen.api import Position, TengenError, match\n"
        "try: match('tengen playouts=1', 'tengen playouts=2', games=2, size='3')\n"
        "except TengenError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    message = r"cannot lock \S+: fcntl is unavailable\n"
    assert re.fullmatch(message, done.stdout), done.stderr


def test_see_reports_a_failing_source():
    with pytest.raises(api.TengenError, match="source <lambda> failed"):
        api.see(api.Position(5), lambda position: 1 / 0)


def test_after_alternates_colors():
    position = api.Position(5).after("C3 pass B2")
    assert [move.color for move in position.moves] == [api.BLACK, api.WHITE, api.BLACK]
    with pytest.raises(api.TengenError, match="illegal"):
        position.after("C3")
    with pytest.raises(api.TengenError, match="outside"):
        position.after("F6")
    assert len(position.moves) == 3


def test_notebook_runs_and_shows_pictures():
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
def test_search_ends_by_playouts_or_seconds():
    quick = {"threads": 1, "memory_mib": 8}
    assert api.search(api.Position(5), playouts=30, **quick).simulations == 30
    assert api.search(api.Position(5), seconds=0.02, **quick).simulations > 0


def test_search_rejects_settings_with_an_engine():
    engine = api.make_engine(threads=1, memory_mib=8)
    with pytest.raises(api.TengenError, match="settings cannot be combined with an engine"):
        api.search(api.Position(5), engine, playout=50)


def test_search_warns_about_a_failing_source():
    def fails(position):
        raise ValueError("what now?")

    engine = api.make_engine(fails, memory_mib=8)
    with pytest.warns(UserWarning, match="source fails failed in test_api.py"):
        api.search(api.Position(5), engine, playouts=5)


def test_source_may_change_its_position():
    def plays(position):
        position.play(api.PASS)
        return position.legal_grid() * 0.5

    engine = api.make_engine([plays], memory_mib=8, threads=1)
    report = api.search(api.Position(5), engine, playouts=50)
    assert sum(candidate.visits for candidate in report.candidates) >= 49


@pytest.mark.parametrize("playouts", [1.5, 0, -3, float("nan")])
def test_search_rejects_invalid_playouts(playouts):
    with pytest.raises(api.TengenError, match="playouts must be a positive integer"):
        api.search(api.Position(5), playouts=playouts)


def test_rejects_invalid_time_weight_and_position():
    with pytest.raises(api.TengenError, match="seconds must be positive"):
        api.search(api.Position(5), seconds=-1)
    with pytest.raises(api.TengenError, match="must be finite and at least 0, got nan"):
        api.make_engine([lambda position: None], weight=float("nan"))
    with pytest.raises(api.TengenError, match="position must be a Position, got 'E5'"):
        api.search("E5")


def test_position_accepts_rule_names():
    assert api.Position(9, rules="japanese").rules == api.rules_named("japanese")


def test_source_that_exits_has_failed():
    def leaves(position):
        raise SystemExit("bye")

    with pytest.warns(UserWarning, match="source leaves failed"):
        api.search(api.Position(5), api.make_engine([leaves], memory_mib=8), playouts=5)

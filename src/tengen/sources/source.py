"""Sources written in Python, how to load one from a file, and sources compiled when needed.

A source is a function of a position that returns a value for every point: how good a move there is
for the side to move, from 0 (bad) to 1 (good), NaN for no opinion. For example, in `my_ideas.py`,

    def corner_lover(position):
        "Likes the four corners."
        values = np.full((position.rows, position.columns), np.nan)
        values[[0, 0, -1, -1], [0, -1, 0, -1]] = 1.0
        return values

defines the source `my_ideas.py:corner_lover`. A class works as well: it is created without
arguments and its instance is called. The docstring describes the values. The source is called for
the current position of the game and for positions inside the search tree, which have a board, a
side to move, a last move and rules, but an empty list of `moves`.
"""

import importlib.util
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.sources.kernels.registry import Sources
from tengen.util import TengenError

Values = npt.NDArray[np.float64]
ValueFunction = Callable[[Position], Values]

LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")),
)
"""Folders of code that is not the user's: Tengen, the standard library, installed packages."""
NO_LIMIT = 10**6
"""A move number or depth that is never reached."""
ROUNDING = 1e-6
"""Tolerance for values outside 0 to 1."""


@dataclass(frozen=True)
class PythonSource:
    """A Python source and its weight in the search."""

    name: str
    meaning: str
    function: ValueFunction
    equivalent_visits: float = 20.0
    before_move: int = NO_LIMIT
    to_depth: int = NO_LIMIT

    def __post_init__(self) -> None:
        if not 0 <= self.equivalent_visits < float("inf"):
            visits = self.equivalent_visits
            raise TengenError(f"equivalent visits must be finite and at least 0, got {visits}")

    def values(self, position: Position) -> Values:
        """Return the values, rows by columns; raise TengenError if the source fails.

        The function gets its own copy of the position.
        """
        try:
            values = np.asarray(self.function(position.copy()), dtype=np.float64)
        except (Exception, SystemExit) as error:
            raise TengenError(f"source {self.name} failed{_describe(error)}") from error
        if values.shape != (position.rows, position.columns):
            wanted = f"{position.rows}x{position.columns}"
            raise TengenError(f"source {self.name} returned shape {values.shape}, not {wanted}")
        if (outside := np.abs(values - 0.5) > 0.5 + ROUNDING).any():
            example = f"{values[outside][0]:g}"
            raise TengenError(
                f"source {self.name} returned {example}: values must be from 0 (bad) to 1 (good),"
                " or NaN for no opinion"
            )
        return values


def load_source(
    spec: str,
    equivalent_visits: float = 20.0,
    before_move: int = NO_LIMIT,
    to_depth: int = NO_LIMIT,
) -> PythonSource:
    """Load `file.py:name`; raise TengenError if that is not a source."""
    path_text, colon, name = spec.rpartition(":")
    if not colon or not path_text or not name:
        raise TengenError(f"a source is given as FILE.py:NAME, got {spec!r}")
    found = getattr(_load_module(Path(path_text)), name, None)
    if found is None:
        raise TengenError(f"{path_text} has no {name!r}")
    function = _instance(spec, found) if inspect.isclass(found) else found
    if not callable(function):
        raise TengenError(f"{spec} must be a function or a class with callable instances")
    meaning = inspect.getdoc(found) or "(no docstring)"
    return PythonSource(name, meaning, function, equivalent_visits, before_move, to_depth)


def _describe(error: BaseException) -> str:
    """Return ` in my_ideas.py, line 3: ValueError(...)`, with the place if it is known.

    The place is the innermost frame in the user's own code.
    """
    if isinstance(error, SyntaxError):
        return f" in {Path(error.filename or '?').name}, line {error.lineno}: {error.msg}"
    places = [
        f" in {Path(frame.filename).name}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*LIBRARIES, "<"))
    ]
    return f"{places[-1] if places else ''}: {error!r}"


def _instance(spec: str, kind: type) -> object:
    """Create an instance of a user's class; raise TengenError if that fails."""
    try:
        return kind()
    except Exception as error:
        raise TengenError(f"{spec} cannot be created without arguments: {error!r}") from error


def _load_module(path: Path) -> object:
    """Import a file as a module with its folder on the path; raise TengenError."""
    if not path.is_file():
        raise TengenError(f"no such file: {path}")
    description = importlib.util.spec_from_file_location(f"tengen_source_{path.stem}", path)
    if description is None or description.loader is None:
        raise TengenError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(description)
    sys.modules[description.name] = module  # dataclasses look themselves up there
    folder = str(path.parent.resolve())
    sys.path.insert(0, folder)
    try:
        description.loader.exec_module(module)
    except Exception as error:
        raise TengenError(f"{path} cannot be loaded{_describe(error)}") from error
    finally:
        sys.path.remove(folder)
    return module


class DeferredSources:
    """Compiled sources whose kernels are compiled when they are first used."""

    def __init__(self, make_table: Callable[[], Sources], memory_cells: int):
        """Take the function that compiles; `memory_cells` are float64 numbers per thread."""
        self._make_table = make_table
        self.memory_cells = memory_cells

    @cached_property
    def table(self) -> Sources:
        """The sources as the kernels read them."""
        return self._make_table()

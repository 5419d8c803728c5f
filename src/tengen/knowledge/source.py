"""What a knowledge source is, and how to load one of your own.

A source is a function of a position that gives every point a value: how good a move there is
for the side to move, 0 bad to 1 good, NaN where it has no opinion. Write one in any file,

    def corner_lover(position):
        "Likes the four corners."
        values = np.full((position.rows, position.columns), np.nan)
        values[[0, 0, -1, -1], [0, -1, 0, -1]] = 1.0
        return values

and name it `my_ideas.py:corner_lover`. A class works as well: it is made without arguments, and
its object is called. The docstring says what the numbers mean. It is asked about the position of
the game, and about those that the search comes to: these have a board, a side to move, a last move
and the rules, but an empty list of `moves`.
"""

import importlib.util
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.position import Position
from tengen.core.errors import TengenError

Values = npt.NDArray[np.float64]
ValueFunction = Callable[[Position], Values]

LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")),
)
"""Where code lies that is not the user's: Tengen's own, Python's, and what was installed."""
ALWAYS = 10**6
"""A move number or depth that is never reached."""
ROUNDING = 1e-6
"""How far beyond 0 and 1 a value may lie."""


@dataclass(frozen=True)
class PythonSource:
    """A source in Python with the weight it has in the search."""

    name: str
    meaning: str
    function: ValueFunction
    equivalent_visits: float = 20.0
    before_move: int = ALWAYS
    to_depth: int = ALWAYS

    def __post_init__(self) -> None:
        if not 0 <= self.equivalent_visits < float("inf"):
            visits = self.equivalent_visits
            raise TengenError(f"equivalent visits are a number from 0 up, not {visits}")

    def values(self, position: Position) -> Values:
        """Return the source's values, rows by columns; raise TengenError naming it if it fails.

        It gets a position of its own, to play on as it likes.
        """
        try:
            values = np.asarray(self.function(position.copy()), dtype=np.float64)
        except (Exception, SystemExit) as error:
            raise TengenError(f"source {self.name} failed{_fault(error)}") from error
        if values.shape != (position.rows, position.columns):
            wanted = f"{position.rows}x{position.columns}"
            raise TengenError(f"source {self.name} gave shape {values.shape}, not {wanted}")
        if (outside := np.abs(values - 0.5) > 0.5 + ROUNDING).any():
            example = f"{values[outside][0]:g}"
            raise TengenError(
                f"source {self.name} gave {example}: values go from 0 (bad) to 1 (good),"
                " NaN for no opinion"
            )
        return values


def load_source(
    spec: str, equivalent_visits: float = 20.0, before_move: int = ALWAYS, to_depth: int = ALWAYS
) -> PythonSource:
    """Load `file.py:name`; raise TengenError if there is no such file, name, or it is no source."""
    path_text, colon, name = spec.rpartition(":")
    if not colon or not path_text or not name:
        raise TengenError(f"name a source like my_ideas.py:corner_lover, not {spec!r}")
    found = getattr(_load_module(Path(path_text)), name, None)
    if found is None:
        raise TengenError(f"{path_text} has no {name!r}")
    function = _made(spec, found) if inspect.isclass(found) else found
    if not callable(function):
        raise TengenError(f"{spec} is neither a function nor a class whose objects can be called")
    meaning = inspect.getdoc(found) or "(no docstring)"
    return PythonSource(name, meaning, function, equivalent_visits, before_move, to_depth)


def _fault(error: BaseException) -> str:
    """Return ` in my_ideas.py, line 3: ValueError(...)`: what went wrong, and where if it is known.

    The place is the last one in a file of the user's own, not in a library that it called.
    """
    if isinstance(error, SyntaxError):
        return f" in {Path(error.filename or '?').name}, line {error.lineno}: {error.msg}"
    places = [
        f" in {Path(frame.filename).name}, line {frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*LIBRARIES, "<"))
    ]
    return f"{places[-1] if places else ''}: {error!r}"


def _made(spec: str, kind: type) -> object:
    """Return an object of a user's class; raise TengenError if it cannot be made."""
    try:
        return kind()
    except Exception as error:
        raise TengenError(f"{spec} cannot be made without arguments: {error!r}") from error


def _load_module(path: Path) -> object:
    """Return a file as a module; it can import what lies beside it. Raise TengenError."""
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
        raise TengenError(f"{path} cannot be loaded{_fault(error)}") from error
    finally:
        sys.path.remove(folder)
    return module

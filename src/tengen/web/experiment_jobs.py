"""Matches and lab experiments that are started on the page and run in separate processes.

Each job has a file `NAME.job.json` in the folder of experiments. All results are in the files of
`tengen match` and `tengen lab`, so a job that was stopped, also with the server, resumes from them.
"""

import ast
import asyncio
import logging
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tengen.engine import PRESETS
from tengen.util import Json, TengenError, atomic_write_text
from tengen.web.commands import run_command

log = logging.getLogger("tengen.web")
SUFFIX = ".job.json"
MAX_GAMES = 100_000
MAX_VISITS = 100_000
MAX_SOURCE_BYTES = 1_000_000
MAX_FUNCTIONS = 100
MAX_SPRT_ELO = 500.0
EQUIVALENT_VISITS = 50
"""Equivalent visits of a user's function as a prior."""
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,59}", re.ASCII)
EXAMPLE_FILE = "my_ideas.py"
EXAMPLE = '''"""A source: scores every point for the side to move, from 0 (bad) to 1 (good)."""

import numpy as np


def third_line(position):
    """Prefer the third line."""
    scores = np.full((position.rows, position.columns), np.nan)
    rows, columns = np.indices(scores.shape)
    edge_distance = np.minimum(
        np.minimum(rows, position.rows - 1 - rows),
        np.minimum(columns, position.columns - 1 - columns),
    )
    scores[edge_distance == 2] = 1.0
    scores[edge_distance == 0] = 0.0
    return scores
'''


class PlayerChoice(msgspec.Struct, frozen=True):
    """A player of a match."""

    preset: str = "classic"
    """Preset of the engine; empty if the function plays alone."""
    function: str = ""
    """`FILE.py:NAME` in the folder of experiments: the prior of the engine, or the player."""


class MatchRequest(msgspec.Struct, frozen=True, tag="match", tag_field="kind"):
    """A match of two players."""

    name: str
    first: PlayerChoice
    second: PlayerChoice
    size: str = "9"
    games: int = 100
    visits: int = 200
    """Simulations per move of engines."""
    sprt: tuple[float, float] | None = None
    """The match ends when this test decides between two Elo differences."""
    opening_moves: int = 4


class LabRequest(msgspec.Struct, frozen=True, tag="lab", tag_field="kind"):
    """A lab experiment of `LAB_EXPERIMENTS`."""

    name: str
    experiment: str


JobRequest = MatchRequest | LabRequest

LAB_EXPERIMENTS: dict[str, str] = {
    "bigmove-match": "bigmove match --matches tests --size 9 --komi 7 --games 20 --playouts 100",
    "bigmove-solvers": "bigmove solvers --most 1 --iterations 1,5,10,50",
    "potential-sweep": "potential sweep --sizes 9 --games 20 --minutes 10",
    "metric-tables": "metric tables",
    "adaptive-weights": "adaptive weights --size 9 --games 20",
    "together-compare": "together compare --size 9 --games 20",
}
"""Experiments that need no data, with options that keep them short."""


@dataclass
class Job:
    """A started experiment."""

    request: JobRequest
    task: "asyncio.Task[None] | None" = None
    """None if it is not running."""
    problem: str = ""
    """Why it failed."""

    def as_json(self) -> Json:
        """Return the job for the page."""
        found: Json = msgspec.to_builtins(self.request)
        return {**found, "is_running": self.task is not None, "problem": self.problem}


class ExperimentJobs:
    """The jobs of a folder; one of them runs at a time."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._jobs: dict[str, Job] = {}
        self.on_change: Callable[[], object] = lambda: None
        """Called when a job starts or ends."""

    def jobs(self) -> list[Json]:
        """Return the jobs of this server and those of earlier ones."""
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            name = path.name.removesuffix(SUFFIX)
            if name not in self._jobs and path.stat().st_size < MAX_SOURCE_BYTES:
                try:
                    request = msgspec.json.decode(path.read_bytes(), type=JobRequest)
                    _check(request, self.functions())
                except (OSError, msgspec.DecodeError, TengenError):
                    continue
                if request.name == name:
                    self._jobs.setdefault(name, Job(request))
        return [job.as_json() for job in list(self._jobs.values())]

    def functions(self) -> list[str]:
        """Return the functions of a position in the Python files of the folder: `FILE.py:NAME`.

        The files are parsed, not run.
        """
        found: list[str] = []
        for path in sorted(self._folder.glob("*.py")):
            try:
                if path.stat().st_size < MAX_SOURCE_BYTES and _NAME.fullmatch(path.name):
                    tree = ast.parse(path.read_text(encoding="utf-8"))
                    found += [f"{path.name}:{name}" for name in _position_functions(tree)]
            except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
                continue
        return found[:MAX_FUNCTIONS]

    def write_example(self) -> str:
        """Write a file with an example function, unless there is one; return the function."""
        path = self._folder / EXAMPLE_FILE
        if not path.exists():
            atomic_write_text(path, EXAMPLE)
        return f"{EXAMPLE_FILE}:third_line"

    def start(self, request: JobRequest) -> None:
        """Start an experiment; raise TengenError if that is not possible."""
        _check(request, self.functions())
        if request.name in {job["name"] for job in self.jobs()} or self._has_results(request):
            raise TengenError(f"there is an experiment {request.name} already: choose another name")
        self._run(Job(request))

    def resume(self, name: str) -> None:
        """Continue an experiment that was stopped."""
        self.jobs()
        job = self._jobs.get(name)
        if job is None:
            raise TengenError(f"there is no experiment {name[:40]!r} to resume")
        _check(job.request, self.functions())
        self._run(job)

    def stop(self, name: str) -> None:
        """Stop a running experiment; finished games are stored."""
        job = self._jobs.get(name)
        if job is not None and job.task is not None:
            job.task.cancel()

    async def close(self) -> None:
        """Stop the running experiment, so that it stores its results and releases its claims."""
        tasks = [job.task for job in self._jobs.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _has_results(self, request: JobRequest) -> bool:
        suffix = ".sqlite" if isinstance(request, MatchRequest) else ""
        return (self._folder / f"{request.name}{suffix}").exists()

    def _run(self, job: Job) -> None:
        running = next((one for one in self._jobs.values() if one.task is not None), None)
        if running is not None:
            raise TengenError(f"{running.request.name} is running: stop it first")
        path = self._folder / f"{job.request.name}{SUFFIX}"
        try:
            atomic_write_text(path, msgspec.json.encode(job.request).decode() + "\n")
        except OSError as error:
            raise TengenError(f"cannot write {path}: {error.strerror}") from None
        self._jobs[job.request.name] = job
        job.problem = ""
        job.task = asyncio.get_running_loop().create_task(self._work(job))
        self.on_change()

    async def _work(self, job: Job) -> None:
        try:
            await run_command(command_of(job.request), lambda found: None, self._folder)
        except asyncio.CancelledError:
            pass
        except TengenError as error:
            job.problem = str(error)
        except Exception as error:
            log.exception("an experiment failed")
            job.problem = f"internal error: {error!r}"
        finally:
            job.task = None
            self.on_change()


def _position_functions(tree: ast.Module) -> list[str]:
    """Return the public functions whose only required argument is a position."""
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and len(node.args.args) - len(node.args.defaults) == 1
        and node.args.args[0].arg == "position"
    ]


def _check(request: JobRequest, functions: list[str]) -> None:
    """Raise TengenError for a request that the page does not offer."""
    if not _NAME.fullmatch(request.name) or request.name.endswith("."):
        raise TengenError("the name must consist of letters, digits, and . _ + -")
    if isinstance(request, LabRequest):
        if request.experiment not in LAB_EXPERIMENTS:
            raise TengenError(f"unknown experiment {request.experiment[:40]!r}")
        return
    presets = {preset.name for preset in PRESETS}
    for player in (request.first, request.second):
        if player.preset and player.preset not in presets:
            raise TengenError(f"unknown preset {player.preset[:40]!r}")
        if player.function and player.function not in functions:
            raise TengenError(f"there is no function {player.function[:60]!r} in the folder")
        if not player.preset and not player.function:
            raise TengenError("each player needs a preset or a function")
    if request.first == request.second:
        raise TengenError("the players must differ")
    if not 2 <= request.games <= MAX_GAMES or request.games % 2:
        raise TengenError(f"games must be an even number from 2 to {MAX_GAMES}")
    if not 1 <= request.visits <= MAX_VISITS:
        raise TengenError(f"visits must be from 1 to {MAX_VISITS}, got {request.visits}")
    if not 0 <= request.opening_moves <= 20:
        raise TengenError("opening moves must be from 0 to 20")
    if not re.fullmatch(r"\d{1,2}", request.size) or not 5 <= int(request.size) <= 19:
        raise TengenError("the board size must be from 5 to 19")
    if request.sprt is not None:
        elo0, elo1 = request.sprt
        if not -MAX_SPRT_ELO <= elo0 < elo1 <= MAX_SPRT_ELO:
            raise TengenError("the second Elo of the test must be above the first")


def command_of(request: JobRequest) -> list[str]:
    """Return the arguments of `tengen` that run an experiment."""
    if isinstance(request, LabRequest):
        return ["lab", *shlex.split(LAB_EXPERIMENTS[request.experiment]), "-o", request.name]
    players = [_player(player, request.visits) for player in (request.first, request.second)]
    openings = f"random:{request.opening_moves}" if request.opening_moves else "empty"
    words = ["match", *players, "-o", f"{request.name}.sqlite", "--size", request.size]
    words += ["--names", ",".join(map(player_label, (request.first, request.second)))]
    words += ["--games", str(request.games), "--openings", openings]
    if request.sprt is not None:
        words.append(f"--sprt={request.sprt[0]:g},{request.sprt[1]:g}")
    return words


def _player(player: PlayerChoice, visits: int) -> str:
    if not player.preset:
        return player.function
    prior = [f"prior={player.function}@{EQUIVALENT_VISITS}"] if player.function else []
    words = [f"preset={player.preset}", f"playouts={visits}", *prior]
    return shlex.join(["tengen", *words])


def player_label(player: PlayerChoice) -> str:
    """Return the name of a player in a match."""
    function = player.function.partition(":")[2]
    return "+".join(filter(None, (player.preset, function)))

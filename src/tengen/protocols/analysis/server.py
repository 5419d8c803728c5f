"""The analysis server: reads queries and actions, one JSON object per line, and sends responses."""

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TextIO

from msgspec import Meta, Struct

from tengen import __version__
from tengen.engine import NONE, EngineSettings, Perspective, net_path
from tengen.protocols.analysis.pool import AnalysisJob, AnalysisPool, MakeEngine
from tengen.protocols.analysis.query import MAX_INTEGER, read_query
from tengen.protocols.analysis.response import Response, failure, no_results, result
from tengen.search import NEVER, SearchLimit
from tengen.util import Json, SchemaError, TengenError, convert, parse_object

if TYPE_CHECKING:
    from tengen.engine import Engine, Progress
    from tengen.search import SearchReport

READY = "Started, ready to begin handling requests"
"""KataGo's message on stderr, which some clients wait for."""
DIGEST_LENGTH = 12

TurnNumbers = list[Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]]


@dataclass(frozen=True)
class QueryDefaults:
    """Values for queries that do not set them."""

    visits: int | None = None
    seconds: float | None = None
    perspective: Perspective = Perspective.BLACK
    positions: int = 1
    """Number of positions analyzed in parallel."""


class TerminateAll(Struct, rename="camel"):
    """The fields of the action `terminate_all`."""

    turn_numbers: TurnNumbers | None = None


class Terminate(Struct, rename="camel"):
    """The fields of the action `terminate`."""

    terminate_id: str
    turn_numbers: TurnNumbers | None = None


class AnalysisServer:
    """One connection: `handle` takes lines, `send` receives responses from several threads."""

    def __init__(
        self,
        settings: EngineSettings,
        defaults: QueryDefaults,
        send: Callable[[Response], None],
        make_engine: MakeEngine,
    ):
        self.settings = settings
        self.send = send
        self._defaults = defaults
        self._reported: set[str] = set()
        self.pool = AnalysisPool(defaults.positions, self._run_job, self._drop_job, make_engine)
        self._actions: dict[str, Callable[[Json], Json]] = {
            "query_version": self._query_version,
            "query_models": self._query_models,
            "clear_cache": self._clear_cache,
            "terminate": self._terminate,
            "terminate_all": self._terminate_all,
        }

    def start(self) -> None:
        """Create the first engine; raise TengenError if that fails."""
        self.pool.start(self.settings)

    def handle(self, line: str) -> None:
        """Handle one line. Never raises; errors are sent as responses."""
        if not line.strip():
            return
        try:
            fields = parse_object(line)
        except SchemaError as error:
            self.send({"error": f"Could not parse input line as a JSON object: {error}"})
            return
        query_id = fields.get("id")
        if not isinstance(query_id, str):
            self.send({"error": "id is missing or not a string", "field": "id"})
            return
        try:
            if "action" in fields:
                self._act(fields)
            else:
                self._submit(fields)
        except SchemaError as error:
            self.send({"error": str(error), "field": error.field, "id": query_id})
        except Exception as error:
            # The client gets an answer and the server continues, whatever went wrong.
            self.send({"error": _internal_error(error), "id": query_id})

    def _submit(self, fields: Json) -> None:
        query = read_query(fields, self.settings)
        for field, message in query.warnings:
            self.send({"warning": message, "field": field, "id": query.id})
        for turn in query.positions:
            self.pool.submit(AnalysisJob(query, turn))

    # Actions: each returns the fields that it adds to the echo of its request

    def _act(self, fields: Json) -> None:
        name = fields["action"]
        if not isinstance(name, str) or name not in self._actions:
            raise SchemaError(f"unknown action: use {', '.join(self._actions)}", "action")
        given = {key: value for key, value in fields.items() if value is not None}
        self.send({**fields, **self._actions[name](given)})

    def _query_version(self, fields: Json) -> Json:
        return {"version": __version__, "git_hash": "<omitted>", "engine": "Tengen"}

    def _query_models(self, fields: Json) -> Json:
        """Return the network: its name in the settings, its file and a digest of the content."""
        net = self.settings.play.net
        if net == NONE:
            return {"models": []}
        path = net_path(net)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:DIGEST_LENGTH]
        return {"models": [{"name": net, "internalName": f"{path.name} {digest}"}]}

    def _clear_cache(self, fields: Json) -> Json:
        self.pool.clear()
        return {}

    def _terminate(self, fields: Json) -> Json:
        action = convert(fields, Terminate)
        turns = action.turn_numbers
        self.pool.terminate(
            lambda job: job.query.id == action.terminate_id and (turns is None or job.turn in turns)
        )
        return {}

    def _terminate_all(self, fields: Json) -> Json:
        turns = convert(fields, TerminateAll).turn_numbers
        self.pool.terminate(lambda job: turns is None or job.turn in turns)
        return {}

    # Jobs, run by the threads of the pool

    def _drop_job(self, job: AnalysisJob) -> None:
        self.send(no_results(job))

    def _run_job(self, job: AnalysisJob, engine_for: MakeEngine) -> None:
        """Run a job and send its final response, whatever happens."""
        try:
            engine = engine_for(self.settings.with_overrides(job.query.overrides.overrides))
            self.send(self._analyze(job, engine))
        except TengenError as error:
            self.send(failure(job, str(error)))
        except Exception as error:
            self.send(failure(job, _internal_error(error)))

    def _analyze(self, job: AnalysisJob, engine: "Engine") -> Response:
        """Search, and return the final response."""
        job.begin(engine)
        if job.is_terminated:
            return no_results(job)
        allowed = job.restrictions.moves(job.position)
        progress = self._progress(job, engine)
        report = engine.analyze(job.position, self._limit(job), progress, allowed)
        self._report_problems(engine.problems)
        if report.visits == 0:
            return no_results(job)
        return self._result(job, report, engine, is_during_search=False)

    def _report_problems(self, problems: list[str]) -> None:
        """Print errors raised by sources to stderr, each once."""
        for problem in problems:
            if problem not in self._reported:
                self._reported.add(problem)
                print(f"tengen: {problem}; continuing without it", file=sys.stderr, flush=True)

    def _result(
        self, job: AnalysisJob, report: "SearchReport", engine: "Engine", is_during_search: bool
    ) -> Response:
        perspective = job.query.perspective
        if perspective is None:
            perspective = self._defaults.perspective
        return result(job, report, perspective, engine.settings.play, is_during_search)

    def _limit(self, job: AnalysisJob) -> SearchLimit:
        """Return the limit of the search: visits or time, whichever is reached first."""
        visits = job.query.visits or self._defaults.visits
        seconds = job.query.seconds or self._defaults.seconds
        if visits is None and seconds is None:
            return self.settings.play.limit()
        return SearchLimit.after(seconds, visits)

    def _progress(self, job: AnalysisJob, engine: "Engine") -> "Progress":
        """Return a callback that stops terminated searches and sends partial results."""
        message = job.query.message
        interval_s = message.report_during_search_every
        first_s = message.first_report_during_search_after or interval_s
        next_s = NEVER if first_s is None else time.monotonic() + first_s

        def observe(read: "Callable[[], SearchReport]") -> None:
            nonlocal next_s
            if job.is_terminated:
                engine.stop()
            elif time.monotonic() >= next_s:
                self.send(self._result(job, read(), engine, is_during_search=True))
                next_s = NEVER if interval_s is None else time.monotonic() + interval_s

        return observe


def _internal_error(error: Exception) -> str:
    """Print an unexpected error to stderr and return it for the client."""
    print(f"tengen: internal error: {error!r}", file=sys.stderr, flush=True)
    return f"internal error: {error!r}"


# The connection


class _Output:
    """Writes one object per line; thread-safe."""

    def __init__(self, target: TextIO):
        self._target = target
        self._lock = threading.Lock()
        self.is_broken = False
        """Whether the client has closed the pipe."""

    def write(self, response: Response) -> None:
        """Write a response at once."""
        line = json.dumps(response, separators=(",", ":")) + "\n"
        with self._lock:
            if self.is_broken:
                return
            try:
                self._target.write(line)
                self._target.flush()
            except BrokenPipeError:
                self.is_broken = True


def serve(
    settings: EngineSettings,
    defaults: QueryDefaults,
    source: Iterable[bytes],
    target: TextIO,
    waits: bool = True,
) -> None:
    """Answer queries until the input ends; then finish the open ones if `waits`, else end them.

    Raise TengenError if the engine cannot be created, BrokenPipeError if the client is gone.
    """
    output = _Output(target)

    def end_all() -> None:
        server.pool.terminate(lambda job: True)

    def send(response: Response) -> None:
        output.write(response)
        if output.is_broken:
            end_all()

    server = AnalysisServer(settings, defaults, send, _make_engine)
    server.start()
    print(READY, file=sys.stderr, flush=True)
    try:
        for raw in source:
            server.handle(raw.decode("utf-8", "replace"))
            if output.is_broken:
                raise BrokenPipeError
        if not waits:
            end_all()
    except BaseException:
        end_all()
        raise
    finally:
        server.pool.finish()
    if output.is_broken:
        raise BrokenPipeError


def _make_engine(settings: EngineSettings) -> "Engine":
    from tengen.engine import create_engine

    return create_engine(settings)

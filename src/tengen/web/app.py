"""The web application and its HTTP server."""

import asyncio
import errno
import re
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from tengen.records import GameRecord, OpenedGame, ignore_warning, read_bytes, sgf_bytes
from tengen.util import TengenError
from tengen.view import animate
from tengen.web.access import AccessMiddleware, AccessPolicy
from tengen.web.autosave import restore_game
from tengen.web.commands import run_command
from tengen.web.connection import Connection
from tengen.web.experiments import MATCH_SUFFIXES, find_file
from tengen.web.game import WebGame
from tengen.web.game_server import GameServer
from tengen.web.library import IMPORT_TIMEOUT_S
from tengen.web.limits import BODY_TIMEOUT_S, MAX_CONNECTIONS, TimedProtocol
from tengen.web.messages import MAX_MESSAGE_LENGTH

PAGE = Path(__file__).parent / "page"
MAX_UPLOAD_BYTES = 10_000_000
MAX_READ_S = 30.0
"""Time limit for reading an uploaded file."""
MAX_FRAMES = 400
"""Frames of an animation, the last ones of a longer line."""
MAX_WARNINGS = 20
"""Warnings about an uploaded file that are sent to the page."""
MAX_NAME_LENGTH = 60
"""Characters of the name of a saved file."""
REPORT_SUFFIXES = frozenset((".html", ".png", ".svg", ".csv", ".sgf"))
REPORT_POLICY = (
    "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"
)
DEFAULT_PORT = 8361
PORTS_TRIED = 100


def make_app(server: GameServer, policy: AccessPolicy) -> Starlette:
    """Return the application of a game server."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.server = server
        if server.preparer is not None:
            server.preparer.start()
        yield
        await server.context.jobs.close()
        server.close()

    routes = [
        Route("/", _index),
        Route("/favicon.ico", _icon),
        WebSocketRoute("/socket", _socket),
        Route("/manifest.webmanifest", _manifest),
        Route("/worker.js", _worker),
        Route("/games/{id}.sgf", _save_game),
        Route("/games/{id}.gif", _animate_game),
        Route("/games/{id}", _load_game, methods=["POST"]),
        Route("/problems", _add_problems, methods=["POST"]),
        Route("/imports/{target}", _import, methods=["POST"]),
        Route("/reports/{path:path}", _report),
        Route("/match-reports/{path:path}", _match_report),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    middleware = [Middleware(AccessMiddleware, policy=policy)]
    return Starlette(routes=routes, middleware=middleware, lifespan=lifespan)


async def _index(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _icon(request: Request) -> Response:
    return FileResponse(PAGE / "icon.svg")


async def _manifest(request: Request) -> Response:
    return FileResponse(PAGE / "manifest.webmanifest", media_type="application/manifest+json")


async def _worker(request: Request) -> Response:
    """Send the service worker, which applies to all paths only if it is at the root."""
    return FileResponse(PAGE / "worker.js", headers={"Cache-Control": "no-cache"})


async def _socket(socket: WebSocket) -> None:
    await Connection(socket, socket.app.state.server).serve()


# Game records


async def _save_game(request: Request) -> Response:
    """Send a game as SGF."""
    room = request.app.state.server.rooms.get(request.path_params["id"])
    if room is None:
        return _error("no such game", 404)
    record = room.game.tree.record
    headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(file_name(record))}"}
    return Response(sgf_bytes(record), 200, headers, "application/x-go-sgf")


def file_name(record: GameRecord) -> str:
    """Return a safe file name made of players and date."""
    parts = [record.black, record.white, record.root.text("DT")]
    name = "-".join(re.sub(r"[^\w.-]+", "_", part).strip("._") for part in parts if part)
    return f"{name[:MAX_NAME_LENGTH] or 'tengen'}.sgf"


async def _animate_game(request: Request) -> Response:
    """Send the current line of a game as animated GIF."""
    server: GameServer = request.app.state.server
    room = server.rooms.get(request.path_params["id"])
    if room is None:
        return _error("no such game", 404)
    game = room.game
    positions = [game.tree.position(number) for number in game.tree.line(game.node)[-MAX_FRAMES:]]
    content = await server.context.run_in_thread(animate, positions)
    name = quote(file_name(game.tree.record).removesuffix(".sgf"))
    headers = {"Content-Disposition": f"attachment; filename*=utf-8''{name}.gif"}
    return Response(content, 200, headers, "image/gif")


async def _load_game(request: Request) -> Response:
    """Load the first game of an uploaded file into a room."""
    server: GameServer = request.app.state.server
    room = server.rooms.get(request.path_params["id"])
    if room is None:
        return _error("no such game", 404)
    try:
        data = await asyncio.wait_for(_read_body(request), BODY_TIMEOUT_S)
    except TimeoutError:
        return _error(f"the file was not sent within {BODY_TIMEOUT_S:.0f} s", 408)
    if data is None:
        return _error(f"the file is larger than {MAX_UPLOAD_BYTES // 1_000_000} MB", 413)
    try:
        reading = server.context.run_in_thread(read_game, data)
        game, has_more = await asyncio.wait_for(reading, MAX_READ_S)
    except TengenError as error:
        return _error(str(error), 422)
    except TimeoutError:
        return _error(f"reading the file took longer than {MAX_READ_S:.0f} s", 422)
    room.show(game)
    warnings = [str(warning.reason) for warning in game.tree.record.warnings]
    return JSONResponse({"warnings": warnings[:MAX_WARNINGS], "has_more": has_more})


def read_game(data: bytes) -> tuple[WebGame, bool]:
    """Return the first game of a file, at its end, and whether there are more.

    Raise TengenError if there is none, or if it cannot be displayed.
    """
    records = read_bytes(data, on_warning=ignore_warning)
    record = next(records, None)
    if record is None:
        raise TengenError("there is no game in this file")
    return restore_game(OpenedGame(record, None)), next(records, None) is not None


async def _add_problems(request: Request) -> Response:
    """Store an uploaded collection of problems."""
    context = request.app.state.server.context
    try:
        data = await asyncio.wait_for(_read_body(request), BODY_TIMEOUT_S)
    except TimeoutError:
        return _error(f"the file was not sent within {BODY_TIMEOUT_S:.0f} s", 408)
    if data is None:
        return _error(f"the file is larger than {MAX_UPLOAD_BYTES // 1_000_000} MB", 413)
    name = request.query_params.get("name", "")
    try:
        adding = context.run_in_thread(context.problems.add, name, data)
        collection, skipped = await asyncio.wait_for(adding, MAX_READ_S)
    except TengenError as error:
        return _error(str(error), 422)
    except TimeoutError:
        return _error(f"reading the file took longer than {MAX_READ_S:.0f} s", 422)
    count = len(collection.keys)
    return JSONResponse({"id": collection.id, "count": count, "skipped": skipped})


async def _read_body(request: Request) -> bytes | None:
    """Return the body of a request, or None as soon as it is too large."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_UPLOAD_BYTES:
            return None
    return bytes(data)


def _error(reason: str, status: int) -> Response:
    return JSONResponse({"reason": reason}, status)


async def _import(request: Request) -> Response:
    """Receive a collection of games and start its import; progress goes to all pages."""
    library = request.app.state.server.context.library
    name = request.query_params.get("name", "")
    try:
        task = library.start_import(request.path_params["target"], name)
    except TengenError as error:
        return _error(str(error), 409)
    try:
        await asyncio.wait_for(task.receive(request.stream()), IMPORT_TIMEOUT_S)
    except TengenError as error:
        task.end()
        return _error(str(error), 413)
    except (TimeoutError, ClientDisconnect):
        task.end()
        return _error("the file was not sent completely", 408)
    task.start()
    return JSONResponse({})


# Reports of experiments


async def _report(request: Request) -> Response:
    """Send a report or one of its pictures."""
    folder = request.app.state.server.context.experiments
    path = find_file(folder, request.path_params["path"], REPORT_SUFFIXES)
    if path is None:
        return PlainTextResponse("no such report\n", 404)
    return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY})


async def _match_report(request: Request) -> Response:
    """Write the report of a match if it is older than the match, and send the page to it."""
    context, name = request.app.state.server.context, request.path_params["path"]
    path = find_file(context.experiments, name, MATCH_SUFFIXES)
    if path is None:
        return PlainTextResponse("no such match\n", 404)
    report = path.with_suffix(".html")
    if not report.is_file() or report.stat().st_mtime < path.stat().st_mtime:
        try:
            await run_command(["report", str(path)], lambda found: None)
        except TengenError as error:
            return PlainTextResponse(f"{error}\n", 422)
    return RedirectResponse(f"/reports/{quote(report.relative_to(context.experiments).as_posix())}")


# HTTP server


def free_socket(host: str, first: int = DEFAULT_PORT) -> sockets.socket:
    """Return a socket listening on the first free port; raise TengenError if there is none."""
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        found = sockets.socket(family, sockets.SOCK_STREAM)
        found.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            found.bind((host, port))
            found.listen(128)
        except OSError as error:
            found.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise TengenError(f"cannot listen on {host}: {error.strerror}") from None
            continue
        return found
    raise TengenError(f"no free port on {host} from {first}")


def server_url(listening: sockets.socket, policy: AccessPolicy) -> str:
    """Return the URL to open in a browser."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = sockets.gethostname()
    shown = f"[{host}]" if ":" in host else host
    token = f"?token={policy.token}" if policy.token else ""
    return f"http://{shown}:{port}/{token}"


def serve(app: Starlette, listening: sockets.socket) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Ignore repeated signals during the shutdown, which takes at most seconds."""
            if not self.should_exit:
                super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        log_level="warning",
        ws="websockets-sansio",
        http=TimedProtocol,
        limit_concurrency=MAX_CONNECTIONS,
        ws_max_size=4 * MAX_MESSAGE_LENGTH,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    Server(config).run(sockets=[listening])

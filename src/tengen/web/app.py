"""The application: the page's files, one socket, files in and out, reports of experiments."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from tengen.core.errors import TengenError
from tengen.records.game import GameRecord
from tengen.records.reader import read_bytes
from tengen.records.writer import sgf_bytes
from tengen.web.connection import Page
from tengen.web.guard import Door, Guard
from tengen.web.house import House

PAGE = Path(__file__).parent / "page"
LARGEST_FILE = 10_000_000
"""Bytes of a game record that is opened."""
LONGEST_NAME = 60
"""Characters of a saved file's name; file systems take 255 bytes."""
REPORT_ENDINGS = frozenset((".html", ".png", ".svg", ".csv", ".sgf"))
REPORT_POLICY = (
    "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"
)


def make_app(house: House, door: Door) -> Starlette:
    """Return the application of a house."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.house = house
        yield
        house.close()

    routes = [
        Route("/", _index),
        Route("/favicon.ico", _icon),
        WebSocketRoute("/socket", _socket),
        Route("/games/{id}.sgf", _save),
        Route("/games/{id}", _open, methods=["POST"]),
        Route("/reports/{path:path}", _report),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    guard = Middleware(Guard, door=door)
    return Starlette(routes=routes, middleware=[guard], lifespan=lifespan)


async def _index(request: Request) -> Response:
    return FileResponse(PAGE / "index.html")


async def _icon(request: Request) -> Response:
    return FileResponse(PAGE / "icon.svg")


async def _socket(socket: WebSocket) -> None:
    await Page(socket, socket.app.state.house).serve()


# Files in and out


async def _save(request: Request) -> Response:
    """Send a game as SGF."""
    table = request.app.state.house.tables.get(request.path_params["id"])
    if table is None:
        return _refused("there is no such game", 404)
    record = table.game.tree.record
    headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(file_name(record))}"}
    return Response(sgf_bytes(record), 200, headers, "application/x-go-sgf")


def file_name(record: GameRecord) -> str:
    """Return what a game's file is called: players and date, with nothing that a path may mean."""
    words = [record.black, record.white, record.root.text("DT")]
    name = "-".join(re.sub(r"[^\w.-]+", "_", word).strip("._") for word in words if word)
    return f"{name[:LONGEST_NAME] or 'tengen'}.sgf"


async def _open(request: Request) -> Response:
    """Put the first game of a file on a table."""
    house: House = request.app.state.house
    table = house.tables.get(request.path_params["id"])
    if table is None:
        return _refused("there is no such game", 404)
    data = await _body(request)
    if data is None:
        return _refused(f"the file is larger than {LARGEST_FILE // 1_000_000} MB", 413)
    try:
        record, has_more = await house.in_thread(read_record, data)
        table.open(record)
    except TengenError as error:
        return _refused(str(error), 422)
    warnings = [str(warning.reason) for warning in record.warnings]
    return JSONResponse({"warnings": warnings, "has_more": has_more})


def read_record(data: bytes) -> tuple[GameRecord, bool]:
    """Return the first game of a file in memory, and whether it holds others.

    Raise TengenError if it holds none.
    """
    records = read_bytes(data, report=lambda warning: None)
    record = next(records, None)
    if record is None:
        raise TengenError("there is no game in this file")
    return record, next(records, None) is not None


async def _body(request: Request) -> bytes | None:
    """Return what was sent, or None as soon as it is too much."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > LARGEST_FILE:
            return None
    return bytes(data)


def _refused(reason: str, status: int) -> Response:
    return JSONResponse({"reason": reason}, status)


# Reports


async def _report(request: Request) -> Response:
    """Send a report or its picture from below the folder of experiments, and nothing else."""
    path = find_report(request.app.state.house.experiments, request.path_params["path"])
    if path is None:
        return PlainTextResponse("there is no such report\n", 404)
    return FileResponse(path, headers={"Content-Security-Policy": REPORT_POLICY})


def find_report(folder: Path, name: str) -> Path | None:
    """Return a report's file by its way from the folder, None if it is no report inside it."""
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root) or path.suffix not in REPORT_ENDINGS:
            return None
        is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        return path if path.is_file() and not is_hidden else None
    except (OSError, ValueError):
        return None  # a name that no file can have

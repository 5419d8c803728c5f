"""The library of the page: lists of games, autosaved games, and uploads of collections."""

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from tengen.records import GameOrigin, Library, OpenedGame
from tengen.records.database import default_database_path
from tengen.util import Json, TengenError
from tengen.web import messages
from tengen.web.commands import run_command

log = logging.getLogger("tengen.web")
PAGE_GAMES = 60
"""Games of one `GameList`."""
PLAYED_GAMES = "played"
"""Name of the collection of autosaved games; the page shows a translated one."""
MAX_IMPORT_BYTES = 500_000_000
MAX_NAME_LENGTH = 80
IMPORT_TIMEOUT_S = 900.0
"""Time limit for sending the file of an import."""
TARGETS = ("library", "database")
Result = TypeVar("Result")


class GameLibrary:
    """Access to the library file in a separate thread, and imports of uploaded collections."""

    def __init__(self, path: Path | None = None, database: Path | None = None):
        """Use the library at `path`, or a temporary one that lasts as long as the server."""
        self._path = path
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="library")
        self.imports: dict[str, ImportTask] = {}
        """Running imports by target."""
        self.on_import: Callable[[messages.ImportProgress], object] = lambda message: None
        """Called with the progress of imports."""

    @cached_property
    def _folder(self) -> Path:
        """The folder of uploads, and of the library if it is temporary."""
        return Path(tempfile.mkdtemp(prefix="tengen-"))

    @cached_property
    def path(self) -> Path:
        """The library file."""
        return self._path or self._folder / "library.sqlite"

    @cached_property
    def _library(self) -> Library:
        return Library(self.path)

    async def run(self, function: Callable[[Library], Result]) -> Result:
        """Call a function with the library in its thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: function(self._library))

    def close(self) -> None:
        """Stop imports, finish saving, and remove temporary files."""
        for task in list(self.imports.values()):
            task.cancel()
        self._thread.shutdown(wait=True)
        if "_library" in self.__dict__:
            self._library.close()
        if "_folder" in self.__dict__:
            shutil.rmtree(self._folder, ignore_errors=True)

    # Lists

    async def collections(self) -> messages.CollectionList:
        """Return all collections."""
        found = await self.run(Library.collections)
        return messages.CollectionList([one._asdict() for one in found])

    async def games(self, request: messages.ListGames) -> messages.GameList:
        """Return the requested range of the matching games."""
        total, games = await self.run(
            lambda library: library.games(
                request.collection,
                request.words,
                request.sort,
                request.is_descending,
                max(request.offset, 0),
                PAGE_GAMES,
            )
        )
        return messages.GameList(request, total, [game._asdict() for game in games])

    async def replace_collection(self, name: str, games: list[bytes]) -> int:
        """Make games the only ones of the collections of this name; return the new collection."""

        def replace(library: Library) -> int:
            for known in library.collections():
                if known.name == name[:MAX_NAME_LENGTH] and not known.is_played:
                    library.remove_collection(known.id)
            collection = library.add_collection(name)
            library.add_sgf(collection, games)
            library.complete(collection)
            return collection

        return await self.run(replace)

    # Autosaved games

    def save(self, played: GameOrigin, sgf: bytes) -> None:
        """Save a game in the background."""

        def save() -> None:
            try:
                self._library.save(played, sgf, PLAYED_GAMES)
            except TengenError as error:
                log.warning("a game was not saved: %s", error)

        self._thread.submit(save)

    def latest_of_room(self, room: str) -> OpenedGame | None:
        """Return the game saved last in a room of an earlier server, or None."""
        try:
            return self._library.latest_of_room(room)
        except TengenError as error:
            log.warning("%s", error)
            return None

    # Imports

    def start_import(self, target: str, name: str) -> "ImportTask":
        """Return a new import that waits for its file; raise TengenError if one is running."""
        if target not in TARGETS:
            raise TengenError(f"cannot import to {target[:40]!r}")
        if target in self.imports:
            raise TengenError("another import is running: wait, or cancel that first")
        library, database = self.path, self._database or default_database_path()
        task = ImportTask(self, target, name[:MAX_NAME_LENGTH], self._folder)
        task.command = (
            ["games", "collect", "--library", str(library), "--name", task.name, "--progress"]
            if target == "library"
            else ["games", "import", "--database", str(database), "--progress", "--json"]
        )
        self.imports[target] = task
        return task

    def cancel_import(self, target: str) -> None:
        """Cancel a running import."""
        if target in self.imports:
            self.imports[target].cancel()


class ImportTask:
    """Receives a file and imports it in another process."""

    def __init__(self, library: GameLibrary, target: str, name: str, folder: Path):
        self._library = library
        self.target = target
        self.name = name or "games.sgf"
        self.command: list[str] = []
        self._file = Path(tempfile.mkdtemp(dir=folder)) / f"games{_suffix(name)}"
        self._task: asyncio.Task[None] | None = None

    async def receive(self, chunks: AsyncIterator[bytes]) -> None:
        """Store the file; raise TengenError if it is too large."""
        size = 0
        with self._file.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > MAX_IMPORT_BYTES:
                    raise TengenError(f"the file is larger than {MAX_IMPORT_BYTES // 10**6} MB")
                file.write(chunk)

    def start(self) -> None:
        """Start the import of the received file, unless it was canceled meanwhile."""
        if self._library.imports.get(self.target) is not self:
            return
        self._report(share=0.0)
        self._task = asyncio.get_running_loop().create_task(self._run())

    def cancel(self) -> None:
        """Cancel the import; a file that is still being received is dropped when it is complete."""
        if self._task is not None:
            self._task.cancel()
        else:
            self.end()

    def end(self) -> None:
        """Remove the file and make room for another import."""
        shutil.rmtree(self._file.parent, ignore_errors=True)
        if self._library.imports.get(self.target) is self:
            del self._library.imports[self.target]

    def _report(self, **fields: Any) -> None:
        self._library.on_import(messages.ImportProgress(self.target, self.name, **fields))

    async def _run(self) -> None:
        last: Json = {}

        def show(found: Json) -> None:
            last.update(found)
            if "share" in found:
                self._report(share=found["share"], games=found["games"])

        problem, is_cancelled = "", False
        try:
            await run_command([*self.command, str(self._file)], show)
        except asyncio.CancelledError:
            is_cancelled = True
        except TengenError as error:
            problem = str(error).replace(str(self._file), self.name)
        except Exception as error:
            log.exception("an import failed")
            problem = f"internal error: {error!r}"
        self.end()
        games = last.get("added", last.get("games", 0))
        done = {"is_running": False, "is_cancelled": is_cancelled, "problem": problem}
        self._report(share=1.0, games=games, read=last.get("read", games), **done)


def _suffix(name: str) -> str:
    """Return the suffix of a file name by which its format is known, such as `.tar.xz`."""
    lower = name.lower()
    known = (".zip", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".txz")
    found = [suffix for suffix in known if lower.endswith(suffix)]
    suffix = max(found, key=len) if found else os.path.splitext(lower)[1]
    return suffix if suffix.removeprefix(".").replace(".", "").isalnum() else ".sgf"

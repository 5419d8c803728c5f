"""Lists matches, tuning runs and lab reports in a folder."""

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from tengen.util import Json, TengenError

MAX_DEPTH = 4
MAX_ENTRIES = 200
READ_ERRORS = (
    TengenError,
    ImportError,
    OSError,
    sqlite3.Error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
"""Raised when a file is not an experiment or cannot be read on this system."""
MATCH_SUFFIXES = (".sqlite", ".db")
MAX_TEXT_BYTES = 50_000_000
MAX_MATCH_BYTES = 4_000_000_000
"""Larger files are not listed."""
SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))


def list_experiments(root: Path) -> list[Json]:
    """Return the experiments in a folder and below, newest first."""
    entries: list[Json] = []
    for folder, files in _folders(root):
        entries += [entry for name in files if (entry := _entry(root, folder, name)) is not None]
        if len(entries) >= MAX_ENTRIES:
            break
    return sorted(entries, key=lambda entry: -float(entry["changed"]))


def _folders(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Walk the folders to `MAX_DEPTH`, skipping hidden ones."""
    for folder, below, files in os.walk(root):
        has_depth = len(Path(folder).relative_to(root).parts) < MAX_DEPTH
        below[:] = sorted(
            name for name in below if has_depth and name[0] != "." and name not in SKIPPED_FOLDERS
        )
        yield Path(folder), sorted(files)


def _entry(root: Path, folder: Path, name: str) -> Json | None:
    """Return the entry of a file, or None if it is not an experiment."""
    path = folder / name
    try:
        if not _is_readable(path):
            return None
        if name.endswith(MATCH_SUFFIXES):
            return _common(root, path, "match") | _match(path)
        if name == "log.jsonl":
            return _common(root, path, "tuning") | _tuning(path)
        if name == "settings.json" and (folder / "report.html").is_file():
            return _common(root, folder / "report.html", "lab") | _lab(path)
    except READ_ERRORS:
        return None
    return None


def _is_readable(path: Path) -> bool:
    """Return whether a path is a regular file of limited size: pipes block, devices never end."""
    found = path.stat()
    limit = MAX_MATCH_BYTES if path.suffix in MATCH_SUFFIXES else MAX_TEXT_BYTES
    return stat.S_ISREG(found.st_mode) and found.st_size <= limit


def _common(root: Path, path: Path, kind: str) -> Json:
    page = path.with_suffix(".html") if kind == "match" else path.parent / "report.html"
    report = page.relative_to(root).as_posix() if page.is_file() else None
    shown_path = path.relative_to(root) if kind == "match" else path.parent.relative_to(root)
    changed = path.stat().st_mtime
    return {"kind": kind, "path": shown_path.as_posix(), "report": report, "changed": changed}


def _match(path: Path) -> Json:
    """Return the players of a match and their scores so far."""
    # Imported here, since matches need file locks, which some systems lack.
    from tengen.match import Store, score_of_player

    store = Store(path, create=False, read_only=True)
    try:
        players, rows = store.players(), store.results()
    finally:
        store.close()
    if not players:
        raise TengenError("the match has no players")
    lines = []
    for number, player in enumerate(players):
        score = score_of_player(rows, number)
        rate = score.points / score.games if score.games else None
        text = f"{score.points:g} of {score.games}"
        lines.append({"name": player.label, "score": text, "rate": rate})
    return {"title": path.stem, "done": len(rows), "lines": lines}


def _tuning(path: Path) -> Json:
    """Return the number of pairs played in a tuning run, and the values of the last pair."""
    lines = path.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines if line.endswith("}")]
    if not entries or "run" not in entries[0]:
        raise TengenError("missing tuning header")
    pairs = [entry for entry in entries[1:] if "duel" in entry]
    first, second = (pairs[-1]["first"], pairs[-1]["second"]) if pairs else ({}, {})
    shown = [
        {"name": f"last pair, {key}", "score": f"{value:.4g} – {second[key]:.4g}", "rate": None}
        for key, value in first.items()
    ]
    return {"title": path.parent.name, "done": len(pairs), "lines": shown}


def _lab(path: Path) -> Json:
    settings = json.loads(path.read_text(encoding="utf-8"))
    return {"title": str(settings["title"]), "done": None, "lines": []}

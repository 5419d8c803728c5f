"""Matches, tunings and lab reports below a folder, as they stand now."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from tengen.core.errors import TengenError
from tengen.web.messages import Json

DEEPEST = 4
MOST = 200
"""Folders are not searched without end."""
NOT_ONE = (
    TengenError,
    ImportError,
    OSError,
    sqlite3.Error,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
"""What reading a file raises that is no experiment, or one that this system cannot read."""
OF_MATCHES = (".sqlite", ".db")
"""How the files of matches are called; what is in them decides."""
HIDDEN = frozenset(("node_modules", "__pycache__"))


def list_experiments(root: Path) -> list[Json]:
    """Return what is found below a folder, the newest first."""
    entries: list[Json] = []
    for folder, files in _folders(root):
        entries += [entry for name in files if (entry := _entry(root, folder, name)) is not None]
        if len(entries) >= MOST:
            break
    return sorted(entries, key=lambda entry: -float(entry["changed"]))


def _folders(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Walk a folder and those below it, not too deep, hidden ones left out."""
    for folder, below, files in os.walk(root):
        depth = len(Path(folder).relative_to(root).parts)
        keeps = depth < DEEPEST
        below[:] = sorted(n for n in below if keeps and n[0] != "." and n not in HIDDEN)
        yield Path(folder), sorted(files)


def _entry(root: Path, folder: Path, name: str) -> Json | None:
    """Return what a file tells of an experiment, or None if it is none."""
    path = folder / name
    try:
        if name.endswith(OF_MATCHES):
            return _common(root, path, "match") | _match(path)
        if name == "log.jsonl":
            return _common(root, path, "tuning") | _tuning(path)
        if name == "settings.json" and (folder / "report.html").is_file():
            return _common(root, folder / "report.html", "lab") | _lab(path)
    except NOT_ONE:
        return None  # a file of that name which is something else
    return None


def _common(root: Path, path: Path, kind: str) -> Json:
    page = path.with_suffix(".html") if kind == "match" else path.parent / "report.html"
    report = page.relative_to(root).as_posix() if page.is_file() else None
    where = path.relative_to(root) if kind == "match" else path.parent.relative_to(root)
    changed = path.stat().st_mtime
    return {"kind": kind, "path": where.as_posix(), "report": report, "changed": changed}


def _match(path: Path) -> Json:
    """Return the players of a match with their scores, so far."""
    # Here, since matches need file locks that not every system has; the page does not.
    from tengen.match.store import Store
    from tengen.match.tally import score_of_player

    store = Store(path, create=False, is_glance=True)
    try:
        players, rows = store.players(), store.results()
    finally:
        store.close()
    if not players:
        raise TengenError("a match has players")
    lines = []
    for number, player in enumerate(players):
        score = score_of_player(rows, number)
        rate = f"{score.points:g} of {score.games}"
        lines.append(
            {"name": player.label, "score": rate, "rate": _rate(score.points, score.games)}
        )
    return {"title": path.stem, "done": len(rows), "lines": lines}


def _rate(points: float, games: int) -> float | None:
    return points / games if games else None


def _tuning(path: Path) -> Json:
    """Return how far a tuning is: duels done, and the values of the two that met last."""
    lines = path.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines if line.endswith("}")]
    if not entries or "run" not in entries[0]:
        raise TengenError("a tuning says in its first line whose it is")
    duels = [entry for entry in entries[1:] if "duel" in entry]
    first, second = (duels[-1]["first"], duels[-1]["second"]) if duels else ({}, {})
    shown = [
        {"name": f"last duel, {key}", "score": f"{value:.4g} – {second[key]:.4g}", "rate": None}
        for key, value in first.items()
    ]
    return {"title": path.parent.name, "done": len(duels), "lines": shown}


def _lab(path: Path) -> Json:
    settings = json.loads(path.read_text(encoding="utf-8"))
    return {"title": str(settings["title"]), "done": None, "lines": []}

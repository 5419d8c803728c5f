"""Lists matches, tuning runs and lab reports in a folder."""

import json
import math
import os
import shlex
import sqlite3
import stat
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.util import Json, TengenError

if TYPE_CHECKING:
    from tengen.match import GameRow

DEFAULT_GAMES = 100
"""Games of a match whose command does not name them."""
MAX_ELO = 2000.0
"""Bounds of confidence intervals are shown up to this difference."""
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


def list_experiments(root: Path, jobs: Sequence[Json] = ()) -> list[Json]:
    """Return the experiments in a folder and below, running ones first, then the newest.

    `jobs` are those of `ExperimentJobs`; each entry gets its own, or None.
    """
    entries: list[Json] = []
    for folder, files in _folders(root):
        entries += [entry for name in files if (entry := _entry(root, folder, name)) is not None]
        if len(entries) >= MAX_ENTRIES:
            break
    by_path = {_path_of(job): job for job in jobs}
    for entry in entries:
        entry["job"] = by_path.pop((entry["kind"], entry["path"]), None)
    entries += [_without_results(job) for job in by_path.values()]
    return sorted(entries, key=lambda entry: (not _is_running(entry), -float(entry["changed"])))


def _path_of(job: Json) -> tuple[str, str]:
    """Return the kind and the path of the entry of a job."""
    return job["kind"], job["name"] + (".sqlite" if job["kind"] == "match" else "")


def _is_running(entry: Json) -> bool:
    return bool(entry["job"] and entry["job"]["is_running"])


def _without_results(job: Json) -> Json:
    """Return the entry of a job that has no results yet."""
    kind, path = _path_of(job)
    found = {"kind": kind, "path": path, "report": None, "changed": 0.0, "job": job}
    return found | {"title": job["name"], "done": 0, "lines": []}


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
        players, rows, command = store.players(), store.results(), store.metadata("command")
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
    found = {"title": path.stem, "done": len(rows), "lines": lines}
    return found | _progress(rows, len(players), command)


def _progress(rows: Sequence["GameRow"], players: int, command: object) -> Json:
    """Return the planned games of a match, and for two players the difference and the test."""
    from tengen.match import elo_interval, pair_counts, pair_interval, parse_sprt

    words = shlex.split(command) if isinstance(command, str) else []
    options = dict(
        word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word
    )
    pairings = players - 1 if options.get("mode") == "gauntlet" else players * (players - 1) // 2
    games = int(options.get("games", DEFAULT_GAMES)) * pairings
    found: Json = {"games": games if words else None, "elo": None, "sprt": None}
    if players != 2:
        return found
    counts = pair_counts(rows, 0)
    elo = elo_interval(pair_interval(counts))
    if math.isfinite(elo.value):
        found["elo"] = [
            elo.value,
            *(max(min(one, MAX_ELO), -MAX_ELO) for one in (elo.low, elo.high)),
        ]
    if (sprt := parse_sprt(options.get("sprt", ""))) is not None:
        found["sprt"] = {
            "elo": [sprt.elo0, sprt.elo1],
            "llr": sprt.llr(counts),
            "bounds": list(sprt.bounds),
            "decision": sprt.decide(counts).name,
        }
    return found


def match_games(root: Path, name: str) -> list[bytes]:
    """Return the games of a match in the folder as SGF; raise TengenError if it is none."""
    from tengen.match import Store

    path = find_file(root, name, MATCH_SUFFIXES)
    if path is None:
        raise TengenError(f"there is no match {name[:60]!r}")
    store = Store(path, create=False, read_only=True)
    try:
        return [row.sgf.encode() for row in store.games()]
    finally:
        store.close()


def find_file(root: Path, name: str, suffixes: Collection[str]) -> Path | None:
    """Return a file of some types in the folder, or None if it is hidden or outside of it."""
    try:
        root = root.resolve()
        path = (root / name).resolve()
        if not path.is_relative_to(root) or path.suffix not in suffixes:
            return None
        is_hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        return path if path.is_file() and not is_hidden else None
    except (OSError, ValueError):
        return None  # not a valid file name


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

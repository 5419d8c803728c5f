"""Summary rows of match files for results tables such as `results/strength/matches.csv`."""

import subprocess
from pathlib import Path

from tengen import __version__
from tengen.board import BLACK, WHITE
from tengen.match.stats import Interval
from tengen.match.store import Store
from tengen.match.tally import MatchResults, MatchScore, games_between, score_of_player
from tengen.util import TengenError, read_results, write_results

SOURCE_FOLDER = Path(__file__).parents[1]
_KEY = ("command", "player", "opponent")
"""Columns that identify a row; a row with the same values is replaced."""


def code_revision() -> str:
    """Return the git commit of Tengen's source code, or its version outside a repository."""
    command = ["git", "-C", str(SOURCE_FOLDER), "log", "-1", "--format=%h", "--", "."]
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return __version__
    return result.stdout.strip() or __version__


def summary_rows(store: Store) -> list[dict[str, str]]:
    """Return one row per pairing; raise TengenError if the file does not record its command."""
    results, command = MatchResults.from_store(store), store.metadata("command")
    if not isinstance(command, str):
        raise TengenError(f"{store.path} does not record its command: resume it with tengen match")
    date = max((row.started[:10] for row in results.rows), default="")
    rows = []
    for first, second in results.pairings:
        games = games_between(results.rows, first, second)
        score = score_of_player(games, first)
        rows.append(
            {
                "player": results.label(first),
                "opponent": results.label(second),
                "settings": results.summary,
                "games": str(score.games),
                "score": _interval(score.rate),
                "as Black": _points(score_of_player(games, first, BLACK)),
                "as White": _points(score_of_player(games, first, WHITE)),
                "date": date,
                "revision": str(store.metadata("revision") or ""),
                "versions": f"{_version(results, first)}; {_version(results, second)}",
                "command": command,
            }
        )
    return rows


def add_summary_rows(store: Store, path: Path) -> None:
    """Add the rows of a match to a results file, replacing rows of the same match."""
    rows = summary_rows(store)
    if not rows:
        raise TengenError(f"{store.path} has no games between different players")
    added = {tuple(row[name] for name in _KEY) for row in rows}
    stored = read_results(path).rows if path.exists() else []
    kept = [row for row in stored if tuple(row.get(name) for name in _KEY) not in added]
    write_results(path, [*kept, *rows], f"tengen report MATCH --row {path.as_posix()}")


def _version(results: MatchResults, player: int) -> str:
    return f"{results.players[player].name} {results.players[player].version}".strip()


def _interval(rate: Interval) -> str:
    return f"{100 * rate.value:.1f}% ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _points(score: MatchScore) -> str:
    return f"{score.points:g}/{score.games}"

"""How often patterns are played when they occur (paper 000, figure 37).

The paper took the shares from Pachi's pattern files, where 41% of the patterns were never played.
This experiment counts every legal move of some positions.
"""

import argparse
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tengen.lab.shape.games import first_games
from tengen.lab.shape.kernels.occurrences import occurrences
from tengen.lab.shape.kernels.ranking import new_ranking
from tengen.lab.study import Study, track
from tengen.records import GameMoves
from tengen.sources import SIZES, ShapeSettings
from tengen.sources.kernels.shape_keys import RINGS
from tengen.sources.kernels.shape_tables import is_sound

COLUMNS = ["size", "least", "share", "patterns", "of_all"]
EDGES = (0.0, 1e-9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 + 1e-9)
"""Bins of the share of play."""
LEAST = (1, 10)
"""Minimum occurrences of a pattern."""
POINTS = 361


def run(arguments: argparse.Namespace) -> int:
    """Process the games and write the report."""
    settings = ShapeSettings(symmetry=arguments.symmetry)
    study = Study(
        arguments.output,
        "SHAPE: how often patterns are played",
        {
            "games": arguments.number,
            "every": arguments.every,
            "paths": arguments.games,
            "symmetry": arguments.symmetry,
        },
    )
    table = study.table("played", COLUMNS)
    missing = [ring for ring in range(int(RINGS)) if not table.has(size=SIZES[ring])]
    if missing:
        keys, played = _all_occurrences(arguments, settings.marks)
        for ring in missing:
            table.add_all(_rows(SIZES[ring], keys[:, ring], played))
    _report(study, table.rows)
    print(study.folder / "report.html")
    return 0


def _all_occurrences(
    arguments: argparse.Namespace, marks: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    found_keys, found_played = [], []
    for games in track(list(first_games(arguments.games, arguments.number)), "replaying"):
        keys, played = _of_games(games, marks, arguments.every)
        found_keys.append(keys)
        found_played.append(played)
    return np.concatenate(found_keys), np.concatenate(found_played)


def _of_games(
    games: GameMoves, marks: int, every: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
    ranking = new_ranking()
    room = (len(games.codes) // every + 2 * len(games)) * POINTS
    keys = np.empty((room, int(RINGS)), dtype=np.uint64)
    played = np.zeros(room, dtype=np.uint8)
    done = 0
    for number, size in enumerate(games.sizes):
        words = games.codes[games.starts[number] : games.starts[number + 1]]
        board = np.uintp(size[0]), np.uintp(size[1])
        if is_sound(words, *board, ranking.scratch):
            rest = keys[done:], played[done:]
            done += int(
                occurrences(words, *board, np.uintp(marks), np.uintp(every), ranking, *rest)
            )
    return keys[:done].copy(), played[:done].copy()


def _rows(
    size: int, keys: npt.NDArray[np.uint64], played: npt.NDArray[np.uint8]
) -> list[dict[str, object]]:
    """Return the number of patterns by share of play."""
    _, places = np.unique(keys, return_inverse=True)
    occurred = np.bincount(places)
    shares = np.bincount(places, weights=played) / occurred
    rows: list[dict[str, object]] = []
    for least in LEAST:
        counts, _ = np.histogram(shares[occurred >= least], bins=EDGES)
        for (low, high), count in zip(pairwise(EDGES), counts.tolist(), strict=True):
            rows.append(
                {
                    "size": size,
                    "least": least,
                    "share": "never" if low == 0.0 else f"{low:.1f}-{high:.1f}",
                    "patterns": count,
                    "of_all": round(count / max(1, int(counts.sum())), 5),
                }
            )
    return rows


def _report(study: Study, rows: Sequence[dict[str, str]]) -> None:
    study.add_section(
        "Share of play",
        "Paper 000, figure 37: 41% of the patterns in Pachi's library were never played.",
    )
    with study.figure("played", "Patterns by share of play, in %.", (9, 5)) as figure:
        for place, least in zip(figure.subplots(1, len(LEAST)), LEAST, strict=True):
            for size in SIZES:
                line = [r for r in rows if int(r["size"]) == size and int(r["least"]) == least]
                y = [100 * float(row["of_all"]) for row in line]
                place.plot(range(len(line)), y, "-o", markersize=3, label=f"{size}x{size}")
            place.set_xticks(range(len(line)), [row["share"] for row in line], rotation=60)
            place.set_title(f"at least {least} occurrences")
            place.set_yscale("log")
            place.legend()
    study.add_table(list(rows), "All shares.", name="played")
    study.write_report()

"""`tengen lab levels calibrate` and `check`."""

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tengen.engine import DEFAULT, LEVEL_COLUMNS, RANKS, net_path, rank_name, rank_number
from tengen.lab.levels.fit import RankScale, Ratings, fit_ratings, rank_scales
from tengen.lab.levels.games import ANCHORS, games_of, play_games, usable_anchors
from tengen.lab.levels.schedule import SizePlan, calibration_games, check_games
from tengen.lab.matches import parse_named
from tengen.lab.study import Study
from tengen.match import wilson
from tengen.util import current_command, write_results

TITLE = "Calibration of the levels"
MIN_GAMES = 10
"""Games of a board size before its ratings are computed."""
TABLE_NAME = "levels"


def run(arguments: argparse.Namespace) -> int:
    """Play the missing games and write ratings, anchors and the table of levels."""
    study = _study(arguments)
    anchors = usable_anchors({**ANCHORS, **parse_named(arguments.anchor, "NAME:COMMAND")})
    rounds, skills = _by_size(arguments, "games"), _by_size(arguments, "max_skill")
    plans = [SizePlan(size, rounds[size], skills[size]) for size in arguments.size]
    try:
        play_games(study, calibration_games(plans, anchors), arguments.seed, anchors)
    finally:
        write_calibration(study, arguments.table)
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """Play neighboring levels, and levels with handicap, and write the scores."""
    study = _study(arguments)
    rounds = _by_size(arguments, "games")
    games = [
        game
        for number in range(max(rounds.values()))
        for size in arguments.size
        for game in check_games(size, number, arguments.ranks or RANKS)
        if number < rounds[size]
    ]
    try:
        play_games(study, lambda table: iter(games), arguments.seed, {})
    finally:
        rows = pairing_rows(games_of(study).rows)
        study.clear_report()
        study.add_section("Neighboring levels")
        study.add_table(rows, "Score of the second player.", name=f"{TABLE_NAME}-check")
        study.write_report()
    return 0


def _study(arguments: argparse.Namespace) -> Study:
    digest = hashlib.sha256(net_path(DEFAULT).read_bytes()).hexdigest()[:16]
    return Study(arguments.output, TITLE, {"net": digest, "seed": arguments.seed})


def _by_size(arguments: argparse.Namespace, name: str) -> dict[int, int]:
    """Return the values of an option that has one for each size; the last one repeats."""
    values = getattr(arguments, name)
    return {size: values[min(place, len(values) - 1)] for place, size in enumerate(arguments.size)}


def write_calibration(study: Study, table: Path | None) -> None:
    """Write the report of the games so far, and the table of levels to a file."""
    rows = games_of(study).rows
    counts = Counter(int(row["size"]) for row in rows)
    sizes = [size for size, count in sorted(counts.items()) if count >= MIN_GAMES]
    if 19 not in sizes:
        return  # ranks are defined there
    ratings = {size: fit_ratings(size, rows, list(ANCHORS)) for size in sizes}
    scales = rank_scales(ratings)
    drawn = [rank_scales(ratings, sample) for sample in range(len(ratings[19].samples))]
    levels = level_rows(rows, scales, drawn)
    study.clear_report()
    study.add_section("Levels", "Skill of each rank; errors are standard errors in ranks.")
    study.add_table(levels, "Levels.", name=TABLE_NAME)
    study.add_section("Players", "Ratings of the players of the calibration.")
    players = player_rows(rows, ratings, scales, drawn)
    study.add_table(players, "Players.", name=f"{TABLE_NAME}-players")
    study.add_section("Anchors")
    study.add_table(anchor_rows(rows, scales, drawn), "Anchors.", name=f"{TABLE_NAME}-anchors")
    study.add_section("Games")
    study.add_table(pairing_rows(rows), "Pairings.", name=f"{TABLE_NAME}-games")
    study.write_report()
    if table is not None:
        write_results(table, levels, current_command(), study.settings)


def level_rows(
    games: Sequence[Mapping[str, str]],
    scales: Mapping[int, RankScale],
    drawn: Sequence[Mapping[int, RankScale]],
) -> list[dict[str, object]]:
    """Return the table of levels: the skill of each rank, and its standard error in ranks."""
    rows: list[dict[str, object]] = []
    for size, scale in sorted(scales.items()):
        zero = scale.elo_of(scale.skill_of(rank_number("10k")))
        for name in RANKS:
            skill = scale.skill_of(rank_number(name))
            errors = [np.interp(skill, one[size].skills, one[size].rank) for one in drawn]
            values = (
                size,
                name,
                f"{skill:.2f}",
                round(scale.elo_of(skill) - zero),
                f"{np.std(errors):.2f}",
                _games_near(games, size, skill),
            )
            rows.append(dict(zip(LEVEL_COLUMNS, values, strict=True)))
    return rows


def _games_near(games: Sequence[Mapping[str, str]], size: int, skill: float) -> int:
    """Return the games of the players next to a skill; 0 outside the measured range."""
    played = [row for row in games if int(row["size"]) == size]
    skills = sorted({float(s) for row in played for s in _skills(row)})
    if not skills or not skills[0] <= skill <= skills[-1]:
        return 0
    near = {max(s for s in skills if s <= skill), min(s for s in skills if s >= skill)}
    return sum(any(float(s) in near for s in _skills(row)) for row in played)


def _skills(row: Mapping[str, str]) -> list[str]:
    return [side for side in (row["black"], row["white"]) if side not in ANCHORS]


def player_rows(
    games: Sequence[Mapping[str, str]],
    ratings: Mapping[int, Ratings],
    scales: Mapping[int, RankScale],
    drawn: Sequence[Mapping[int, RankScale]],
) -> list[dict[str, object]]:
    """Return Elo and rank of each player with 95% intervals."""
    rows: list[dict[str, object]] = []
    for size, rated in sorted(ratings.items()):
        for skill, elo in zip(rated.skills, rated.players(rated.best), strict=True):
            rank = float(np.interp(skill, scales[size].skills, scales[size].rank))
            ranks = [float(np.interp(skill, one[size].skills, one[size].rank)) for one in drawn]
            low, high = np.percentile(ranks, [2.5, 97.5])
            name = f"{skill:g}"
            count = sum(name in (r["black"], r["white"]) for r in games if int(r["size"]) == size)
            rows.append(
                {
                    "size": f"{size}x{size}",
                    "skill": name,
                    "Elo": round(float(elo)),
                    "rank number": f"{rank:.1f}",
                    "low": f"{low:.1f}",
                    "high": f"{high:.1f}",
                    "rank": f"{rank_name(rank)} ({rank_name(low)} to {rank_name(high)})",
                    "games": count,
                }
            )
    return rows


def anchor_rows(
    games: Sequence[Mapping[str, str]],
    scales: Mapping[int, RankScale],
    drawn: Sequence[Mapping[int, RankScale]],
) -> list[dict[str, object]]:
    """Return the rank of each anchor on each board size, with 95% intervals."""
    rows: list[dict[str, object]] = []
    for name in ANCHORS:
        for size, scale in sorted(scales.items()):
            if name not in scale.anchors:
                continue
            low, high = np.percentile([one[size].anchors[name] for one in drawn], [2.5, 97.5])
            played = [r for r in games if name in (r["black"], r["white"])]
            rows.append(
                {
                    "anchor": name,
                    "size": f"{size}x{size}",
                    "rank": rank_name(scale.anchors[name]),
                    "interval": f"{rank_name(low)} to {rank_name(high)}",
                    "games": sum(int(r["size"]) == size for r in played),
                    "command": ANCHORS[name],
                }
            )
    return rows


def pairing_rows(games: Sequence[Mapping[str, str]]) -> list[dict[str, object]]:
    """Return the score of each pairing, of the second player by order of names."""
    found: dict[tuple[int, int, str, str], list[float]] = defaultdict(list)
    for row in games:
        black, white, stones = row["black"], row["white"], int(row["handicap"])
        score = float(row["score"])
        pair = (black, white) if stones or _order(black) < _order(white) else (white, black)
        own = 1 - score if pair == (black, white) else score
        found[int(row["size"]), stones, *pair].append(own)
    rows: list[dict[str, object]] = []
    for (size, stones, weaker, stronger), scores in sorted(found.items(), key=_pairing_order):
        rate = wilson(sum(scores), len(scores))
        values = f"{100 * rate.value:.1f}% ({100 * rate.low:.1f} to {100 * rate.high:.1f})"
        rows.append(
            {
                "size": f"{size}x{size}",
                "player": stronger,
                "opponent": weaker,
                "handicap": stones or "",
                "games": len(scores),
                "score": values,
            }
        )
    return rows


def _pairing_order(item: tuple[tuple[int, int, str, str], list[float]]) -> tuple[object, ...]:
    size, stones, weaker, stronger = item[0]
    return size, stones, _order(weaker), _order(stronger)


def _order(player: str) -> tuple[int, float]:
    """Return the sort key of a player: skills, then ranks, then anchors."""
    if player in ANCHORS:
        return 2, float(list(ANCHORS).index(player))
    return (1, float(rank_number(player))) if player in RANKS else (0, float(player))

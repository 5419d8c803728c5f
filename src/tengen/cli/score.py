"""`tengen score`: score finished games."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from tengen.cli.options import PATHS_HELP, RULES_HELP
from tengen.util import TengenError, finite_float

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.playout import FinalScore
    from tengen.records import GameRecord


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="FILE", help=PATHS_HELP)
    parser.add_argument(
        "--rules", help=f"scoring rules: {RULES_HELP} (default: those of the record)"
    )
    parser.add_argument("--komi", type=finite_float, help="komi (default: that of the record)")
    parser.add_argument("--json", action="store_true", help="print one JSON object per game")


def run(arguments: argparse.Namespace) -> int:
    """Score every game and print the result."""
    from tengen.playout import score_position
    from tengen.records import read_games

    count = 0
    for record in read_games(arguments.file):
        count += 1
        for warning in record.warnings:
            print(f"tengen: {warning}", file=sys.stderr)
        position = _final_position(record, arguments)
        judgment = score_position(position)
        print((_as_json if arguments.json else _as_text)(record, position, judgment))
    if count == 0:
        raise TengenError(f"no game in {arguments.file}")
    return 0


def _final_position(record: "GameRecord", arguments: argparse.Namespace) -> "Position":
    """Return the last position of a game under the scoring rules."""
    from dataclasses import replace

    from tengen.board import rules_named

    position = record.position()
    rules = position.rules
    if arguments.rules:
        scoring = rules_named(arguments.rules)
        rules = replace(rules, scoring=scoring.scoring, compensation=scoring.compensation)
    if arguments.komi is not None:
        rules = rules.with_komi(arguments.komi)
    position.rules = rules
    return position


def _as_json(record: "GameRecord", position: "Position", judgment: "FinalScore") -> str:
    from tengen.playout import ChainStatus

    chains = {
        status.name.lower(): [
            [position.vertex(stone) for stone in chain] for chain in judgment.stones(status)
        ]
        for status in ChainStatus
    }
    result = {"file": record.source, "game": record.number, "result": judgment.result}
    owners = ["".join(".XO"[owner] for owner in row) for row in judgment.owner]
    return json.dumps({**result, "recorded": record.result_text, **chains, "owner": owners})


def _as_text(record: "GameRecord", position: "Position", judgment: "FinalScore") -> str:
    """Return the board with dead stones and territory marked, then the result."""
    from tengen.board import column_of, draw_diagram, row_of
    from tengen.playout import ChainStatus

    dead = {stone for chain in judgment.stones(ChainStatus.DEAD) for stone in chain}

    def cell(point: int) -> str:
        color = position.color(point)
        if color:
            return (".xo" if point in dead else ".XO")[color]
        owner = int(judgment.owner[row_of(point), column_of(point)])
        return ".-~"[owner] if owner else "."

    board = draw_diagram(position.rows, position.columns, cell)
    recorded = f", recorded result {record.result_text}" if record.result_text else ""
    legend = "X O alive, x o dead, - Black territory, ~ White territory, . neutral"
    rules = f"{position.rules.scoring.name.lower()} scoring, komi {position.rules.komi:g}"
    return f"{record.source}\n{board}\n{legend}\n{rules}: {judgment.result}{recorded}"

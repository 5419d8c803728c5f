"""`tengen score`: judge finished games."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from tengen.cli.arguments import RULES
from tengen.core.counts import any_float
from tengen.core.errors import TengenError

if TYPE_CHECKING:
    from tengen.board.position import Position
    from tengen.playout.judge import Judgement
    from tengen.records.game import GameRecord


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("file", metavar="FILE", help="game records: a file, a folder or an archive")
    parser.add_argument("--rules", help=f"{RULES} (default: those of the record)")
    parser.add_argument(
        "--komi", type=any_float, help="with this komi (default: that of the record)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a game")


def run(arguments: argparse.Namespace) -> int:
    """Judge every game of a file and print what was found."""
    from tengen.playout.judge import judge
    from tengen.records.reader import read_games

    count = 0
    for record in read_games(arguments.file):
        count += 1
        for warning in record.warnings:
            print(f"tengen: {warning}", file=sys.stderr)
        position = _final_position(record, arguments)
        judgement = judge(position)
        print((_as_json if arguments.json else _as_text)(record, position, judgement))
    if count == 0:
        raise TengenError(f"no game in {arguments.file}")
    return 0


def _final_position(record: "GameRecord", arguments: argparse.Namespace) -> "Position":
    """Return the last position of a game, under the rules it shall be scored by."""
    from dataclasses import replace

    from tengen.board.rules import rules_named

    position = record.position()
    rules = position.rules
    if arguments.rules:
        scoring = rules_named(arguments.rules)
        rules = replace(rules, scoring=scoring.scoring, compensation=scoring.compensation)
    if arguments.komi is not None:
        rules = rules.with_komi(arguments.komi)
    position.rules = rules
    return position


def _as_json(record: "GameRecord", position: "Position", judgement: "Judgement") -> str:
    from tengen.playout.judge import Status

    chains = {
        status.name.lower(): [
            [position.vertex(stone) for stone in chain] for chain in judgement.stones(status)
        ]
        for status in Status
    }
    result = {"file": record.source, "game": record.number, "result": judgement.result}
    owners = ["".join(".XO"[owner] for owner in row) for row in judgement.owner]
    return json.dumps({**result, "recorded": record.result_text, **chains, "owner": owners})


def _as_text(record: "GameRecord", position: "Position", judgement: "Judgement") -> str:
    """Draw the board: dead stones small, territory marked, then the result."""
    from tengen.board.diagram import draw
    from tengen.board.points import column_of, row_of
    from tengen.playout.judge import Status

    dead = {stone for chain in judgement.stones(Status.DEAD) for stone in chain}

    def cell(point: int) -> str:
        colour = position.colour(point)
        if colour:
            return (".xo" if point in dead else ".XO")[colour]
        owner = int(judgement.owner[row_of(point), column_of(point)])
        return ".-~"[owner] if owner else "."

    board = draw(position.rows, position.columns, cell)
    said = f", the record says {record.result_text}" if record.result_text else ""
    legend = "X O alive, x o dead, - Black's and ~ White's territory, . nobody's"
    rules = f"{position.rules.scoring.name.lower()} scoring, komi {position.rules.komi:g}"
    return f"{record.source}\n{board}\n{legend}\n{rules}: {judgement.result}{said}"

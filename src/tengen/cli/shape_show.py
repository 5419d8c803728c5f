"""`tengen shape show` and `rate`: what the tables say of positions and of single patterns."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tengen.cli.moment import add_moment, read_moment
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import sentence

if TYPE_CHECKING:
    from tengen.board.position import Position
    from tengen.knowledge.pattern import Pattern
    from tengen.knowledge.shape import SizeRate
    from tengen.knowledge.source import Values

SHOWN = 10


def add_actions(actions: Any) -> None:
    """Add the two commands."""
    summary = "show how likely strong players are to play each move of a position, and why"
    show = actions.add_parser("show", help=summary, description=sentence(summary))
    add_moment(show)
    show.add_argument("--point", metavar="VERTEX", help="explain this move, not the likeliest")
    show.add_argument("--top", type=positive_int, default=SHOWN, help=f"default {SHOWN}")
    add_tables_option(show)
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(action=run_show)
    summary = "give the rates of a pattern in Pachi's notation, like '3 .XO..O...'"
    rate = actions.add_parser("rate", help=summary, description=sentence(summary))
    rate.add_argument("pattern", metavar="PATTERN", help="distance and signs, X to play")
    add_tables_option(rate)
    rate.set_defaults(action=run_rate)


def add_tables_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for tables of one's own."""
    parser.add_argument("--tables", metavar="FILE", default="", help="default: what comes along")


def run_show(arguments: argparse.Namespace) -> int:
    """Print the heat map of a position and the patterns of one move."""
    from tengen.knowledge.pattern import FARTHEST, Pattern
    from tengen.knowledge.shape import Shape

    position = read_moment(arguments).position
    shape = Shape(arguments.tables)
    probabilities = shape.probabilities(position)
    ranked = _ranked(position, probabilities)
    point = _chosen(arguments.point, position, ranked)
    pattern, rates = Pattern.around(position, point, FARTHEST), shape.rates(position, point)
    moves = [(position.vertex(move), p) for move, p in ranked[: arguments.top]]
    if arguments.json:
        found = {
            "moves": [{"move": name, "probability": p} for name, p in moves],
            "probabilities": probabilities.tolist(),
            "point": position.vertex(point),
            "pattern": str(pattern),
            "rates": [rate._asdict() for rate in rates],
        }
        print(json.dumps(found))
        return 0
    _print_heat(position, probabilities)
    print("  ".join(f"{name} {p:.1%}" for name, p in moves))
    print(f"\n{position.vertex(point)}, X to play, in Pachi's notation:")
    _print_pattern(pattern, rates)
    return 0


def _ranked(position: "Position", probabilities: "Values") -> list[tuple[int, float]]:
    """Return the legal moves with their probabilities, the likeliest first."""
    pairs = zip(position.points(), probabilities.ravel().tolist(), strict=True)
    return sorted(((m, p) for m, p in pairs if p > 0), key=lambda pair: -pair[1])


def _chosen(name: str | None, position: "Position", ranked: list[tuple[int, float]]) -> int:
    """Return the move to explain; raise TengenError if it is none."""
    from tengen.board.points import parse_vertex

    if name is None:
        if not ranked:
            raise TengenError("there is no legal move here")
        return ranked[0][0]
    point = parse_vertex(name, position.rows, position.columns)
    if point not in dict(ranked):
        raise TengenError(f"{name} is no legal move here")
    return point


def _print_heat(position: "Position", probabilities: "Values") -> None:
    """Draw the board; empty points show their share of the likeliest move, from 1 to 9."""
    from tengen.board.diagram import draw
    from tengen.board.points import column_of, row_of

    most = float(probabilities.max()) or 1.0

    def sign(point: int) -> str:
        if position.colour(point):
            return ".XO"[position.colour(point)]
        share = float(probabilities[row_of(point), column_of(point)]) / most
        # Square roots, as the prior has them: small shares can be told apart.
        level = round(9 * share**0.5)
        return str(level) if level else "."

    print(draw(position.rows, position.columns, sign))


def _print_pattern(pattern: "Pattern", rates: "list[SizeRate]") -> None:
    print(pattern)
    print(pattern.diagram())
    print("size   rate  combined  seen about")
    for size, rate, seen, combined in rates:
        print(f"{size}x{size}  {rate:6.1%}  {combined:8.1%}  {seen:10,.0f}")


def run_rate(arguments: argparse.Namespace) -> int:
    """Print what the tables say of the squares that a pattern covers."""
    from tengen.knowledge.pattern import Pattern
    from tengen.knowledge.shape import Shape

    pattern = Pattern.parse(arguments.pattern)
    position, point = pattern.on_board()
    rates = Shape(arguments.tables).rates(position, point)
    covered = [rate for rate in rates if rate.size <= pattern.largest_square]
    if not covered:
        raise TengenError("too small for the tables: 3x3 needs distance 3, 5x5 distance 6")
    _print_pattern(pattern, covered)
    return 0

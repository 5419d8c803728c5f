"""`tengen problem`: solve life-and-death problems."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.options import add_position_arguments, moves_before
from tengen.cli.parser import INTERRUPTED
from tengen.util import TengenError, positive_float, positive_int

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.engine import ProblemAnswer, ProblemSolver
    from tengen.match import ProblemCase
    from tengen.records import GameRecord

DEFAULT_SECONDS = 10.0
TREE_NODES = 2000
MARKS = ("TR", "SQ", "CR", "MA", "SL")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_position_arguments(parser, is_required=False)
    parser.add_argument(
        "--number",
        type=positive_int,
        default=1,
        metavar="N",
        help="problem of the file (default: 1)",
    )
    parser.add_argument(
        "--to-play", choices=("black", "white"), help="side to move (default: that of the file)"
    )
    parser.add_argument(
        "--stones",
        metavar="VERTICES",
        help="stones at stake, such as C3,D2 (default: marked stones of the file, or found)",
    )
    parser.add_argument(
        "--seconds",
        type=positive_float,
        default=DEFAULT_SECONDS,
        help=f"CPU seconds per problem (default: {DEFAULT_SECONDS:g})",
    )
    parser.add_argument(
        "--net", default="default", metavar="NET", help="network, or none (default: default)"
    )
    parser.add_argument(
        "--table-bits",
        type=positive_int,
        default=20,
        metavar="N",
        help="log2 of the number of 16-byte entries of each table (default: 20)",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the refutation tree as SGF variations"
    )
    parser.add_argument(
        "--tree-nodes",
        type=positive_int,
        default=TREE_NODES,
        metavar="N",
        help=f"most moves of the tree (default: {TREE_NODES})",
    )
    parser.add_argument("--picture", metavar="FILE", help="write a picture, .svg or .png")
    parser.add_argument(
        "--verify", action="store_true", help="replay the proof with the rules of the game"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    suite = parser.add_argument_group("suites")
    suite.add_argument(
        "--suite",
        metavar="GAMES",
        help="run problems with known first moves: a file, folder or archive",
    )
    suite.add_argument(
        "--results", metavar="FILE", help="results file (.csv), resumed if it exists"
    )
    suite.add_argument("--only", metavar="NAME", help="run only folders that contain NAME")
    suite.add_argument("--sample", type=positive_int, metavar="N", help="run N random problems")
    suite.add_argument(
        "--seed", type=positive_int, default=1, help="seed of the sample (default: 1)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Solve a problem or run a suite."""
    from tengen.engine import ProblemSolver

    if (arguments.file is None) == (arguments.suite is None):
        raise TengenError("give a FILE with a problem, or --suite GAMES")
    if not 4 <= arguments.table_bits <= 28:
        raise TengenError(f"--table-bits must be 4 to 28, got {arguments.table_bits}")
    solver = ProblemSolver(arguments.seconds, arguments.net, arguments.table_bits)
    if arguments.suite is not None:
        return _run_suite(solver, arguments)
    return _solve(solver, arguments)


def _solve(solver: "ProblemSolver", arguments: argparse.Namespace) -> int:
    """Solve one problem and print the answer."""
    from tengen.solver import verify_life

    record = _record(arguments)
    position = record.position(moves_before(arguments.move, record) if arguments.move else None)
    if arguments.move is None:
        position = record.position(0) if record.setup else position
    if arguments.to_play:
        from tengen.board import Color

        position.to_play = Color[arguments.to_play.upper()]
    marked = _marked(record, position, arguments.stones)
    answer = solver.solve(position, marked)
    if arguments.json:
        print(json.dumps(_as_json(position, answer)))
    else:
        _print(position, answer)
    if arguments.verify:
        if not answer.is_proved or answer.claim is None or answer.searcher is None:
            raise TengenError("there is no proof to verify: increase --seconds")
        states = verify_life(answer.searcher, answer.position, answer.claim)
        print(f"verified: {states:,d} states", file=sys.stderr if arguments.json else sys.stdout)
    if arguments.output:
        _write_tree(record, position, answer, arguments)
    if arguments.picture:
        from tengen.view import check_format, problem_drawing, save

        check_format(Path(arguments.picture))
        save(problem_drawing(position, answer), Path(arguments.picture))
    return 130 if answer.is_interrupted else 0


def _record(arguments: argparse.Namespace) -> "GameRecord":
    from itertools import islice

    from tengen.records import read_games

    record = next(islice(read_games(arguments.file), arguments.number - 1, None), None)
    if record is None:
        raise TengenError(f"no problem {arguments.number} in {arguments.file}")
    return record


def _marked(record: "GameRecord", position: "Position", text: str | None) -> frozenset[int]:
    """Return the stones that are named or marked."""
    from tengen.board import EMPTY
    from tengen.records import parse_points

    if text:
        named = frozenset(position.parse_move(word) for word in text.replace(",", " ").split())
        if empty := [position.vertex(p) for p in sorted(named) if position.color(p) == EMPTY]:
            raise TengenError(f"{', '.join(empty)} has no stone: name stones at stake")
        return named
    values = [value for name in MARKS for value in record.root.properties.get(name, ())]
    found = [parse_points(value, position.rows, position.columns) or [] for value in values]
    return frozenset(p for points in found for p in points if position.color(p) != EMPTY)


def _print(position: "Position", answer: "ProblemAnswer") -> None:
    from tengen.board import PASS

    print(answer.sentence())
    names = [position.vertex(move) for move in answer.moves if move != PASS]
    if not answer.succeeds:
        print(f"no first move works; the best try is {names[0] if names else 'pass'}")
    elif names:
        rest = f", also {', '.join(names[1:])}" if names[1:] else ""
        print(f"first move: {names[0]}{rest}")
        if not answer.is_complete:
            print("not every first move was decided: others may work too")
    else:
        print("no move is necessary")
    if answer.ko is not None:
        print(answer.ko.sentence(position.to_play))
    for note in answer.notes:
        print(f"note: {note}")
    print(f"{answer.nodes:,d} nodes in {answer.cpu_s:.1f} CPU seconds")


def _as_json(position: "Position", answer: "ProblemAnswer") -> dict[str, object]:
    return {
        "status": answer.status.value,
        "proved": answer.is_proved,
        "probability": round(answer.probability, 3),
        "succeeds": answer.succeeds,
        "to_play": position.to_play.name.lower(),
        "attacks": answer.attacks,
        "moves": [position.vertex(move) for move in answer.moves],
        "failing": [position.vertex(move) for move in answer.failing],
        "complete": answer.is_complete,
        "ko_threats": None if answer.ko is None else answer.ko.threats,
        "is_ko": answer.ko is not None,
        "stones": [position.vertex(point) for point in sorted(answer.question.target)],
        "region": [position.vertex(point) for point in sorted(answer.question.region)],
        "notes": answer.notes,
        "nodes": answer.nodes,
        "cpu_s": round(answer.cpu_s, 2),
    }


def _write_tree(
    record: "GameRecord",
    position: "Position",
    answer: "ProblemAnswer",
    arguments: argparse.Namespace,
) -> None:
    from tengen.records import record_from_position, write_games

    start = type(position).from_block(position.block, position.rules)
    solution = record_from_position(start, properties={"GN": record.text("GN")})
    is_complete = answer.write_tree(solution.root, arguments.tree_nodes)
    write_games(arguments.output, [solution])
    if not is_complete:
        print("tengen: the tree is incomplete: increase --tree-nodes", file=sys.stderr)


# Suites


def _cases(path: str, only: str | None) -> "list[ProblemCase]":
    """Return the problems of a suite whose right first moves are marked."""
    from tengen.match import case_of
    from tengen.records import read_games
    from tengen.web import Problem

    found = []
    for record in read_games(path):
        problem = Problem(record)
        children = problem.tree.node(problem.start).children
        moves = {child: problem.tree.move_at(child) for child in children}
        right = frozenset(
            move.move for child, move in moves.items() if move and problem.is_good(child)
        )
        case = case_of(record, problem.position, right)
        if right and (only is None or only in case.suite):
            found.append(case)
    if not found:
        raise TengenError(f"no problem with a known first move in {path}")
    return found


def _run_suite(solver: "ProblemSolver", arguments: argparse.Namespace) -> int:
    from tengen.match import OutcomeFile, run_case, sample_cases, summary
    from tengen.util import current_command, write_results

    settings = {"seconds": arguments.seconds, "net": arguments.net}
    path = Path(arguments.results) if arguments.results else None
    file = OutcomeFile(path, current_command(), settings)
    cases = sample_cases(_cases(arguments.suite, arguments.only), arguments.sample, arguments.seed)
    status = 0
    try:
        for number, case in enumerate(cases, 1):
            if file.is_done(case):
                continue
            outcome = run_case(solver, case, arguments.verify)
            file.add(outcome)
            mark = "right" if outcome.is_right else "wrong"
            how = "proved" if outcome.is_proved else "estimated"
            print(
                f"{number}/{len(cases)}  {case.suite}/{case.name}  {outcome.answer}  {mark}  {how}",
                file=sys.stderr,
                flush=True,
            )
    except KeyboardInterrupt:
        status = INTERRUPTED
        print("tengen: interrupted; run the same command to resume", file=sys.stderr)
    rows = summary(file.rows)
    if path is not None and rows:
        totals = path.with_name(f"{path.stem}-summary.csv")
        write_results(totals, rows, current_command(), settings)
    if arguments.json:
        print(json.dumps(rows))
    elif rows:
        _print_summary(rows)
    return status


def _print_summary(rows: "list[dict[str, object]]") -> None:
    from rich.table import Table

    from tengen.util import Console

    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), justify="left" if name == "suite" else "right")
    for row in rows:
        table.add_row(*map(str, row.values()))
    Console(highlight=False).print(table)

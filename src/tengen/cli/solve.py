"""`tengen solve`: solve small boards."""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.options import first_game, moves_before
from tengen.cli.solve_question import add_question_arguments, has_question, run_question
from tengen.util import TengenError, positive_float, positive_int, raw_stream

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.solver import Iteration, Solution, Solver, SolverSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from tengen.solver import ProofSettings, SolverSettings

    parser.epilog = (
        f"settings (name=value):\n{_settings_text(SolverSettings)}\n\n"
        f"settings of questions (--at-least, --at-most):\n{_settings_text(ProofSettings)}"
    )
    parser.add_argument(
        "board",
        nargs="?",
        metavar="SIZE",
        help="size of an empty board: 4, or 3x5 (columns x rows)",
    )
    parser.add_argument(
        "settings", nargs="*", metavar="NAME=VALUE", help="solver settings, listed below"
    )
    parser.add_argument("--sgf", metavar="FILE", help="solve a position of this game record")
    parser.add_argument(
        "--move",
        type=positive_int,
        metavar="N",
        help="solve the position before move N (default: the last position)",
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="transposition table to load and save"
    )
    parser.add_argument(
        "--seconds", type=positive_float, help="time limit in seconds (default: none)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--no-line", action="store_true", help="do not compute the principal variation"
    )
    add_question_arguments(parser)


def _settings_text(settings: type) -> str:
    """Return one line for each setting."""
    from tengen.util import describe

    lines = [f"  {name}={default}".ljust(24) + text for name, default, text in describe(settings)]
    return "\n".join(lines).replace("%", "%%")


def run(arguments: argparse.Namespace) -> int:
    """Solve a position and print the result; return 1 if it is not solved."""
    from tengen.solver import Solver, check_writable, load_table

    is_question = has_question(arguments)
    position = _position(arguments)
    if arguments.after:
        position = position.after(arguments.after.replace(",", " "))
    if is_question:
        return run_question(arguments, position)
    solver = Solver(position.rows, position.columns, _settings(arguments))
    if arguments.table is not None:
        check_writable(arguments.table)
    if arguments.table is not None and arguments.table.exists():
        count = load_table(solver.searcher, arguments.table)
        print(f"tengen: {count:,d} proved positions loaded", file=sys.stderr)
    try:
        is_finished = _solve(solver, position, arguments)
        _print(solver.solution, position, arguments)
    finally:
        _save(solver, arguments.table)
    if not is_finished and not arguments.seconds:
        raise KeyboardInterrupt
    return 0 if solver.solution.is_solved else 1


def _settings(arguments: argparse.Namespace) -> "SolverSettings":
    from tengen.solver import SolverSettings
    from tengen.util import with_values

    words = [*arguments.settings]
    if wrong := [word for word in words if "=" not in word]:
        raise TengenError(f"invalid setting {wrong[0]!r}: write NAME=VALUE")
    return with_values(SolverSettings(), dict(word.split("=", 1) for word in words))


def _position(arguments: argparse.Namespace) -> "Position":
    """Return the position to solve, under the rules of the solver."""
    from tengen.board import Position, parse_size, rules_named

    if arguments.board is not None and "=" in arguments.board:
        arguments.settings.append(arguments.board)
        arguments.board = None
    rules = rules_named("chinese").with_komi(0)
    if arguments.sgf is not None:
        record = first_game(arguments.sgf)
        return record.position(moves_before(arguments.move, record), rules)
    if arguments.board is None:
        raise TengenError("no board given: use `tengen solve 4x4` or --sgf FILE")
    return Position(*parse_size(arguments.board), rules)


class _TimeoutError(Exception):
    """The time limit is reached."""


def _solve(solver: "Solver", position: "Position", arguments: argparse.Namespace) -> bool:
    """Solve with progress output; return False if stopped before the end."""
    from tengen.solver import best_line

    ends_s = time.monotonic() + arguments.seconds if arguments.seconds else None
    target = sys.stderr if arguments.json else sys.stdout
    screen = raw_stream(sys.stderr)

    def poll() -> None:
        if ends_s is not None and time.monotonic() > ends_s:
            raise _TimeoutError
        if sys.stderr.isatty():
            print(f"\r\x1b[K{solver.solution.nodes:,d} nodes", end="", file=screen, flush=True)

    def report(iteration: "Iteration") -> None:
        if sys.stderr.isatty():
            print("\r\x1b[K", end="", file=screen, flush=True)
        print(iteration, file=target, flush=True)

    solver.poll = poll
    try:
        solution = solver.solve(position, report)
        if solution.is_solved and not arguments.no_line:
            solution.line = best_line(solver, position, solution.low)
    except (KeyboardInterrupt, _TimeoutError):
        return False
    return True


def _save(solver: "Solver", path: Path | None) -> None:
    from tengen.solver import save_table

    if path is not None:
        count = save_table(solver.searcher, path)
        print(f"tengen: {count:,d} proved positions saved to {path}", file=sys.stderr)


def _print(solution: "Solution", position: "Position", arguments: argparse.Namespace) -> None:
    line = [position.vertex(move) for move in solution.line]
    if arguments.json:
        print(json.dumps(_as_json(solution, position, line)))
        return
    bounds = f"{solution.low:+d} to {solution.high:+d}, not solved"
    value = f"{solution.low:+d} for Black" if solution.is_solved else bounds
    print(f"value {value}")
    if line:
        print(f"line  {' '.join(line)}")
    rate = solution.nodes / max(solution.cpu_s, 1e-9) / 1e6
    took = f"{solution.seconds:.1f} s, {solution.cpu_s:.1f} s of CPU time"
    print(f"{solution.nodes:,d} nodes in {took}: {rate:.2f} million per CPU second")


def _as_json(solution: "Solution", position: "Position", line: list[str]) -> dict[str, object]:
    iterations = [
        {**vars(iteration), "goal": iteration.goal.name.lower()}
        for iteration in solution.iterations
    ]
    return {
        "board": f"{position.columns}x{position.rows}",
        "to_play": position.to_play.name.lower(),
        "value": solution.low if solution.is_solved else None,
        "low": solution.low,
        "high": solution.high,
        "line": line,
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, 3),
        "cpu_s": round(solution.cpu_s, 3),
        "iterations": iterations,
    }

"""`tengen solve`: solve small boards, or prove that a side reaches a score."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.options import first_game, moves_before
from tengen.util import TengenError, positive_float, positive_int, raw_stream

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.solver import Answer, ProofSearcher, Question

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.solver import Iteration, Solution, Solver, SolverSettings


SAVE_INTERVAL_S = 1800.0
REPORT_INTERVAL_S = 60.0


def add_question_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of questions."""
    group = parser.add_argument_group("proofs of one bound")
    group.add_argument(
        "--at-least", type=int, metavar="N", help="prove only that Black gets at least N points"
    )
    group.add_argument(
        "--at-most", type=int, metavar="N", help="prove only that Black gets at most N points"
    )
    group.add_argument(
        "--after", metavar="MOVES", help='moves played first, such as C3 or "C3 B2 pass"'
    )
    group.add_argument(
        "--first-moves",
        action="store_true",
        help="prove the bound after every first move, up to symmetry",
    )
    group.add_argument(
        "--verify",
        action="store_true",
        help="replay the whole proof with the rules of the game, which can take hours",
    )
    group.add_argument(
        "--games", type=positive_int, metavar="N", help="play N random games against the proof"
    )


def has_question(arguments: argparse.Namespace) -> bool:
    """Return whether the options name a question; raise TengenError for contradictory options."""
    given = [arguments.at_least is not None, arguments.at_most is not None]
    if all(given):
        raise TengenError("--at-least and --at-most exclude each other: use one at a time")
    for name in ("first_moves", "verify", "games"):
        if not any(given) and getattr(arguments, name):
            option = name.replace("_", "-")
            raise TengenError(f"--{option} requires a question: add --at-least N or --at-most N")
    if arguments.first_moves and arguments.after:
        raise TengenError("--first-moves and --after exclude each other")
    return any(given)


def run_question(arguments: argparse.Namespace, position: "Position") -> int:
    """Answer the question and print the result; return 1 if a proof is missing."""
    from tengen.solver import (
        Answer,
        ProofSearcher,
        ProofSettings,
        Question,
        check_writable,
        load_states,
    )
    from tengen.util import with_values

    if wrong := [word for word in arguments.settings if "=" not in word]:
        raise TengenError(f"invalid setting {wrong[0]!r}: write NAME=VALUE")
    values = dict(word.split("=", 1) for word in arguments.settings)
    settings = with_values(ProofSettings(), values)
    if arguments.at_least is not None:
        question = Question.at_least(arguments.at_least)
    else:
        question = Question.at_most(arguments.at_most)
    if abs(question.target) > position.rows * position.columns:
        raise TengenError(
            f"{question} is not a score of a {position.columns}x{position.rows} board"
        )
    searcher = ProofSearcher(position.rows, position.columns, settings)
    searcher.set_question(question)
    if arguments.table is not None:
        check_writable(arguments.table)
    if arguments.table is not None and arguments.table.exists():
        count = load_states(searcher, question, arguments.table)
        print(f"tengen: {count:,d} states loaded", file=sys.stderr)
    answers = []
    with _saved(searcher, arguments):
        for name, start in _starts(position, arguments.first_moves):
            answer = _search(searcher, start, question, arguments)
            _print_answer(name, question, answer, searcher, arguments)
            answers.append(answer)
            if answer is Answer.PROVED:
                _verify(searcher, start, question, arguments)
            if answer is Answer.OPEN:
                break
    return 0 if all(answer is Answer.PROVED for answer in answers) else 1


def _starts(position: "Position", is_per_move: bool) -> Iterator[tuple[str, "Position"]]:
    """Yield the positions of the question with their names."""
    from tengen.solver import Geometry, board_of

    if not is_per_move:
        yield "", position
        return
    geometry = Geometry(position.rows, position.columns)
    seen: set[int] = set()
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        images = geometry.all_symmetries(board_of(child))
        if seen.isdisjoint(images):
            seen.update(images)
            yield position.vertex(move), child


class _TimeoutError(Exception):
    """The time limit is reached."""


def _search(
    searcher: "ProofSearcher",
    position: "Position",
    question: "Question",
    arguments: argparse.Namespace,
) -> "Answer":
    """Search for a proof with progress output; return OPEN at the time limit."""
    from tengen.solver import Answer, save_states

    start_s = reported_s = saved_s = time.monotonic()
    is_terminal = sys.stderr.isatty()

    def poll() -> None:
        nonlocal reported_s, saved_s
        now_s = time.monotonic()
        if arguments.seconds and now_s > start_s + arguments.seconds:
            raise _TimeoutError
        if is_terminal:
            print(f"\r\x1b[K{question}  {searcher.progress}", end="", file=sys.stderr, flush=True)
        elif now_s > reported_s + REPORT_INTERVAL_S:
            print(f"{question}  {searcher.progress}", file=sys.stderr, flush=True)
            reported_s = now_s
        if arguments.table is not None and now_s > saved_s + SAVE_INTERVAL_S:
            save_states(searcher, arguments.table)
            saved_s = now_s

    searcher.poll = poll
    try:
        return searcher.answer(position, question)
    except _TimeoutError:
        return Answer.OPEN
    finally:
        if is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def _saved(searcher: "ProofSearcher", arguments: argparse.Namespace) -> Iterator[None]:
    """Save the table at the end, also after an interruption."""
    from tengen.solver import save_states

    try:
        yield
    finally:
        if arguments.table is not None:
            count = save_states(searcher, arguments.table)
            print(f"tengen: {count:,d} states saved to {arguments.table}", file=sys.stderr)


def _verify(
    searcher: "ProofSearcher",
    position: "Position",
    question: "Question",
    arguments: argparse.Namespace,
) -> None:
    """Verify a proof as requested; raise ProofError if it does not hold."""
    from tengen.board import Ko
    from tengen.solver import play_games, verify_proof

    searcher.poll = lambda: None
    if arguments.verify:
        result = verify_proof(searcher, position, question)
        print(f"verified: {result.states:,d} states, no line repeats a state")
        if result.repeated_boards:
            count = result.repeated_boards
            print(f"superko may ban moves of the prover: they repeat {count:,d} boards")
        else:
            print("no move of the prover repeats a board: valid with and without superko")
    if arguments.games:
        for ko in Ko:
            moves = play_games(searcher, position, question, arguments.games, ko)
            name = ko.name.lower()
            print(f"verified: {arguments.games} games with {name} ko, {moves:,d} moves")


def _print_answer(
    name: str,
    question: "Question",
    answer: "Answer",
    searcher: "ProofSearcher",
    arguments: argparse.Namespace,
) -> None:
    progress = searcher.progress
    if arguments.json:
        about = {
            "board": f"{searcher.shape[1]}x{searcher.shape[0]}",
            "move": name or None,
            "question": str(question),
            "answer": answer.value,
            **vars(progress),
        }
        print(json.dumps(about), flush=True)
        return
    print(f"{name + '  ' if name else ''}{question} {answer.value}  {progress}", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from tengen.solver import ProofSettings, SolverSettings

    parser.epilog = (
        f"settings (name=value):\n{_settings_text(SolverSettings)}\n\n"
        f"settings with --at-least or --at-most:\n{_settings_text(ProofSettings)}"
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
    from tengen.util import describe, value_text

    lines = [
        f"  {n}={value_text(default)}".ljust(24) + text for n, default, text in describe(settings)
    ]
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

"""`tengen solve --at-least` and `--at-most`: prove that a side reaches a score."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tengen.util import TengenError, positive_int

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.solver import Answer, ProofSearcher, Question

SAVE_INTERVAL_S = 1800.0
REPORT_INTERVAL_S = 60.0


def add_question_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of questions."""
    group = parser.add_argument_group("questions")
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
        help="ask the question after every first move, up to symmetry",
    )
    group.add_argument(
        "--verify",
        action="store_true",
        help="replay the whole proof with the rules of the game; may take long",
    )
    group.add_argument(
        "--games", type=positive_int, metavar="N", help="play N random games against the proof"
    )


def has_question(arguments: argparse.Namespace) -> bool:
    """Return whether a question is asked; raise TengenError for contradictory options."""
    given = [arguments.at_least is not None, arguments.at_most is not None]
    if all(given):
        raise TengenError("--at-least and --at-most are two questions: ask one at a time")
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
    """Yield the positions to ask about with their names."""
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

"""A review written back into the record: comments, values and better lines."""

import copy
from collections.abc import Iterator
from dataclasses import replace

from tengen.board.colour import Colour
from tengen.board.points import vertex
from tengen.playout.judge import score_text
from tengen.records.game import GameRecord
from tengen.records.tree import Node
from tengen.records.values import point_text
from tengen.review.outlook import Outlook
from tengen.review.review import MoveReview, Review

LONGEST_VARIATION = 12
"""Moves of a better line; a principal variation is a guess further down."""


def annotated(review: Review) -> GameRecord:
    """Return the record with a comment at every move and a variation at every mistake.

    What stood in it stays. `SBKV` and `V` hold Black's win rate and lead, so that Sabaki and
    others draw them.
    """
    game = review.game
    record = replace(game, root=copy.deepcopy(game.root))
    _describe(record.root, review.outlooks[0], summary_text(review))
    for parent, node, moves in _moved(record.root, review.moves):
        text = "\n".join(move_text(move, game.rows) for move in moves)
        _describe(node, moves[-1].after, text)
        if parent is not None and moves[0].is_mistake:
            _add_variation(parent, moves[0], game.rows)
    return record


def _moved(
    root: Node, waiting: list[MoveReview]
) -> Iterator[tuple[Node | None, Node, list[MoveReview]]]:
    """Yield each node that has moves, after its parent, with these moves: mostly one."""
    done = 0
    for parent, node in _steps(root):
        count = sum(len(node.properties.get(name, ())) for name in ("B", "W"))
        if waiting[done : done + count]:
            yield parent, node, waiting[done : done + count]
        done += count


def _steps(root: Node) -> Iterator[tuple[Node | None, Node]]:
    """Yield each node of the main line after its parent."""
    parent = None
    for node in root.main_line():
        yield parent, node
        parent = node


def _describe(node: Node, outlook: Outlook, text: str) -> None:
    """Add a comment and the values to a node."""
    before = node.comment.rstrip()
    node.set_text("C", f"{before}\n\n{text}" if before else text)
    node.properties.setdefault("SBKV", [f"{100 * outlook.winrate:.2f}"])
    node.properties.setdefault("V", [f"{outlook.lead:.1f}"])


def _add_variation(parent: Node, move: MoveReview, rows: int) -> None:
    """Add the engine's line beside the move that was played."""
    colour, node = move.colour, parent
    for step, point in enumerate(move.before.line[:LONGEST_VARIATION]):
        node = node.add_child(Node({colour.letter: [point_text(point)]}))
        if step == 0:
            node.set_text("C", f"Better: {line_text(move.before.line, rows)}")
        colour = colour.opponent


# Words, for comments and pages


def outlook_text(outlook: Outlook) -> str:
    """Return `Black 63.0%, B+2.4`."""
    return f"Black {outlook.winrate:.1%}, {lead_text(outlook.lead)}"


def lead_text(lead: float) -> str:
    """Return `B+2.4`, `W+0.5` or `even`."""
    rounded = round(lead, 1)
    return "even" if rounded == 0 else score_text(rounded)


def line_text(line: tuple[int, ...], rows: int) -> str:
    """Return the vertices of a variation."""
    return " ".join(vertex(move, rows) for move in line[:LONGEST_VARIATION])


def move_text(move: MoveReview, rows: int) -> str:
    """Return the comment of a move."""
    lines = [outlook_text(move.after)]
    if move.is_best:
        lines.append("The engine's choice too.")
    elif move.before.best is not None:
        loss = f"{move.winrate_loss:.1%} and {move.points_loss:.1f} points"
        lines.append(f"{_verdict(move)} {loss}. Better: {line_text(move.before.line, rows)}")
    return "\n".join(lines)


def _verdict(move: MoveReview) -> str:
    """Return how sure a loss is: a large one of short searches may be their luck."""
    if move.is_mistake:
        return "Mistake, loses"
    return "May lose (too few playouts to be sure)" if move.is_doubtful else "Loses"


def summary_text(review: Review) -> str:
    """Return the comment of the root: the largest mistakes of each player."""
    lines = [f"Looked over by Tengen. At the start: {outlook_text(review.outlooks[0])}"]
    for colour in Colour:
        mistakes = review.mistakes(colour)
        named = ", ".join(
            f"{move.number} {vertex(move.move, review.game.rows)} (-{move.winrate_loss:.0%})"
            for move in mistakes
        )
        lines.append(f"{colour.name.capitalize()}'s largest mistakes: {named or 'none'}")
    return "\n".join(lines)

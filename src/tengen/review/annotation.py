"""SGF annotation of a reviewed game: comments, evaluations and better variations."""

import copy
from collections.abc import Iterator
from dataclasses import replace

from tengen.board.color import Color
from tengen.board.points import vertex
from tengen.playout.scoring import format_score
from tengen.records.game import GameRecord
from tengen.records.tree import Node, point_text
from tengen.review.review import GameReview, MoveReview, PositionEstimate

MAX_VARIATION = 12
"""Moves of a better variation; the end of a principal variation is unreliable."""


def annotate_game(review: GameReview) -> GameRecord:
    """Return the record with a comment at every move and a variation at every mistake.

    Existing properties are kept. `SBKV` and `V` hold Black's win rate and lead, which Sabaki and
    other programs display.
    """
    game = review.game
    record = replace(game, root=copy.deepcopy(game.root))
    _add_estimate(record.root, review.estimates[0], summary_text(review))
    for parent, node, moves in _nodes_with_moves(record.root, review.moves):
        text = "\n".join(move_text(move, game.rows) for move in moves)
        _add_estimate(node, moves[-1].after, text)
        if parent is not None and moves[0].is_mistake:
            _add_variation(parent, moves[0], game.rows)
    return record


def _nodes_with_moves(
    root: Node, reviews: list[MoveReview]
) -> Iterator[tuple[Node | None, Node, list[MoveReview]]]:
    """Yield parent, node and reviewed moves of each node of the main line that has any."""
    done, parent = 0, None
    for node in root.main_line():
        count = sum(len(node.properties.get(name, ())) for name in ("B", "W"))
        if moves := reviews[done : done + count]:
            yield parent, node, moves
        done += count
        parent = node


def _add_estimate(node: Node, estimate: PositionEstimate, text: str) -> None:
    """Add a comment and the evaluation to a node."""
    existing = node.comment.rstrip()
    node.set_text("C", f"{existing}\n\n{text}" if existing else text)
    node.properties.setdefault("SBKV", [f"{100 * estimate.winrate:.2f}"])
    node.properties.setdefault("V", [f"{estimate.lead:.1f}"])


def _add_variation(parent: Node, move: MoveReview, rows: int) -> None:
    """Add the engine's variation as an alternative to a mistake."""
    color, node = move.color, parent
    for step, point in enumerate(move.before.line[:MAX_VARIATION]):
        node = node.add_child(Node({color.letter: [point_text(point)]}))
        if step == 0:
            node.set_text("C", f"Better: {line_text(move.before.line, rows)}")
        color = color.opponent


# Text


def estimate_text(estimate: PositionEstimate) -> str:
    """Return `Black 63.0%, B+2.4`."""
    return f"Black {estimate.winrate:.1%}, {lead_text(estimate.lead)}"


def lead_text(lead: float) -> str:
    """Return `B+2.4`, `W+0.5` or `even`."""
    rounded = round(lead, 1)
    return "even" if rounded == 0 else format_score(rounded)


def line_text(line: tuple[int, ...], rows: int) -> str:
    """Return the vertices of a variation."""
    return " ".join(vertex(move, rows) for move in line[:MAX_VARIATION])


def move_text(move: MoveReview, rows: int) -> str:
    """Return the comment of a move."""
    lines = [estimate_text(move.after)]
    if move.is_best:
        lines.append("The engine's choice.")
    elif move.before.best is not None:
        loss = f"{move.winrate_loss:.1%} and {move.points_loss:.1f} points"
        lines.append(f"{_verdict(move)} {loss}. Better: {line_text(move.before.line, rows)}")
    return "\n".join(lines)


def _verdict(move: MoveReview) -> str:
    if move.is_mistake:
        return "Mistake, loses"
    return "May lose (not significant)" if move.is_uncertain_mistake else "Loses"


def summary_text(review: GameReview) -> str:
    """Return the comment of the root: the largest mistakes of each player."""
    lines = [f"Reviewed by Tengen. Start: {estimate_text(review.estimates[0])}"]
    for color in Color:
        mistakes = ", ".join(
            f"{move.number} {vertex(move.move, review.game.rows)} (-{move.winrate_loss:.0%})"
            for move in review.mistakes(color)
        )
        lines.append(f"{color.name.capitalize()}'s largest mistakes: {mistakes or 'none'}")
    return "\n".join(lines)

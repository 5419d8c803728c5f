"""SGF annotation of a reviewed game: comments, evaluations and better variations.

A review can be restored from the record that it annotated.
"""

import base64
import copy
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace

from tengen.board import Color, vertex
from tengen.playout import format_score
from tengen.records import GameRecord, Node, point_text
from tengen.review.review import (
    MISTAKE_POINTS,
    GameReview,
    MoveReview,
    MoveValue,
    PositionEstimate,
)
from tengen.review.serialization import estimate_dict, parse_estimate
from tengen.util import Json, TengenError

ESTIMATE_PROPERTY = "TENGEN"
"""Private SGF property: the estimate of a position as JSON, as in the JSON file of a review."""
KATRAIN_PROPERTY, KATRAIN_VERSION_PROPERTY = "KT", "KTV"
"""Analysis of a position as KaTrain stores it, and at the root the version of that format."""
KATRAIN_VERSION = "1.0"
KATRAIN_OTHER_MOVE = 999
"""Rank of a move in KaTrain's analysis that is not among the best."""
VALUE_PROPERTIES = ("SBKV", "V", KATRAIN_PROPERTY, KATRAIN_VERSION_PROPERTY, ESTIMATE_PROPERTY)
MAX_VARIATION = 12
"""Moves of a better variation; the end of a principal variation is unreliable."""


def annotate_game(review: GameReview) -> GameRecord:
    """Return the record with a comment at every move and a variation at every mistake.

    `SBKV` and `V` hold Black's win rate and lead, which Sabaki and other programs display, `KT`
    the analysis for KaTrain, and `TENGEN` the estimate as JSON, from which `read_review` restores
    the review. Other properties are kept; the annotation of an earlier review is replaced.
    """
    record = replace(review.game, root=copy.deepcopy(review.game.root))
    annotate_nodes(record.root, review)
    return record


def annotate_nodes(root: Node, review: GameReview) -> None:
    """Annotate a game tree in place, whose main line starts with the reviewed moves."""
    earlier = read_review(replace(review.game, root=root))
    if earlier is not None:
        _remove_annotation(earlier)
    if review.estimates:
        _add_estimate(root, 0, review, summary_text(review))
        root.properties.setdefault(KATRAIN_VERSION_PROPERTY, [KATRAIN_VERSION])
    for parent, node, moves in _nodes_with_moves(root, review.moves):
        if moves[-1].after is not None:
            text = "\n".join(move_text(move, review.game.rows) for move in moves)
            _add_estimate(node, moves[-1].number, review, text)
        if parent is not None and moves[0].is_mistake:
            _add_variation(parent, moves[0], review.game.rows)


def read_review(record: GameRecord) -> GameReview | None:
    """Return the review saved in a record, as far as it matches the moves; None without one."""
    estimates: list[PositionEstimate] = []
    points = MISTAKE_POINTS
    nodes = (node for node in record.root.main_line() if node is record.root or _moves(node))
    for number, node in enumerate(nodes):
        text = node.text(ESTIMATE_PROPERTY)
        if text is None or number > len(record.moves) or _moves(node) > 1:
            break
        try:
            data = json.loads(text)
            points = float(data["mistake_points"])
            estimate = parse_estimate(data, record.rows, record.columns)
            is_same = data.get("move") == _vertex_at(record, number)
        except (KeyError, ValueError, TypeError, TengenError):
            break
        estimates.append(estimate if is_same else replace(estimate, played=None))
    return GameReview(record, tuple(estimates), points) if estimates else None


def _vertex_at(record: GameRecord, number: int) -> str | None:
    """Return the move played in position `number`; None after the last one."""
    moves = record.moves
    return vertex(moves[number].move, record.rows) if number < len(moves) else None


def _remove_annotation(review: GameReview) -> None:
    """Remove comments and values of a review from its record; the variations remain."""
    record = review.game
    texts = [(record.root, summary_text(review))]
    for _, node, moves in _nodes_with_moves(record.root, review.moves):
        texts.append((node, "\n".join(move_text(move, record.rows) for move in moves)))
    for node, text in texts:
        node.set_text("C", node.comment.removesuffix(text).rstrip())
        for name in ("C", *VALUE_PROPERTIES):
            if name != "C" or not node.comment:
                node.properties.pop(name, None)


def _moves(node: Node) -> int:
    return sum(len(node.properties.get(name, ())) for name in ("B", "W"))


def _nodes_with_moves(
    root: Node, reviews: list[MoveReview]
) -> Iterator[tuple[Node | None, Node, list[MoveReview]]]:
    """Yield parent, node and reviewed moves of each node of the main line that has any."""
    done, parent = 0, None
    for node in root.main_line():
        count = _moves(node)
        if moves := reviews[done : done + count]:
            yield parent, node, moves
        done += count
        parent = node


def _add_estimate(node: Node, number: int, review: GameReview, text: str) -> None:
    """Add a comment and the evaluation of position `number` to a node."""
    estimate, game = review.estimates[number], review.game
    existing = node.comment.rstrip()
    node.set_text("C", f"{existing}\n\n{text}" if existing else text)
    node.properties.setdefault("SBKV", [f"{100 * estimate.winrate:.2f}"])
    node.properties.setdefault("V", [f"{estimate.lead:.1f}"])
    node.properties.setdefault(KATRAIN_PROPERTY, _katrain_values(review, number))
    data = {
        **estimate_dict(estimate, game.rows),
        "move": _vertex_at(game, number),
        "mistake_points": review.mistake_points,
    }
    node.set_text(ESTIMATE_PROPERTY, json.dumps(data, separators=(",", ":")))


def _katrain_values(review: GameReview, number: int) -> list[str]:
    """Return the analysis of position `number` as KaTrain stores it.

    The values are compressed: ownership and policy, which are empty here, and JSON in the terms of
    KataGo's analysis protocol, from Black's point of view.
    """
    estimate, game = review.estimates[number], review.game
    line = [vertex(move, game.rows) for move in estimate.line]
    moves: Json = {}
    if estimate.best is not None and line:
        moves[line[0]] = _katrain_move(line[0], estimate.best, 0, line)
    played = _vertex_at(game, number)
    if estimate.played is not None and played is not None and played not in moves:
        moves[played] = _katrain_move(played, estimate.played, KATRAIN_OTHER_MOVE, [played])
    root = {"winrate": estimate.winrate, "scoreLead": estimate.lead, "visits": estimate.visits}
    data = json.dumps({"moves": moves, "root": root, "completed": True}).encode()
    return [base64.b64encode(gzip.compress(part, mtime=0)).decode() for part in (b"", b"", data)]


def _katrain_move(move: str, value: MoveValue, rank: int, line: list[str]) -> Json:
    return {
        "move": move,
        "order": rank,
        "winrate": value.winrate,
        "scoreLead": value.lead,
        "visits": value.visits,
        "pv": line,
    }


def _add_variation(parent: Node, move: MoveReview, rows: int) -> None:
    """Add the engine's variation as an alternative to a mistake, unless its move is there."""
    top = node = Node()
    color = move.color
    for point in move.before.line[:MAX_VARIATION]:
        node = node.add_child(Node({color.letter: [point_text(point)]}))
        color = color.opponent
    first, played = top.children[0], {move.color.letter: [point_text(move.before.line[0])]}
    if not any(played.items() <= child.properties.items() for child in parent.children):
        first.set_text("C", f"Better: {line_text(move.before.line, rows)}")
        parent.add_child(first)


# Text


def estimate_text(estimate: PositionEstimate) -> str:
    """Return `Black 63.0%, B+2.4 (500 visits)`."""
    searched = f"{estimate.visits:,} visits" if estimate.visits else "final score"
    return f"Black {estimate.winrate:.1%}, {lead_text(estimate.lead)} ({searched})"


def lead_text(lead: float) -> str:
    """Return `B+2.4`, `W+0.5` or `even`."""
    rounded = round(lead, 1)
    return "even" if rounded == 0 else format_score(rounded)


def line_text(line: tuple[int, ...], rows: int) -> str:
    """Return the vertices of a variation."""
    return " ".join(vertex(move, rows) for move in line[:MAX_VARIATION])


def move_text(move: MoveReview, rows: int) -> str:
    """Return the comment of a move."""
    lines = [] if move.after is None else [estimate_text(move.after)]
    if move.is_best:
        lines.append("The engine's choice.")
    elif move.before.best is not None:
        better = f"Better: {line_text(move.before.line, rows)}"
        lines.append(f"{_verdict(move)} {loss_text(move)} for {_name(move.color)}. {better}")
    return "\n".join(lines)


def loss_text(move: MoveReview) -> str:
    """Return `3.1 ± 0.4 points and 5.2% win rate`."""
    points = f"{move.points_loss:.1f} ± {move.points_error:.1f} points"
    return f"{points} and {move.winrate_loss:.1%} win rate"


def _verdict(move: MoveReview) -> str:
    if move.is_mistake:
        return "Mistake, loses"
    return "May lose (not significant)" if move.is_uncertain_mistake else "Loses"


def _name(color: Color) -> str:
    return color.name.capitalize()


def summary_text(review: GameReview) -> str:
    """Return the comment of the root: the largest mistakes of each player."""
    lines = [f"Reviewed by Tengen. Start: {estimate_text(review.estimates[0])}"]
    for color in Color:
        mistakes = ", ".join(
            f"{move.number} {vertex(move.move, review.game.rows)} (-{move.points_loss:.1f})"
            for move in review.mistakes(color)
        )
        lines.append(f"{_name(color)}'s largest mistakes in points: {mistakes or 'none'}")
    return "\n".join(lines)

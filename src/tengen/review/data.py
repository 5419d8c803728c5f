"""A review as plain data, for JSON."""

import math
from typing import Any

from tengen.board.colour import Colour
from tengen.board.points import parse_vertex, vertex
from tengen.core.errors import TengenError
from tengen.review.outlook import Outlook
from tengen.review.review import MoveReview, Review


def as_dict(review: Review) -> dict[str, Any]:
    """Return everything a review says; win rates and leads are Black's."""
    game = review.game
    return {
        "source": game.source,
        "number": game.number,
        "black": game.black,
        "white": game.white,
        "date": game.text("DT"),
        "result": game.result_text,
        "rows": game.rows,
        "columns": game.columns,
        "rules": game.rules.name,
        "komi": game.rules.komi,
        "handicap": game.handicap,
        "positions": [outlook_dict(outlook, game.rows) for outlook in review.outlooks],
        "moves": [_move_dict(move, game.rows) for move in review.moves],
        "players": {colour.name.lower(): _player_dict(review, colour) for colour in Colour},
    }


def _move_dict(move: MoveReview, rows: int) -> dict[str, Any]:
    best = move.before.best
    return {
        "number": move.number,
        "colour": move.colour.name.lower(),
        "move": vertex(move.move, rows),
        "best": None if best is None else vertex(best, rows),
        "winrate_loss": round(move.winrate_loss, 4),
        "points_loss": round(move.points_loss, 2),
        "mistake": move.is_mistake,
    }


def _player_dict(review: Review, colour: Colour) -> dict[str, Any]:
    agreement, mean_loss = review.agreement(colour), review.mean_loss(colour)
    own = [move for move in review.moves if move.colour is colour]
    return {
        "moves": len(own),
        "mistakes": sum(move.is_mistake for move in own),
        "largest_mistakes": [move.number for move in review.mistakes(colour)],
        "agreement": None if agreement is None else round(agreement, 4),
        "mean_points_loss": None if mean_loss is None else round(mean_loss, 3),
    }


def outlook_dict(outlook: Outlook, rows: int) -> dict[str, Any]:
    """Return an outlook with vertices for points."""
    return {
        "winrate": round(outlook.winrate, 4),
        "lead": round(outlook.lead, 2),
        "line": [vertex(move, rows) for move in outlook.line],
        "visits": outlook.visits,
    }


def outlook_from(data: object, rows: int, columns: int) -> Outlook:
    """Return what `outlook_dict` was made of, as exact as it was kept; raise TengenError."""
    try:
        assert isinstance(data, dict)
        line = tuple(parse_vertex(text, rows, columns) for text in data["line"])
        found = Outlook(float(data["winrate"]), float(data["lead"]), line, int(data["visits"]))
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TengenError(f"not an outlook: {error!r}") from None
    if not (0 <= found.winrate <= 1 and math.isfinite(found.lead)):
        raise TengenError("not an outlook: a number out of range")
    return found

"""Reviews and estimates as JSON."""

import dataclasses
import math

from tengen.board import Color, parse_vertex, vertex
from tengen.review.review import GameReview, MoveReview, MoveValue, PositionEstimate
from tengen.util import Json, TengenError


def review_dict(review: GameReview) -> Json:
    """Return a review as JSON; win rates and leads are Black's."""
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
        "mistake_points": review.mistake_points,
        "handicap": game.handicap,
        "positions": [estimate_dict(estimate, game.rows) for estimate in review.estimates],
        "moves": [_move_dict(move, game.rows) for move in review.moves],
        "players": {color.name.lower(): _player_dict(review, color) for color in Color},
    }


def _move_dict(move: MoveReview, rows: int) -> Json:
    best = move.before.best_move
    return {
        "number": move.number,
        "color": move.color.name.lower(),
        "move": vertex(move.move, rows),
        "best": None if best is None else vertex(best, rows),
        "winrate_loss": round(move.winrate_loss, 4),
        "points_loss": round(move.points_loss, 2),
        "points_error": round(move.points_error, 2),
        "visits": _visits(move),
        "mistake": move.is_mistake,
    }


def _visits(move: MoveReview) -> int:
    """Return the visits behind the loss: the fewer of the best move's and the played move's."""
    values = (move.before.best, move.before.played)
    return min((value.visits for value in values if value is not None and value.visits), default=0)


def _player_dict(review: GameReview, color: Color) -> Json:
    agreement, mean_loss = review.agreement(color), review.mean_loss(color)
    moves = review.moves_of(color)
    return {
        "moves": len(moves),
        "mistakes": sum(move.is_mistake for move in moves),
        "largest_mistakes": [move.number for move in review.mistakes(color)],
        "agreement": None if agreement is None else round(agreement, 4),
        "mean_points_loss": None if mean_loss is None else round(mean_loss, 3),
    }


def estimate_dict(estimate: PositionEstimate, rows: int) -> Json:
    """Return an estimate as JSON, with moves as vertices."""
    return {
        "winrate": round(estimate.winrate, 4),
        "lead": round(estimate.lead, 2),
        "line": [vertex(move, rows) for move in estimate.line],
        "visits": estimate.visits,
        "best": _value_dict(estimate.best),
        "played": _value_dict(estimate.played),
    }


def _value_dict(value: MoveValue | None) -> Json | None:
    return None if value is None else dataclasses.asdict(value)


def parse_estimate(data: object, rows: int, columns: int) -> PositionEstimate:
    """Return the estimate written by `estimate_dict`; raise TengenError if it is invalid."""
    try:
        assert isinstance(data, dict)
        estimate = PositionEstimate(
            winrate=float(data["winrate"]),
            lead=float(data["lead"]),
            line=tuple(parse_vertex(text, rows, columns) for text in data["line"]),
            visits=int(data["visits"]),
            best=_parse_value(data["best"]),
            played=_parse_value(data["played"]),
        )
    except (AssertionError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TengenError(f"invalid estimate: {error!r}") from None
    if not (0 <= estimate.winrate <= 1 and math.isfinite(estimate.lead)):
        raise TengenError("invalid estimate: value out of range")
    return estimate


def _parse_value(data: Json | None) -> MoveValue | None:
    if data is None:
        return None
    value = MoveValue(
        float(data["winrate"]), float(data["lead"]), float(data["lead_error"]), int(data["visits"])
    )
    if not (0 <= value.winrate <= 1 and math.isfinite(value.lead + value.lead_error)):
        raise ValueError(f"value out of range: {data}")
    return value

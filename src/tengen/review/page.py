"""HTML pages of reviews: one per game, and the index of a folder. Each is self-contained."""

from collections.abc import Mapping, Sequence
from typing import Any

from tengen.board import Color, Position, vertex
from tengen.records import GameRecord
from tengen.review.annotation import lead_text, line_text, loss_text
from tengen.review.figures import chart, mistake_board
from tengen.review.review import MISTAKE_Z, GameReview, MoveReview, positions
from tengen.util import Json, plural
from tengen.view import inline_svg, render

INDEX_TITLE = "Reviewed games"
EARLIER_INDEX_TITLE = "Games looked over"
"""Title of the index in version 0.1."""
UNKNOWN = "unknown"
SIDES = ("black", "white")
MIN_POINTS = 0.05
"""Smaller losses would be shown as 0.0 and are omitted."""
LISTED_LINE = 6
"""Moves of the better variation in the list of all moves."""


def game_page(review: GameReview, made_by: str, sgf_name: str, index_name: str) -> str:
    """Return the page of a game; `made_by` identifies the engine and its settings."""
    game = review.game
    mistakes = {color: review.mistakes(color) for color in Color}
    numbers = {move.number for moves in mistakes.values() for move in moves}
    boards = {n: board for n, board in enumerate(positions(game), start=1) if n in numbers}
    page = render(
        "review_game.html",
        title=_title(game.black, game.white),
        about=list(filter(None, _about(game))),
        index_name=index_name,
        sgf_name=sgf_name,
        chart=chart(review),
        players=[_player(review, color, mistakes[color], boards) for color in Color],
        moves=[_move_row(move, game.rows) for move in review.moves],
        made_by=made_by,
        mistake_points=f"{review.mistake_points:g}",
        mistake_z=f"{MISTAKE_Z:g}",
    )
    return str(page)


def index_page(summaries: Sequence[Mapping[str, Any]], skipped: Sequence[str] = ()) -> str:
    """Return the index of a folder, one row per game."""
    games = [
        {
            "link": f"{summary['name']}.html",
            "title": _title(summary["black"], summary["white"]),
            "cells": [
                f"{summary['columns']}x{summary['rows']}",
                summary["move_count"],
                summary["result"] or "?",
                " / ".join(str(summary["players"][side]["mistakes"]) for side in SIDES),
                " / ".join(_loss(summary["players"][side]["mean_points_loss"]) for side in SIDES),
            ],
        }
        for summary in summaries
    ]
    count = plural(len(games), "game")
    return str(
        render("review_index.html", title=INDEX_TITLE, count=count, games=games, skipped=skipped)
    )


def is_index(text: str) -> bool:
    """Return whether a page is the index of a review folder."""
    titles = (INDEX_TITLE, EARLIER_INDEX_TITLE)
    return any(f"<title>{title}</title>" in text for title in titles)


def _title(black: str, white: str) -> str:
    return f"{black or UNKNOWN} – {white or UNKNOWN}"


def _about(game: GameRecord) -> list[str]:
    return [
        game.text("DT"),
        game.text("EV"),
        f"{game.columns}x{game.rows}",
        f"komi {game.rules.komi:g}",
        game.result_text,
        f"{len(game.moves)} moves",
    ]


def _loss(points: float | None) -> str:
    return "–" if points is None else f"{points:.2f}"


def player_name(game: GameRecord, color: Color) -> str:
    """Return `Black (Shusaku)`, or `Black` if the name is not known."""
    name = game.black if color is Color.BLACK else game.white
    side = color.name.capitalize()
    return f"{side} ({name})" if name else side


def _player(
    review: GameReview,
    color: Color,
    mistakes: Sequence[MoveReview],
    boards: Mapping[int, Position],
) -> Json:
    moves, agreement = review.moves_of(color), review.agreement(color)
    return {
        "name": player_name(review.game, color),
        "moves": len(moves),
        "agreement": "–" if agreement is None else f"{agreement:.0%}",
        "mistakes": sum(move.is_mistake for move in moves),
        "mean_loss": _loss(review.mean_loss(color)),
        "largest_mistakes": [
            _mistake(move, boards[move.number], review.game.rows) for move in mistakes
        ],
    }


def _mistake(move: MoveReview, board: Position, rows: int) -> Json:
    return {
        "number": move.number,
        "move": vertex(move.move, rows),
        "loss": f"loses {loss_text(move)}",
        "line": line_text(move.before.line, rows),
        "picture": inline_svg(mistake_board(board, move).svg()),
    }


def _move_row(move: MoveReview, rows: int) -> Json:
    after, has_loss = move.after, move.points_loss >= MIN_POINTS
    assert after is not None, "the review is complete"
    return {
        "is_mistake": move.is_mistake,
        "cells": [
            move.number,
            f"{move.color.letter} {vertex(move.move, rows)}",
            f"{after.winrate:.1%}",
            lead_text(after.lead),
            f"{after.visits:,}" if after.visits else "",
            f"{move.points_loss:.1f} ± {move.points_error:.1f}" if has_loss else "",
            f"{move.winrate_loss:.1%}" if move.winrate_loss else "",
        ],
        "better": "" if move.is_best else line_text(move.before.line[:LISTED_LINE], rows),
    }

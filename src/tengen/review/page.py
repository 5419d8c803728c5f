"""The page of one game, and the index of a folder. Each needs nothing beside it."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from tengen.board.colour import Colour
from tengen.board.points import vertex
from tengen.core.words import counted
from tengen.records.game import GameRecord
from tengen.review.annotate import lead_text, line_text
from tengen.review.chart import chart
from tengen.review.picture import mistake_picture
from tengen.review.review import MoveReview, Review
from tengen.review.style import STYLE

INDEX_TITLE = "Games looked over"
NOBODY = "unknown"
SIDES = ("black", "white")
SHOWN_POINTS = 0.05
"""Losses that would show as 0.0 are left out."""


def game_page(review: Review, made_by: str, sgf_name: str, index_name: str) -> str:
    """Return the page of a game, with links; `made_by` tells the engine's settings."""
    game = review.game
    title = f"{game.black or NOBODY} – {game.white or NOBODY}"
    about = [game.text("DT"), game.text("EV"), f"{game.columns}x{game.rows}"]
    about += [f"komi {game.rules.komi:g}", game.result_text, f"{len(game.moves)} moves"]
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(" · ".join(filter(None, about)))}</p>',
        f"<p>{_link(index_name, 'All games')} · "
        f"{_link(sgf_name, 'The game with comments (SGF)')}</p>",
        chart(review),
        _players(review),
        *(_mistakes(review, colour) for colour in Colour),
        _all_moves(review),
        f'<p class="note">{escape(made_by)}. Win rates and leads are Black\'s. The lead is the '
        "net's; without one it is the mean over playouts, nearer to even than strong play would "
        "have it. A mistake loses 5% or more, and more than the luck of searches as short as these "
        "explains.</p>",
    ]
    return _page(title, parts)


def index_page(summaries: Sequence[Mapping[str, Any]], skipped: Sequence[str] = ()) -> str:
    """Return the index of a folder: one line a game, by what `folder.summary` gives."""
    rows = [
        (
            _link(f"{one['name']}.html", f"{one['black'] or NOBODY} – {one['white'] or NOBODY}"),
            escape(f"{one['columns']}x{one['rows']}"),
            str(one["move_count"]),
            escape(one["result"] or "?"),
            " / ".join(str(one["players"][side]["mistakes"]) for side in SIDES),
            " / ".join(_loss(one["players"][side]["mean_points_loss"]) for side in SIDES),
        )
        for one in summaries
    ]
    heads = ["Black – White", "board", "moves", "result", "mistakes", "points lost a move"]
    parts = [
        f"<h1>{INDEX_TITLE}</h1>",
        f'<p class="soft">{counted(len(rows), "game")}</p>',
        _table(heads, rows),
    ]
    if skipped:
        lines = "".join(f"<li>{escape(line)}</li>" for line in skipped)
        parts.append(f"<h2>Skipped</h2><ul>{lines}</ul>")
    return _page(INDEX_TITLE, parts)


def is_index(text: str) -> bool:
    """Tell whether a page is an index that a review wrote."""
    return f"<title>{INDEX_TITLE}</title>" in text


def _page(title: str, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML already."""
    first, *others = headings
    head = f'<th class="left">{first}</th>' + "".join(f"<th>{name}</th>" for name in others)
    lines = (
        f'<tr><td class="left">{row[0]}</td>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _link(target: str, text: str) -> str:
    return f'<a href="{escape(target, quote=True)}">{escape(text)}</a>'


def _loss(points: float | None) -> str:
    return "–" if points is None else f"{points:.2f}"


def player_name(game: GameRecord, colour: Colour) -> str:
    """Return `Black (Shusaku)`, or `Black` if the record does not say."""
    name = game.black if colour is Colour.BLACK else game.white
    side = colour.name.capitalize()
    return f"{side} ({name})" if name else side


def _players(review: Review) -> str:
    rows = []
    for colour in Colour:
        own = [move for move in review.moves if move.colour is colour]
        agreement = review.agreement(colour)
        rows.append(
            (
                escape(player_name(review.game, colour)),
                str(len(own)),
                "–" if agreement is None else f"{agreement:.0%}",
                str(sum(move.is_mistake for move in own)),
                _loss(review.mean_loss(colour)),
            )
        )
    heads = ["Player", "moves", "the engine's choice", "mistakes", "points lost a move"]
    return "<h2>Players</h2>" + _table(heads, rows)


def _mistakes(review: Review, colour: Colour) -> str:
    found = review.mistakes(colour)
    figures = "".join(_figure(review, move) for move in found) or "<p>None.</p>"
    name = escape(player_name(review.game, colour))
    return f'<h2>Largest mistakes: {name}</h2><div class="boards">{figures}</div>'


def _figure(review: Review, move: MoveReview) -> str:
    rows = review.game.rows
    picture = mistake_picture(review.game.position(move.number - 1), move).svg()
    loss = f"−{move.winrate_loss:.1%}"
    if move.points_loss >= SHOWN_POINTS:
        loss += f", −{move.points_loss:.1f} points"
    text = (
        f"Move {move.number}: {vertex(move.move, rows)} (crossed) <strong>{loss}</strong><br>"
        f'<span class="soft">Better: {line_text(move.before.line, rows)}</span>'
    )
    return f'<figure id="move-{move.number}">{picture}<figcaption>{text}</figcaption></figure>'


def _all_moves(review: Review) -> str:
    rows = "".join(_move_row(move, review.game.rows) for move in review.moves)
    names = ("move", "win rate", "lead", "loss", "points", "better")
    head = "".join(f"<th>{name}</th>" for name in ("", *names))
    return (
        f"<h2>All moves</h2><details><summary>{len(review.moves)} moves</summary>"
        f'<div class="wide"><table><tr>{head}</tr>{rows}</table></div></details>'
    )


def _move_row(move: MoveReview, rows: int) -> str:
    cells = [
        str(move.number),
        f"{move.colour.letter} {vertex(move.move, rows)}",
        f"{move.after.winrate:.1%}",
        lead_text(move.after.lead),
        f"{move.winrate_loss:.1%}" if move.winrate_loss else "",
        f"{move.points_loss:.1f}" if move.points_loss >= SHOWN_POINTS else "",
    ]
    better = "" if move.is_best else line_text(move.before.line[:6], rows)
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    kind = ' class="mistake"' if move.is_mistake else ""
    return f'<tr{kind}>{row}<td class="moves">{better}</td></tr>'

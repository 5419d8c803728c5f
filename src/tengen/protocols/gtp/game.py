"""Commands on the game: board, moves, handicap, rules, scoring and game records."""

import contextlib
import json
from typing import TYPE_CHECKING

from tengen.board import (
    PASS,
    Color,
    IllegalMoveError,
    Position,
    Rules,
    check_komi,
    check_size,
    fixed_handicap_points,
    free_handicap_points,
    rules_from_katago,
    rules_named,
    rules_to_katago,
)
from tengen.engine import estimate_territory, is_settled
from tengen.playout import ChainStatus, format_score, score_position
from tengen.protocols.gtp.auto_level import count_move, count_resignation
from tengen.protocols.gtp.protocol import (
    CommandError,
    check_stones,
    parse_number,
    require,
    size_text,
    vertex_text,
)
from tengen.protocols.gtp.session import Session, command
from tengen.util import TengenError

if TYPE_CHECKING:
    from tengen.records import GameRecord

STATUSES = {"alive": ChainStatus.ALIVE, "dead": ChainStatus.DEAD, "seki": ChainStatus.SEKI}


# Board and moves


@command("boardsize")
def boardsize(session: Session, arguments: list[str]) -> str:
    """Set the size, `N` or `COLUMNS ROWS`, and clear the board."""
    usage = "boardsize N, or boardsize COLUMNS ROWS"
    texts = require(arguments, 1, usage) + arguments[1:2]
    sizes = [int(parse_number(text, usage)) for text in texts]
    try:
        check_size(sizes[-1], sizes[0])
    except TengenError:
        raise CommandError("unacceptable size") from None
    session.new_board(rows=sizes[-1], columns=sizes[0])
    return ""


@command("rectangular_boardsize")
def rectangular_boardsize(session: Session, arguments: list[str]) -> str:
    """Set the size, `COLUMNS ROWS`, and clear the board (KataGo)."""
    return boardsize(session, require(arguments, 2, "rectangular_boardsize COLUMNS ROWS"))


@command("query_boardsize")
def query_boardsize(session: Session, arguments: list[str]) -> str:
    """Return the size: one number for a square board, else columns and rows."""
    return size_text(session.position)


@command("clear_board")
def clear_board(session: Session, arguments: list[str]) -> str:
    """Clear the board."""
    session.new_board(session.position.rows, session.position.columns)
    return ""


@command("play")
def play(session: Session, arguments: list[str]) -> str:
    """Play a move of either color."""
    color_text, vertex = require(arguments, 2, "play COLOR VERTEX")
    color = session.parse_color(color_text)
    if vertex.lower() == "resign":
        count_resignation(session, color)
        return ""
    move = session.parse_move(vertex)
    try:
        session.position.play(move, color)
    except IllegalMoveError:
        raise CommandError("illegal move") from None
    count_move(session)
    session.holder.ponder(session.position)
    return ""


@command("undo")
def undo(session: Session, arguments: list[str]) -> str:
    """Undo the last move."""
    session.position.undo()
    return ""


@command("gg-undo")
def gg_undo(session: Session, arguments: list[str]) -> str:
    """Undo N moves (default: 1)."""
    count = int(parse_number(arguments[0], "gg-undo [N]")) if arguments else 1
    session.position.undo(count)
    return ""


@command("set_position")
def set_position(session: Session, arguments: list[str]) -> str:
    """Set up stones on an empty board: `set_position b D4 w Q16 ...`."""
    if len(arguments) % 2:
        raise CommandError("usage: set_position COLOR VERTEX COLOR VERTEX ...")
    stones = [
        (session.parse_move(vertex), int(session.parse_color(color)))
        for color, vertex in zip(arguments[::2], arguments[1::2], strict=True)
    ]
    check_stones(stones)
    position = session.empty_position()
    position.setup(stones, Color.BLACK)
    session.position = position
    return ""


@command("showboard")
def showboard(session: Session, arguments: list[str]) -> str:
    """Draw the board."""
    position = session.position
    last = position.last_move
    last_text = f"last move {vertex_text(position, last)}" if last is not None else "no move yet"
    to_play = position.to_play.name.capitalize()
    prisoners = f"captured: X {position.prisoners(Color.BLACK)}"
    prisoners += f", O {position.prisoners(Color.WHITE)}"
    rules = f"{position.rules.name} rules, komi {position.rules.komi:g}"
    return f"\n{position}\n{to_play} to play, {last_text}; {prisoners}; {rules}"


# Handicap


@command("fixed_handicap")
def fixed_handicap(session: Session, arguments: list[str]) -> str:
    """Place handicap stones on the star points."""
    size = session.position.rows, session.position.columns
    points = fixed_handicap_points(*size, _handicap(session, arguments, "fixed_handicap N"))
    session.position.place_handicap(points)
    return session.vertices(points)


@command("place_free_handicap")
def place_free_handicap(session: Session, arguments: list[str]) -> str:
    """Place handicap stones where the engine chooses."""
    size = session.position.rows, session.position.columns
    points = free_handicap_points(*size, _handicap(session, arguments, "place_free_handicap N"))
    session.position.place_handicap(points)
    return session.vertices(points)


@command("set_free_handicap")
def set_free_handicap(session: Session, arguments: list[str]) -> str:
    """Place handicap stones on the given points."""
    _check_empty(session)
    try:
        points = [session.parse_move(text) for text in arguments]
        if len(points) < 2 or PASS in points or len(set(points)) < len(points):
            raise CommandError("bad vertex list")
        session.position.place_handicap(points)
    except TengenError:
        raise CommandError("bad vertex list") from None
    return ""


def _handicap(session: Session, arguments: list[str], usage: str) -> int:
    (text,) = require(arguments, 1, usage)
    count = int(parse_number(text, usage))
    _check_empty(session)
    return count


def _check_empty(session: Session) -> None:
    if session.position.board().any():
        raise CommandError("board not empty")


# Komi and rules


@command("komi")
def komi(session: Session, arguments: list[str]) -> str:
    """Set komi."""
    (text,) = require(arguments, 1, "komi POINTS")
    value = parse_number(text, "komi POINTS", float)
    check_komi(value)
    session.set_komi(value)
    return ""


@command("get_komi")
def get_komi(session: Session, arguments: list[str]) -> str:
    """Return komi."""
    return f"{session.position.rules.komi:g}"


@command("kgs-rules")
def kgs_rules(session: Session, arguments: list[str]) -> str:
    """Set the rules by their KGS name."""
    (name,) = require(arguments, 1, "kgs-rules NAME")
    session.set_rules(rules_named(name).with_komi(session.position.rules.komi))
    return ""


@command("kata-set-rules")
def kata_set_rules(session: Session, arguments: list[str]) -> str:
    """Set the rules by name, or by a JSON object in KataGo's format."""
    text = " ".join(require(arguments, 1, "kata-set-rules NAME|JSON") + arguments[1:])
    rules = rules_from_katago(text) if text.startswith("{") else rules_named(text)
    session.set_rules(rules.with_komi(session.position.rules.komi))
    return ""


@command("kata-get-rules")
def kata_get_rules(session: Session, arguments: list[str]) -> str:
    """Return the rules as a JSON object in KataGo's format."""
    return json.dumps(rules_to_katago(session.position.rules))


@command("kata-set-rule")
def kata_set_rule(session: Session, arguments: list[str]) -> str:
    """Change one of the rules: `kata-set-rule ko SIMPLE`."""
    name, value = require(arguments, 2, "kata-set-rule NAME VALUE")
    current = rules_to_katago(session.position.rules)
    if name not in current:
        raise CommandError(f"unknown rule {name}: use one of {', '.join(current)}")
    if name != "tax":
        del current["tax"]  # it follows from the scoring, which may be what changes
    rules = rules_from_katago(json.dumps({**current, name: value}))
    supported = str(rules_to_katago(rules)[name])
    if supported.upper() != value.upper():
        raise CommandError(f"{name} {value} is not supported: the nearest is {supported}")
    session.set_rules(rules.with_komi(session.position.rules.komi))
    return ""


# Scoring


@command("final_score")
def final_score(session: Session, arguments: list[str]) -> str:
    """Return the score as if both sides had passed."""
    return score_position(session.position).result


@command("estimate_score")
def estimate_score(session: Session, arguments: list[str]) -> str:
    """Estimate the score of an unfinished game, with bounds of one standard deviation (GNU Go).

    The score of a settled game is exact.
    """
    if is_settled(session.position):
        result = score_position(session.position)
        lead, error = result.score, 0.0
    else:
        estimate = estimate_territory(session.engine, session.position)
        lead, error = round(estimate.lead, 1), estimate.error
    upper, lower = lead + error, lead - error
    return f"{format_score(lead)} (upper bound: {upper:.1f}, lower: {lower:.1f})"


@command("final_status_list")
def final_status_list(session: Session, arguments: list[str]) -> str:
    """List the chains of a status, one per line."""
    (status,) = require(arguments, 1, "final_status_list alive|dead|seki")
    if status.lower() not in STATUSES:
        raise CommandError("invalid status: use alive, dead or seki")
    chains = score_position(session.position).stones(STATUSES[status.lower()])
    return "\n".join(session.vertices(list(chain)) for chain in chains)


# Game records


@command("loadsgf")
def loadsgf(session: Session, arguments: list[str]) -> str:
    """Load the position before move N of a game record, or its last; return the side to play."""
    from tengen.records import read_games

    usage = "loadsgf FILE [MOVE]"
    path = require(arguments, 1, usage)[0]
    before = int(parse_number(arguments[1], usage)) if len(arguments) > 1 else None
    try:
        record = next(iter(read_games(path)))
        last = len(record.moves) if before is None else min(max(before - 1, 0), len(record.moves))
        session.position = _record_position(record, last, session.position.rules)
    except (TengenError, StopIteration):
        raise CommandError("cannot load file") from None
    return session.position.to_play.name.lower()


def _record_position(record: "GameRecord", last: int, default: Rules) -> Position:
    """Return a position under the record's rules, or the default ones if it names none.

    A game with a suicide or a repetition that the rules forbid is loaded with lenient rules.
    """
    komi = default.komi if record.komi is None else record.komi
    rules = record.rules if record.rules_text else default.with_komi(komi)
    with contextlib.suppress(TengenError):
        return record.position(last, rules)
    return record.position(last)


@command("printsgf")
def printsgf(session: Session, arguments: list[str]) -> str:
    """Write the game as SGF, to a file or as the reply."""
    from tengen.records import record_from_position, sgf_bytes, write_games

    record = record_from_position(session.position)
    if len(arguments) > 1:
        raise CommandError("usage: printsgf [FILE]; the file name must not contain spaces")
    if arguments:
        write_games(arguments[0], [record])
        return ""
    return sgf_bytes(record).decode()

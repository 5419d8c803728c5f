"""Commands that change the game: the board, moves, handicap, records."""

from tengen.board.colour import Colour
from tengen.board.handicap import fixed_handicap_points, free_handicap_points
from tengen.board.points import PASS, check_size
from tengen.board.position import IllegalMoveError
from tengen.board.rules import check_komi
from tengen.core.errors import TengenError
from tengen.gtp.arguments import check_stones, number, size_text, vertex_text, want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command


@command("boardsize")
def boardsize(session: Session, arguments: list[str]) -> str:
    """Set the size, `n` or `columns rows`, and clear the board."""
    usage = "boardsize N, or boardsize COLUMNS ROWS"
    sizes = [int(number(text, usage)) for text in (want(arguments, 1, usage) + arguments[1:2])]
    try:
        check_size(sizes[-1], sizes[0])
    except TengenError:
        raise GtpError("unacceptable size") from None
    session.new_board(rows=sizes[-1], columns=sizes[0])
    return ""


@command("rectangular_boardsize")
def rectangular_boardsize(session: Session, arguments: list[str]) -> str:
    """Set the size, `columns rows`, and clear the board, as KataGo has it."""
    return boardsize(session, want(arguments, 2, "rectangular_boardsize COLUMNS ROWS"))


@command("query_boardsize")
def query_boardsize(session: Session, arguments: list[str]) -> str:
    """Tell the size: one number for a square, else columns and rows."""
    return size_text(session.position)


@command("clear_board")
def clear_board(session: Session, arguments: list[str]) -> str:
    """Start over."""
    session.new_board(session.position.rows, session.position.columns)
    return ""


@command("komi")
def komi(session: Session, arguments: list[str]) -> str:
    """Set komi."""
    (text,) = want(arguments, 1, "komi POINTS")
    value = number(text, "komi POINTS", float)
    check_komi(value)
    session.set_komi(value)
    return ""


@command("get_komi")
def get_komi(session: Session, arguments: list[str]) -> str:
    """Tell komi."""
    return f"{session.position.rules.komi:g}"


@command("play")
def play(session: Session, arguments: list[str]) -> str:
    """Play a move of either colour."""
    colour_text, vertex = want(arguments, 2, "play COLOUR VERTEX")
    colour = session.parse_colour(colour_text)
    if vertex.lower() == "resign":
        return ""
    move = session.parse_move(vertex)
    try:
        session.position.play(move, colour)
    except IllegalMoveError:
        raise GtpError("illegal move") from None
    session.engine_waits()
    return ""


@command("undo")
def undo(session: Session, arguments: list[str]) -> str:
    """Take the last move back."""
    session.position.undo()
    return ""


@command("gg-undo")
def gg_undo(session: Session, arguments: list[str]) -> str:
    """Take some moves back."""
    count = int(number(arguments[0], "gg-undo [N]")) if arguments else 1
    session.position.undo(count)
    return ""


@command("fixed_handicap")
def fixed_handicap(session: Session, arguments: list[str]) -> str:
    """Put handicap stones on the star points."""
    size = session.position.rows, session.position.columns
    points = fixed_handicap_points(*size, _handicap(session, arguments))
    session.position.place_handicap(points)
    return session.vertices(points)


@command("place_free_handicap")
def place_free_handicap(session: Session, arguments: list[str]) -> str:
    """Put handicap stones where the engine likes them."""
    size = session.position.rows, session.position.columns
    points = free_handicap_points(*size, _handicap(session, arguments))
    session.position.place_handicap(points)
    return session.vertices(points)


@command("set_free_handicap")
def set_free_handicap(session: Session, arguments: list[str]) -> str:
    """Put handicap stones where the controller says."""
    _check_empty(session)
    try:
        points = [session.parse_move(text) for text in arguments]
        if len(points) < 2 or PASS in points or len(set(points)) < len(points):
            raise GtpError("bad vertex list")
        session.position.place_handicap(points)
    except (GtpError, TengenError):
        raise GtpError("bad vertex list") from None
    return ""


def _handicap(session: Session, arguments: list[str]) -> int:
    (text,) = want(arguments, 1, "fixed_handicap N")
    count = int(number(text, "fixed_handicap N"))
    _check_empty(session)
    return count


def _check_empty(session: Session) -> None:
    if session.position.board().any():
        raise GtpError("board not empty")


@command("set_position")
def set_position(session: Session, arguments: list[str]) -> str:
    """Set up stones on an empty board: `set_position b D4 w Q16 ...`."""
    if len(arguments) % 2:
        raise GtpError("usage: set_position COLOUR VERTEX COLOUR VERTEX ...")
    stones = [
        (session.parse_move(vertex), int(session.parse_colour(colour)))
        for colour, vertex in zip(arguments[::2], arguments[1::2], strict=True)
    ]
    check_stones(stones)
    fresh = session.fresh_position()
    fresh.setup(stones, Colour.BLACK)
    session.position = fresh
    return ""


@command("showboard")
def showboard(session: Session, arguments: list[str]) -> str:
    """Draw the board."""
    position = session.position
    last = position.last_move
    said = f"last move {vertex_text(position, last)}" if last is not None else "no move yet"
    to_play = position.to_play.name.capitalize()
    prisoners = f"captured: X {position.prisoners(Colour.BLACK)}"
    prisoners += f", O {position.prisoners(Colour.WHITE)}"
    rules = f"{position.rules.name} rules, komi {position.rules.komi:g}"
    return f"\n{position}\n{to_play} to play, {said}; {prisoners}; {rules}"

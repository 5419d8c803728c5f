"""GoGui's commands about the game: sequences, setup, interruption, and the rules of the game."""

from tengen.board.colour import Colour
from tengen.board.position import Move
from tengen.gtp.arguments import check_stones, size_text, want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command
from tengen.playout.judge import judge


def _pairs(session: Session, arguments: list[str], usage: str) -> list[Move]:
    """Read `b D4 w Q16 ...`; raise GtpError."""
    if len(arguments) % 2:
        raise GtpError(f"usage: {usage}")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return [Move(session.parse_colour(c), session.parse_move(v)) for c, v in pairs]


@command("gogui-interrupt")
def interrupt(session: Session, arguments: list[str]) -> str:
    """Say that the line `# interrupt` cuts a search short."""
    return ""


@command("gogui-play_sequence")
def play_sequence(session: Session, arguments: list[str]) -> str:
    """Play moves, all of them or none: `gogui-play_sequence b C3 w D4 ...`."""
    moves = _pairs(session, arguments, "gogui-play_sequence COLOUR VERTEX COLOUR VERTEX ...")
    position = session.position.copy()
    if position.play_sequence(moves) < len(moves):
        raise GtpError("illegal move")
    session.position = position
    return ""


@command("gogui-setup")
def setup(session: Session, arguments: list[str]) -> str:
    """Put stones on the empty board: `gogui-setup b D4 w Q16 ...`."""
    stones = _pairs(session, arguments, "gogui-setup COLOUR VERTEX COLOUR VERTEX ...")
    placed = [(stone.move, int(stone.colour)) for stone in stones]
    check_stones(placed)
    if session.position.board().any():
        raise GtpError("board not empty")
    fresh = session.fresh_position()
    fresh.setup(placed, fresh.to_play)
    session.position = fresh
    return ""


@command("gogui-setup_player")
def setup_player(session: Session, arguments: list[str]) -> str:
    """Say who is to play."""
    (colour,) = want(arguments, 1, "gogui-setup_player COLOUR")
    session.position.to_play = session.parse_colour(colour)
    return ""


@command("gogui-rules_game_id")
def game_id(session: Session, arguments: list[str]) -> str:
    """Tell which game this is, spelled as GoGui compares it."""
    return "Go"


@command("gogui-rules_board_size")
def board_size(session: Session, arguments: list[str]) -> str:
    """Tell the size: one number for a square, else columns and rows."""
    return size_text(session.position)


@command("gogui-rules_board")
def board(session: Session, arguments: list[str]) -> str:
    """Draw the board with X, O and points."""
    rows = session.position.diagram().splitlines()
    return "\n" + "\n".join(" ".join(row) for row in rows)


@command("gogui-rules_side_to_move")
def side_to_move(session: Session, arguments: list[str]) -> str:
    """Tell who is to play."""
    return session.position.to_play.name.lower()


@command("gogui-rules_legal_moves")
def legal_moves(session: Session, arguments: list[str]) -> str:
    """List the moves that the rules allow, the pass among them; none after the end."""
    if session.position.is_over:
        return ""
    # GoGui looks for the pass in lower case.
    return f"{session.vertices(session.position.legal_moves())} pass".strip()


@command("gogui-rules_captured_count")
def captured_count(session: Session, arguments: list[str]) -> str:
    """Tell how many white stones were captured, and how many black ones."""
    position = session.position
    return f"{position.prisoners(Colour.WHITE)} {position.prisoners(Colour.BLACK)}"


@command("gogui-rules_final_result")
def final_result(session: Session, arguments: list[str]) -> str:
    """Tell the result in words."""
    result = judge(session.position).result
    if result == "0":
        return "a draw"
    return f"{'Black' if result[0] == 'B' else 'White'} wins by {result[2:]} points"

"""GoGui's commands: setup, interruption, the rules of the game, and analyze commands."""

from typing import TYPE_CHECKING

from tengen.board import Color, Move
from tengen.playout import score_position
from tengen.protocols.gtp.admin import SETTING_COMMANDS
from tengen.protocols.gtp.observer import SearchObserver
from tengen.protocols.gtp.protocol import (
    CommandError,
    StopOn,
    check_stones,
    require,
    size_text,
    vertex_text,
)
from tengen.protocols.gtp.session import Session, command

if TYPE_CHECKING:
    from tengen.search import SearchReport

OTHER_ANALYZE_COMMANDS = (
    "gfx/Your own source (FILE.py:NAME)/tengen-layer %s",
    "var/Best line/tengen-line",
    "string/Estimated score/estimate_score",
    "string/Score of the finished game/final_score",
    "plist/Dead stones/final_status_list dead",
    "plist/Stones in seki/final_status_list seki",
    "none/Clear the search tree/clear_cache",
)


@command("gogui-interrupt")
def interrupt(session: Session, arguments: list[str]) -> str:
    """Announce that the line `# interrupt` stops a search."""
    return ""


@command("gogui-play_sequence")
def play_sequence(session: Session, arguments: list[str]) -> str:
    """Play moves, all of them or none: `gogui-play_sequence b C3 w D4 ...`."""
    moves = _parse_moves(session, arguments, "gogui-play_sequence COLOR VERTEX COLOR VERTEX ...")
    position = session.position.copy()
    if position.play_sequence(moves) < len(moves):
        raise CommandError("illegal move")
    session.position = position
    return ""


@command("gogui-setup")
def setup(session: Session, arguments: list[str]) -> str:
    """Set up stones on the empty board: `gogui-setup b D4 w Q16 ...`."""
    moves = _parse_moves(session, arguments, "gogui-setup COLOR VERTEX COLOR VERTEX ...")
    stones = [(stone.move, int(stone.color)) for stone in moves]
    check_stones(stones)
    if session.position.board().any():
        raise CommandError("board not empty")
    position = session.empty_position()
    position.setup(stones, position.to_play)
    session.position = position
    return ""


@command("gogui-setup_player")
def setup_player(session: Session, arguments: list[str]) -> str:
    """Set the side to play."""
    (color,) = require(arguments, 1, "gogui-setup_player COLOR")
    session.position.to_play = session.parse_color(color)
    return ""


def _parse_moves(session: Session, arguments: list[str], usage: str) -> list[Move]:
    """Parse `b D4 w Q16 ...`; raise CommandError."""
    if len(arguments) % 2:
        raise CommandError(f"usage: {usage}")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return [Move(session.parse_color(c), session.parse_move(v)) for c, v in pairs]


# The rules of the game, for GoGui's board


@command("gogui-rules_game_id")
def game_id(session: Session, arguments: list[str]) -> str:
    """Return the name of the game, spelled as GoGui expects it."""
    return "Go"


@command("gogui-rules_board_size")
def board_size(session: Session, arguments: list[str]) -> str:
    """Return the size: one number for a square board, else columns and rows."""
    return size_text(session.position)


@command("gogui-rules_board")
def board(session: Session, arguments: list[str]) -> str:
    """Draw the board with X, O and dots."""
    rows = session.position.diagram().splitlines()
    return "\n" + "\n".join(" ".join(row) for row in rows)


@command("gogui-rules_side_to_move")
def side_to_move(session: Session, arguments: list[str]) -> str:
    """Return the side to play."""
    return session.position.to_play.name.lower()


@command("gogui-rules_legal_moves")
def legal_moves(session: Session, arguments: list[str]) -> str:
    """List the legal moves including pass; none after the end of the game."""
    if session.position.is_over:
        return ""
    # GoGui expects the pass in lower case.
    return f"{session.vertices(session.position.legal_moves())} pass".strip()


@command("gogui-rules_captured_count")
def captured_count(session: Session, arguments: list[str]) -> str:
    """Return the numbers of captured white and black stones."""
    position = session.position
    return f"{position.prisoners(Color.WHITE)} {position.prisoners(Color.BLACK)}"


@command("gogui-rules_final_result")
def final_result(session: Session, arguments: list[str]) -> str:
    """Return the result as a sentence."""
    result = score_position(session.position).result
    if result == "0":
        return "a draw"
    return f"{'Black' if result[0] == 'B' else 'White'} wins by {result[2:]} points"


# Analyze commands


@command("gogui-analyze_commands")
def analyze_commands(session: Session, arguments: list[str]) -> str:
    """List the analyze commands as `type/label/command`, one per line."""
    from tengen.view import LAYERS

    layers = [
        f"gfx/{_menu_label(f'{info.group}: {info.title}')}/tengen-layer {name}"
        for name, info in LAYERS.items()
    ]
    settings = [f"param/{_menu_label(label)}/{name}" for name, label in SETTING_COMMANDS.items()]
    return "\n".join([*layers, *OTHER_ANALYZE_COMMANDS, *settings])


def _menu_label(text: str) -> str:
    """Replace slashes, at which GoGui splits the line."""
    return text[:1].upper() + text[1:].replace("/", ", ")


@command("tengen-layer")
def layer(session: Session, arguments: list[str]) -> str:
    """Draw a layer of the current position in GoGui's `gfx`: `tengen-layer search.visits`."""
    from tengen.protocols.gtp.observer import layer_commands
    from tengen.records.database import default_database_path
    from tengen.view import Need, ViewContext, find_layer, make_layer

    name = " ".join(require(arguments, 1, "tengen-layer NAME") + arguments[1:])
    needs_search = find_layer(name).needs is Need.SEARCH
    report = _search(session) if needs_search else session.search_here()
    context = ViewContext(session.settings, report, default_database_path())
    made = make_layer(name, session.position, context)
    return "\n".join(layer_commands(made, session.position))


@command("tengen-line")
def best_line(session: Session, arguments: list[str]) -> str:
    """Return the principal variation of a search."""
    candidates = _search(session).candidates
    if not candidates:
        raise CommandError("there is no legal move")
    return " ".join(vertex_text(session.position, move) for move in candidates[0].line)


def _search(session: Session) -> "SearchReport":
    """Return the last search of the current position; search as for a move if there is none."""
    report = session.search_here()
    if report is None:
        position = session.position.copy()
        engine = session.engine
        observer = SearchObserver(session, position)
        with session.input.stopping(StopOn.INTERRUPT, engine.stop):
            report = engine.analyze(position, session.settings.play.limit(), observer)
        observer.finish(report)
    return report

"""Analysis as Leela Zero and KataGo speak it, for Sabaki, Lizzie and their like."""

import time
from collections.abc import Callable

from tengen.board.colour import Colour
from tengen.board.position import Position
from tengen.gtp.moves import carry_out
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command, number, vertex_text
from tengen.search.limit import Limit
from tengen.search.report import Candidate, SearchReport

Line = Callable[[SearchReport, Position, "Options"], str]
DEFAULT_INTERVAL_S = 1.0
FLAGS = ("rootInfo", "ownership", "movesOwnership", "ownershipStdev", "pvVisits", "pvEdgeVisits")
"""What KataGo can be asked to add; what we have nothing to say of is left out."""
KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", *FLAGS)


class Options:
    """The arguments of an analysis command."""

    def __init__(self, session: Session, arguments: list[str]):
        self.colour = session.position.to_play
        self.interval_s = DEFAULT_INTERVAL_S
        self.most = 10**6
        self.allowed: set[int] | None = None
        self.avoided: set[int] = set()
        self.flags: set[str] = set()
        words = list(arguments)
        if words and words[0].lower() in ("b", "w", "black", "white"):
            self.colour = session.parse_colour(words.pop(0))
        if words and words[0].replace(".", "", 1).isdigit():
            self.interval_s = _centiseconds(words.pop(0))
        while words:
            self._take(session, words.pop(0), words)

    def _take(self, session: Session, key: str, words: list[str]) -> None:
        """Read one key and its values."""
        if key not in KEYS:
            raise GtpError(f"unknown key {key}: use {', '.join(KEYS)}")
        needed = 3 if key in ("avoid", "allow") else 1
        if len(words) < needed:
            raise GtpError(f"{key} wants {needed} values")
        values = [words.pop(0) for _ in range(needed)]
        if key == "interval":
            self.interval_s = _centiseconds(values[0])
        elif key == "maxmoves":
            self.most = max(int(number(values[0], "maxmoves N")), 1)
        elif key in ("avoid", "allow"):
            points = {session.parse_move(text) for text in values[1].split(",")}
            if session.parse_colour(values[0]) is self.colour and key == "avoid":
                self.avoided |= points
            elif session.parse_colour(values[0]) is self.colour:
                self.allowed = (self.allowed or set()) | points
        elif values[0].lower() == "true":
            self.flags.add(key)

    def moves(self, position: Position) -> list[int] | None:
        """Return the moves to look at, or None for all."""
        if self.allowed is None and not self.avoided:
            return None
        legal = position.legal_moves()
        wanted = self.allowed if self.allowed is not None else set(legal)
        return [move for move in legal if move in wanted and move not in self.avoided]


def _centiseconds(text: str) -> float:
    return max(number(text, "interval in centiseconds", float), 1.0) / 100


def _line_of(candidate: Candidate, position: Position) -> str:
    return " ".join(vertex_text(position, move) for move in candidate.line)


def lz_line(report: SearchReport, position: Position, options: Options) -> str:
    """Return one line of `lz-analyze`: whole numbers, times 10000."""
    parts = []
    for order, c in enumerate(_shown(report, options)):
        parts.append(
            f"info move {vertex_text(position, c.move)} visits {c.visits}"
            f" winrate {round(c.value * 10000)} prior {round(c.policy * 10000)}"
            f" lcb {round(c.lcb * 10000)} order {order} pv {_line_of(c, position)}"
        )
    return " ".join(parts)


def kata_line(report: SearchReport, position: Position, options: Options) -> str:
    """Return one line of `kata-analyze`: floats 0 to 1, from the side to move."""
    sign = 1 if position.to_play is Colour.BLACK else -1
    lead = sign * (float(report.ownership.sum()) - position.rules.white_bonus(position.handicap))
    parts = []
    for order, c in enumerate(_shown(report, options)):
        parts.append(
            f"info move {vertex_text(position, c.move)} visits {c.visits}"
            f" utility {2 * c.value - 1:.6f} winrate {c.value:.6f} scoreMean {lead:.6f}"
            f" scoreStdev 0.0 scoreLead {lead:.6f} scoreSelfplay {lead:.6f}"
            f" prior {c.policy:.6f} lcb {c.lcb:.6f} order {order} pv {_line_of(c, position)}"
        )
    if "rootInfo" in options.flags:
        parts.append(f"rootInfo visits {report.visits} winrate {report.value:.6f}")
        parts.append(f"scoreLead {lead:.6f}")
    if "ownership" in options.flags:
        owners = " ".join(f"{sign * value:.4f}" for value in report.ownership.flatten())
        parts.append(f"ownership {owners}")
    return " ".join(parts)


def _shown(report: SearchReport, options: Options) -> list[Candidate]:
    return [c for c in report.candidates if c.visits > 0][: options.most]


class Broadcast:
    """Writes a line at every interval while a search runs, and may stop it on input."""

    def __init__(
        self,
        session: Session,
        position: Position,
        options: Options,
        line: Line,
        heeds_input: bool = True,
    ):
        self._session = session
        self._heeds_input = heeds_input
        self._position = position
        self._options = options
        self._line = line
        self._next_s = time.monotonic() + options.interval_s

    def __call__(self, read: Callable[[], SearchReport]) -> None:
        """Be called between batches of simulations; `read` gives the state of the search."""
        if self._heeds_input and self._session.interrupted():
            self._session.engine.stop()
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + self._options.interval_s
            self.send(read())

    def send(self, report: SearchReport) -> None:
        """Write the present state."""
        self._session.write(self._line(report, self._position, self._options) + "\n")


def _analyse(session: Session, arguments: list[str], line: Line) -> str:
    """Search until the next input; the answer has begun already, so nothing is left to say."""
    options = Options(session, arguments)
    position = session.position.copy()
    position.to_play = options.colour
    broadcast = Broadcast(session, position, options, line)
    session.begin_reply()
    report = session.engine.analyse(position, Limit(), broadcast, options.moves(position))
    broadcast.send(report)
    return ""


def _move_and_analyse(session: Session, arguments: list[str], line: Line) -> str:
    """Choose a move and play it, telling what is thought; input does not interrupt it."""
    options = Options(session, arguments)
    position = session.position.copy()
    position.to_play = options.colour
    broadcast = Broadcast(session, position, options, line, heeds_input=False)
    session.begin_reply()
    begun_s = time.monotonic()
    decision = session.engine.think(position, session.clocks[options.colour], broadcast)
    if decision.report is not None:
        broadcast.send(decision.report)
    spent_s = time.monotonic() - begun_s
    session.write(f"play {carry_out(session, options.colour, decision, spent_s)}\n")
    return ""


@command("lz-genmove_analyze")
def lz_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it, with analysis in Leela Zero's words."""
    return _move_and_analyse(session, arguments, lz_line)


@command("kata-genmove_analyze")
def kata_genmove_analyze(session: Session, arguments: list[str]) -> str:
    """Choose a move and play it, with analysis in KataGo's words."""
    return _move_and_analyse(session, arguments, kata_line)


@command("lz-analyze")
def lz_analyze(session: Session, arguments: list[str]) -> str:
    """Analyse until interrupted, in Leela Zero's words."""
    return _analyse(session, arguments, lz_line)


@command("analyze")
def analyze(session: Session, arguments: list[str]) -> str:
    """Analyse until interrupted, as `lz-analyze`."""
    return _analyse(session, arguments, lz_line)


@command("kata-analyze")
def kata_analyze(session: Session, arguments: list[str]) -> str:
    """Analyse until interrupted, in KataGo's words."""
    return _analyse(session, arguments, kata_line)

"""The arguments of analysis commands: `[colour] [interval] [key value]...`, in any order."""

from tengen.board.colour import Colour
from tengen.engine.move_limits import MoveLimits
from tengen.gtp.arguments import number
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session
from tengen.search.report import Candidate, SearchReport

DEFAULT_INTERVAL_S = 1.0
COLOURS = ("b", "w", "black", "white")
FLAGS = (
    "rootInfo",
    "ownership",
    "movesOwnership",
    "pvVisits",
    "pvEdgeVisits",
    "ownershipStdev",
    "movesOwnershipStdev",
    "noResultValue",
)
"""What KataGo can be asked to add. Of the deviations, and of games without a result, we have
nothing to say: they stay out."""
KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", *FLAGS)
VALUES = {"avoid": 3, "allow": 3}
"""How many values follow a key, where it is not one."""


class Options:
    """The arguments of an analysis command."""

    def __init__(self, session: Session, arguments: list[str]):
        """Read them; raise GtpError for what makes no sense."""
        self.colour = session.position.to_play
        self.interval_s = DEFAULT_INTERVAL_S
        self.fewest = 0
        self.most = 10**6
        self.flags: set[str] = set()
        self.limits = MoveLimits()
        self._limits: list[tuple[str, Colour, list[int]]] = []
        words = list(arguments)
        while words:
            self._take(session, words.pop(0), words)
        self._limit_moves()

    def _take(self, session: Session, key: str, words: list[str]) -> None:
        """Read a colour, an interval, or a key and its values."""
        if key.lower() in COLOURS:
            self.colour = session.parse_colour(key)
            return
        if key.replace(".", "", 1).isdigit():
            self.interval_s = _centiseconds(key)
            return
        if key not in KEYS:
            raise GtpError(f"unknown key {key}: use {', '.join(KEYS)}")
        needed = VALUES.get(key, 1)
        if len(words) < needed:
            raise GtpError(f"{key} wants {needed} value{'s' * (needed > 1)}")
        values = [words.pop(0) for _ in range(needed)]
        if key == "interval":
            self.interval_s = _centiseconds(values[0])
        elif key == "minmoves":
            self.fewest = int(number(values[0], "minmoves N"))
        elif key == "maxmoves":
            self.most = max(int(number(values[0], "maxmoves N")), 1)
        elif key in ("avoid", "allow"):
            self._limits.append(_limit(session, key, values))
        elif values[0].lower() == "true":
            self.flags.add(key)

    def _limit_moves(self) -> None:
        """Heed `avoid` and `allow` for the side to move, which may have been named after them."""
        for key, colour, points in self._limits:
            if colour is self.colour:
                limit = self.limits.avoiding if key == "avoid" else self.limits.allowing
                self.limits = limit(points)

    def shown(self, report: SearchReport) -> list[Candidate]:
        """Return the candidates to tell of."""
        candidates = self.limits.shown(report.candidates)
        visited = sum(candidate.visits > 0 for candidate in candidates)
        return candidates[: min(max(visited, self.fewest), self.most)]


def _limit(session: Session, key: str, values: list[str]) -> tuple[str, Colour, list[int]]:
    """Read the moves of `avoid` or `allow`; they hold at the root, whatever the depth says."""
    colour = session.parse_colour(values[0])
    points = [session.parse_move(text) for text in values[1].split(",")]
    number(values[2], f"{key} COLOUR VERTEX,VERTEX,... DEPTH")
    return key, colour, points


def _centiseconds(text: str) -> float:
    return max(number(text, "interval in centiseconds", float), 1.0) / 100

"""A game on the page: a tree, a place in it, clocks, a score. It knows no network and no engine."""

import time
from dataclasses import dataclass, field
from enum import IntEnum

from tengen.board.colour import Colour
from tengen.board.points import PASS, parse_vertex
from tengen.board.position import IllegalMoveError, Move, Position
from tengen.core.errors import TengenError
from tengen.playout.judge import Judgement, Status, judge_with_dead
from tengen.records.result import Ending, Result
from tengen.web.clocks import Clocks
from tengen.web.markup import markup_at
from tengen.web.messages import Json
from tengen.web.setting import WATCHING, Seats
from tengen.web.tree import ROOT, GameTree

LONGEST_COMMENT = 100_000


class Phase(IntEnum):
    """What a game is at."""

    PLAY = 0
    SCORE = 1
    """The dead stones are talked over."""
    OVER = 2


@dataclass
class WebGame:
    """One game and the node that is looked at."""

    tree: GameTree
    seats: Seats
    result: str = ""
    judgement: Judgement | None = None
    """What the score is; set while dead stones are talked over and afterwards."""
    judged_at: int = ROOT
    """The node of that score."""
    at: int = ROOT
    clocks: Clocks = field(init=False)
    position: Position = field(init=False)
    _tried: set[int] = field(default_factory=set)
    """Nodes that the person made for the engine's colour: variations, and so is what follows."""
    _played_on: set[int] = field(default_factory=set)
    """Second passes after which the game was played on: they count no more."""

    def __post_init__(self) -> None:
        self.position = self.tree.position(self.at)
        self._recorded = self.tree.record.root.text("RE") or ""
        self._start_clocks_anew()

    def _start_clocks_anew(self) -> None:
        self.clocks = Clocks(self.seats.time, time.monotonic(), self.position.to_play)

    # Where we are

    @property
    def phase(self) -> Phase:
        """What the game is at."""
        if self.result:
            return Phase.OVER
        return Phase.SCORE if self.judgement is not None else Phase.PLAY

    @property
    def is_engines_turn(self) -> bool:
        """Whether the engine plays the side to move of a game that goes on."""
        return not self.have_both_passed and self.is_engines_place

    @property
    def is_engines_place(self) -> bool:
        """Whether the side to move is the engine's, passes or not, and nothing is scored."""
        return self.phase is Phase.PLAY and self.seats.is_engine(self.position.to_play)

    @property
    def have_both_passed(self) -> bool:
        """Whether two passes end the game here, of which none was played on after."""
        last_two = {self.at, self.tree.place(self.at).parent}
        return self.position.is_over and self._played_on.isdisjoint(last_two)

    @property
    def has_engine_resigned(self) -> bool:
        """Whether the engine has given up where we are: asked again it would again."""
        to_play = self.position.to_play
        given_up = str(Result(to_play.opponent, None, Ending.RESIGNATION))
        return self.seats.is_engine(to_play) and self.result == given_up

    def go_to(self, number: int) -> None:
        """Look at another node; raise TengenError if the way to it is illegal."""
        self.position = self.tree.position(number)
        self.at = number
        if self.phase is not Phase.OVER:
            self.judgement = None

    # Playing

    def play(self, vertex: str) -> None:
        """Play a move for the side to play; raise TengenError if it cannot be.

        What was played last is the main line. Moves that are tried are variations: in a game that
        was opened or is over, and for the engine's colour.
        """
        self.check_not_scored()
        move = parse_vertex(vertex, self.position.rows, self.position.columns)
        self.play_move(move, is_tried=self.seats.is_engine(self.position.to_play))

    def check_not_scored(self) -> None:
        """Raise TengenError while dead stones are talked over."""
        if self.phase is Phase.SCORE:
            raise TengenError("the game is being scored: agree, or play on")

    def play_move(self, move: int, is_tried: bool = False) -> None:
        """Play a point or PASS, as `play` does; one that is only tried costs no time."""
        position, mover = self.position.copy(), self.position.to_play
        try:
            position.play(move)
        except IllegalMoveError:
            raise TengenError(self._why_illegal(move)) from None
        self.at, is_new = self.tree.add(self.at, Move(mover, move))
        self.position = position
        self._played_on.discard(self.at)
        if is_tried and is_new and self.at not in self.tree.main_line():
            self._tried.add(self.at)
        if self.result:
            return
        self.judgement = None
        if not is_tried:
            self._lead()
            if not self.clocks.press(mover, time.monotonic()):
                self.lose(mover, Ending.TIME)

    def _lead(self) -> None:
        """Make the way here the main line, unless it is one to try."""
        if self.seats is not WATCHING and self._tried.isdisjoint(self.tree.path(self.at)):
            self.tree.lead_to(self.at)

    def _why_illegal(self, move: int) -> str:
        vertex = self.position.vertex(move)
        if self.position.colour(move):
            return f"{vertex} is taken"
        return f"{vertex} is not allowed: ko or suicide"

    def undo(self) -> None:
        """Take the result back; if there is none, go to before the last move of the person.

        What was played stays a variation.
        """
        if self.result:
            self._take_result_back()
            return
        for number in reversed(self.tree.path(self.at)):
            move = self.tree.move_at(number)
            parent = self.tree.place(number).parent
            if move is not None and parent is not None and move.colour in self._takers():
                self.judgement = None
                self.go_to(parent)
                self.clocks.running = None
                self.clocks.start(self.position.to_play, time.monotonic())
                return
        raise TengenError("there is no move of yours to take back")

    def _take_result_back(self) -> None:
        """Go on from where we are; a score that was agreed with here is talked over again."""
        was_on_time = self.result.endswith("+T")
        self.set_result("")
        if self.at != self.judged_at:
            self.judgement = None
        if was_on_time:
            self._start_clocks_anew()
        elif self.phase is Phase.PLAY:
            self.clocks.start(self.position.to_play, time.monotonic())

    def _takers(self) -> frozenset[Colour]:
        return self.seats.person or frozenset(Colour)

    def lose(self, colour: Colour, ending: Ending) -> None:
        """End the game with a loss of one side: resignation or time."""
        self.set_result(str(Result(colour.opponent, None, ending)))

    def set_result(self, result: str) -> None:
        """Set or clear the result, in the record too; the clocks stand still at an end.

        When it is cleared, the record has the one again that it came with.
        """
        self.result = result
        self.tree.write(ROOT, "RE", result or self._recorded)
        if result:
            self.clocks.stop(time.monotonic())

    def comment(self, number: int, text: str) -> None:
        """Write a comment at a node; raise TengenError."""
        if len(text) > LONGEST_COMMENT:
            raise TengenError(f"a comment of {len(text):,} characters is too long")
        self.tree.write(number, "C", text if text.strip() else "")

    # Scoring

    def take_score(self, judgement: Judgement) -> None:
        """Show a score of the present node, to be talked over."""
        self.judgement, self.judged_at = judgement, self.at

    def play_on(self) -> None:
        """Drop the score; after two passes it takes two more to be scored again."""
        if self.have_both_passed:
            self._played_on.add(self.at)
        self.judgement = None

    def mark(self, vertex: str) -> None:
        """Call the chain at a vertex dead, or alive again; raise TengenError."""
        if self.judgement is None or self.phase is Phase.OVER:
            raise TengenError("the game is not being scored")
        point = parse_vertex(vertex, self.position.rows, self.position.columns)
        chain = set() if point == PASS else set(self.position.chain(point))
        if not chain:
            raise TengenError(f"there is no stone on {vertex.upper()}")
        marked = _stones(self.judgement, Status.DEAD)
        dead = marked - chain if point in marked else marked | chain
        seki = _stones(self.judgement, Status.SEKI) - chain
        self.judgement = judge_with_dead(self.position, dead, seki)

    def accept(self) -> None:
        """Make the score the result."""
        if self.judgement is None:
            raise TengenError("there is no score to agree with")
        self.set_result(self.judgement.result)

    # For the page

    def about(self) -> Json:
        """Return what stays the same while a game is played."""
        record, rules = self.tree.record, self.tree.rules
        return {
            "rows": record.rows,
            "columns": record.columns,
            "black": " ".join(filter(None, [record.black, record.black_rank])),
            "white": " ".join(filter(None, [record.white, record.white_rank])),
            "rules": record.rules.name,
            "scoring": rules.scoring.name.lower(),
            "komi": rules.komi,
            "handicap": record.handicap,
            "colour": self.seats.name,
            "level": self.seats.level,
            "watching": self.seats is WATCHING,
        }

    def state(self) -> Json:
        """Return the present node and everything that changes in a game."""
        position = self.position
        last = position.last_move
        return {
            "node": self.at,
            "changes": self.tree.changes,
            "board": position.diagram().split("\n"),
            "to_play": position.to_play.name.lower(),
            "last": None if last is None else position.vertex(last),
            "move": len(self.tree.path(self.at)) - 1,
            "prisoners": {c.name.lower(): position.prisoners(c) for c in Colour},
            "comment": self.tree.place(self.at).node.comment,
            "marks": markup_at(self.tree, self.at),
            "phase": self.phase.name.lower(),
            "passes": self.have_both_passed,
            "result": self.result or self.tree.record.result_text,
            "clocks": self.clocks.as_dict(time.monotonic()),
            "score": self._score(),
        }

    def _score(self) -> Json | None:
        judgement = self.judgement
        if judgement is None or self.at != self.judged_at:
            return None
        counts = {c.name.lower(): judgement.points[c] for c in Colour}
        position, dead = self.position, sorted(_stones(judgement, Status.DEAD))
        return {
            "dead": [position.vertex(point) for point in dead],
            "owner": ["".join(".XO"[owner] for owner in row) for row in judgement.owner],
            "result": judgement.result,
            "compensation": position.rules.white_bonus(position.handicap) - position.rules.komi,
            **counts,
        }


def _stones(judgement: Judgement, status: Status) -> set[int]:
    return {stone for chain in judgement.stones(status) for stone in chain}

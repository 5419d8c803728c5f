"""Go problems: which moves of a problem file are right, and the state of an attempt.

A file marks right and wrong variations in comments, node names or properties. The last mark on the
path of a variation applies. Without any mark, the main line is the solution.
"""

import hashlib
import re
from enum import StrEnum

from tengen.board import PASS, Color, IllegalMoveError, Move, Position, parse_vertex
from tengen.records import GameRecord, parse_points
from tengen.util import TengenError
from tengen.web.tree import ROOT, GameTree

_WRONG = re.compile(
    r"\b(?:wrong|incorrect|not\s+(?:right|correct)|falsch|faux|mauvais)\b|^\W*fail(?:ure|ed|s)?\b"
    r"|不正解|失敗|失败|错误|錯誤|오답|실패",
    re.IGNORECASE | re.MULTILINE,
)
_RIGHT = re.compile(
    r"(?-i:\bRIGHT\b)|^\W*(?:that's\s+)?right\b\W*$|\bcorrect\b|^\W*success\b|\brichtig\b|\bjuste\b"
    r"|正解|正确|正確|成功|정답|성공",
    re.IGNORECASE | re.MULTILINE,
)
MARKS = ("TR", "SQ", "CR", "MA", "SL")
"""Properties that mark points."""
REGION_MARGIN = 1
"""Points around the stones of a problem that belong to its region."""
NEAR_EDGE = 2
"""A region that comes this close to an edge extends to it."""
MAX_REGION_SHARE = 0.75
"""A larger region does not restrict the search."""
KEY_LENGTH = 16


class Status(StrEnum):
    """The state of an attempt."""

    OPEN = "open"
    CHECKING = "checking"
    """The engine judges a move or looks for an answer."""
    RIGHT = "right"
    WRONG = "wrong"
    OTHER = "other"
    """Not in the file, but as good as the best move according to the engine."""
    SHOWN = "shown"
    """The solution is shown."""
    FREE = "free"
    """The problem is played out against the engine."""


def text_verdict(text: str) -> bool | None:
    """Return whether a comment or node name calls a variation right or wrong; None for neither."""
    if _WRONG.search(text):
        return False
    return True if _RIGHT.search(text) else None


class Problem:
    """The tree of a problem, with its right and wrong variations."""

    def __init__(self, record: GameRecord):
        """Raise TengenError if the record is no problem that can be shown."""
        self.tree = GameTree(record)
        self.start = self._find_start()
        self.file_nodes = frozenset(self.tree.subtree(self.start))
        self.position = self._start_position()
        self.color = self.position.to_play
        """The side that solves the problem."""
        self._is_good = self._judge_nodes()

    def _find_start(self) -> int:
        """Return the last node before the first move."""
        node = ROOT
        while len(children := self.tree.node(node).children) == 1:
            if self.tree.move_at(children[0]) is not None:
                break
            node = children[0]
        return node

    def _start_position(self) -> Position:
        position = self.tree.position(self.start)
        moves = filter(None, map(self.tree.move_at, self.tree.node(self.start).children))
        first = next(moves, None)
        if first is not None:
            position.to_play = first.color
        if not position.legal_moves():
            raise TengenError("the problem has no legal move")
        return position

    def position_at(self, number: int) -> Position:
        """Return the position at a node after the start."""
        path = self.tree.path(number)
        moves = filter(None, map(self.tree.move_at, path[path.index(self.start) + 1 :]))
        position = self.position.copy()
        position.play_sequence(list(moves))
        return position

    @property
    def key(self) -> str:
        """An identifier of position and side to move, under which progress is stored."""
        text = f"{self.position.diagram()} {self.color.letter}"
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    @property
    def has_solution(self) -> bool:
        """Whether the file has moves."""
        return len(self.file_nodes) > 1

    def is_good(self, number: int) -> bool:
        """Return whether a node of the file can lead to a right end."""
        return self._is_good[number]

    def _mark(self, number: int) -> bool | None:
        """Return the verdict that a node contains on the variation up to it."""
        node = self.tree.node(number).sgf
        for property_, winner in (("GB", Color.BLACK), ("GW", Color.WHITE)):
            if property_ in node.properties:
                return winner is self.color
        move = self.tree.move_at(number)
        if move is not None and move.color is self.color:
            if "TE" in node.properties:
                return True
            if "BM" in node.properties or "WV" in node.properties:
                return False
        return text_verdict(f"{node.text('N') or ''}\n{node.comment}")

    def _judge_nodes(self) -> dict[int, bool]:
        """Return for each node of the file whether a right end is below it."""
        order = list(self.tree.subtree(self.start))
        last_mark: dict[int, bool | None] = {self.start: None}
        marks: set[bool] = set()
        for number in order[1:]:
            mark, parent = self._mark(number), self.tree.node(number).parent
            assert parent is not None
            marks |= set() if mark is None else {mark}
            last_mark[number] = last_mark[parent] if mark is None else mark
        main_end = self.tree.line(self.start)[-1]
        good: dict[int, bool] = {}
        for number in reversed(order):
            children = self.tree.node(number).children
            if children:
                good[number] = any(good[child] for child in children)
            elif last_mark[number] is not None:
                good[number] = bool(last_mark[number])
            else:
                good[number] = not marks - {False} and (bool(marks) or number == main_end)
        return good

    def child(self, number: int, move: Move) -> int | None:
        """Return the child of a node of the file with a move, or None."""
        for child in self.tree.node(number).children:
            if child in self.file_nodes and self.tree.move_at(child) == move:
                return child
        return None

    def answer(self, number: int, prefer_good: bool) -> int | None:
        """Return the first continuation in the file, if wanted the first one that is good."""
        children = [child for child in self.tree.node(number).children if child in self.file_nodes]
        good = [child for child in children if self._is_good[child]] if prefer_good else []
        return next(iter(good or children), None)

    def line(self, number: int, prefer_good: bool) -> list[int]:
        """Return the moves of the file after a node; of the solution if `prefer_good`."""
        moves: list[int] = []
        step = self.answer(number, prefer_good)
        while step is not None:
            move = self.tree.move_at(step)
            moves += [] if move is None else [move.move]
            step = self.answer(step, prefer_good)
        return moves

    def region(self) -> frozenset[int] | None:
        """Return the points at which the problem is played, or None if that is the whole board.

        Marked points if the file has no moves, otherwise the surroundings of the stones.
        """
        position, node = self.position, self.tree.node(self.start).sgf
        values = [value for name in MARKS for value in node.properties.get(name, ())]
        if values and not self.has_solution:
            marked = [
                parse_points(value, position.rows, position.columns) or [] for value in values
            ]
            return frozenset(point for points in marked for point in points) or None
        grid = position.board() != 0
        if not grid.any():
            return None
        low, high = [], []
        for axis, size in enumerate((position.rows, position.columns)):
            used = grid.any(axis=1 - axis).nonzero()[0]
            first, last = int(used[0]) - REGION_MARGIN, int(used[-1]) + REGION_MARGIN
            low.append(0 if first <= NEAR_EDGE else first)
            high.append(size - 1 if last >= size - 1 - NEAR_EDGE else last)
        area = (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
        if area > MAX_REGION_SHARE * position.rows * position.columns:
            return None
        points = position.points()
        return frozenset(
            points[row * position.columns + column]
            for row in range(low[0], high[0] + 1)
            for column in range(low[1], high[1] + 1)
        )

    def allowed(self, position: Position) -> list[int] | None:
        """Return the legal moves in the region, or None if all moves are allowed."""
        region = self.region()
        if region is None:
            return None
        return [move for move in position.legal_moves() if move in region] or None


class Attempt:
    """One attempt at a problem: the current node and the verdict so far."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.node = problem.start
        self.position = problem.position.copy()
        self.status = Status.OPEN
        self.line: list[int] = []
        """Moves to show after the current position: a refutation or the solution."""
        self.is_from_engine = False
        self.points_loss: float | None = None
        self._before: int | None = None
        """The node before the last move that was tried."""

    def go_to(self, number: int, status: Status) -> None:
        """Go to a node and clear what was shown."""
        self.node, self.status = number, status
        self.position = self.problem.position_at(number)
        self.line, self.is_from_engine, self.points_loss = [], False, None

    def retry(self) -> None:
        """Go back before the last move tried, or to the start."""
        before = self._before if self.status in (Status.WRONG, Status.OTHER) else None
        self._before = None
        self.go_to(self.problem.start if before is None else before, Status.OPEN)

    def play_out(self) -> None:
        """Continue against the engine from here."""
        self.go_to(self.node, Status.FREE)

    def play(self, vertex: str) -> None:
        """Try a move: judge it by the file, or leave it for the engine (`Status.CHECKING`).

        Raise TengenError if the move is illegal or the problem is solved.
        """
        if self.status is Status.RIGHT:
            raise TengenError("the problem is solved: play it out, or go to the next one")
        if self.status is Status.CHECKING:
            raise TengenError("the engine is thinking: wait a moment")
        if self.status in (Status.WRONG, Status.OTHER, Status.SHOWN):
            self.retry()
        problem, position = self.problem, self.position
        point = parse_vertex(vertex, position.rows, position.columns)
        self._check_legal(point)
        move = Move(position.to_play, point)
        child = problem.child(self.node, move) if self.node in problem.file_nodes else None
        before, is_free = self.node, self.status is Status.FREE
        number = problem.tree.add(self.node, move)[0] if child is None else child
        self.go_to(number, Status.CHECKING)
        self._before = before
        if child is not None and not is_free:
            self._follow_file(child)

    def _check_legal(self, point: int) -> None:
        try:
            self.position.copy().play(point)
        except IllegalMoveError:
            vertex = self.position.vertex(point)
            raise TengenError(f"{vertex} is illegal: occupied, ko or suicide") from None

    def _follow_file(self, child: int) -> None:
        """Judge a move of the file; after a good one, play the answer."""
        problem = self.problem
        if not problem.is_good(child):
            self.status, self.line = Status.WRONG, problem.line(child, prefer_good=False)
            return
        answer = problem.answer(child, prefer_good=True)
        if answer is None:
            self.status = Status.RIGHT
            return
        is_last = problem.answer(answer, prefer_good=True) is None
        self.go_to(answer, Status.RIGHT if is_last else Status.OPEN)

    @property
    def needs_refutation(self) -> bool:
        """Whether the file calls the last move wrong without an answer to it."""
        return self.status is Status.WRONG and not self.line and not self.is_from_engine

    def show_solution(self) -> None:
        """Show the right line of the file from the start."""
        line = self.problem.line(self.problem.start, prefer_good=True)
        self.go_to(self.problem.start, Status.SHOWN)
        self.line = line

    def position_before(self) -> Position:
        """Return the position before the last move that was tried."""
        parent = self.problem.tree.node(self.node).parent
        assert parent is not None
        return self.problem.position_at(parent)

    def answer_freely(self, move: int) -> None:
        """Play the engine's answer while the problem is played out."""
        number, _ = self.problem.tree.add(self.node, Move(self.position.to_play, move))
        self.go_to(number, Status.FREE)

    def judge(self, status: Status, loss: float | None, refutation: list[int]) -> None:
        """Set the engine's verdict about the last move."""
        self.status, self.points_loss = status, loss
        self.line, self.is_from_engine = refutation, True


def cut_line(line: list[int], region: frozenset[int] | None) -> list[int]:
    """Return a line up to its first move outside the region, or its first pass."""
    for index, move in enumerate(line):
        if move == PASS or (region is not None and move not in region):
            return line[:index]
    return line

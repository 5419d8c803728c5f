"""Slow reference solver: sets of points, plain recursion, explicit history."""

from functools import cache

Board = tuple[int, int]
"""Black's and White's stones as bits."""


class Oracle:
    """Go on a small board: area scoring, positional superko, no suicide, two passes end it."""

    def __init__(self, rows: int, columns: int):
        self.points = rows * columns
        cells = [(row, column) for row in range(rows) for column in range(columns)]
        self.near = [
            [cells.index((r, c)) for r, c in self._around(row, column) if (r, c) in cells]
            for row, column in cells
        ]
        self.children = cache(self._children)

    @staticmethod
    def _around(row: int, column: int) -> list[tuple[int, int]]:
        return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]

    def region(self, start: int, color_of) -> tuple[set[int], set[int]]:
        """Return the points of one color connected to a point, and the colors around them."""
        seen, border, waiting = {start}, set(), [start]
        while waiting:
            for point in self.near[waiting.pop()]:
                if color_of(point) != color_of(start):
                    border.add(color_of(point))
                elif point not in seen:
                    seen.add(point)
                    waiting.append(point)
        return seen, border

    @staticmethod
    def color_at(board: Board, point: int) -> int:
        return (board[0] >> point & 1) + 2 * (board[1] >> point & 1)

    def score(self, board: Board) -> int:
        total = 0
        for point in range(self.points):
            color = self.color_at(board, point)
            if color == 0:
                _, border = self.region(point, lambda p: self.color_at(board, p))
                color = border.pop() if len(border) == 1 else 0
            total += (0, 1, -1)[color]
        return total

    def _children(self, board: Board, side: int) -> list[Board]:
        """Return the boards after each move except suicide, center first."""
        boards = [self.after(board, side, point) for point in self.by_center()]
        return [child for child in boards if child is not None]

    def by_center(self) -> list[int]:
        return sorted(range(self.points), key=lambda point: -len(self.near[point]))

    def after(self, board: Board, side: int, point: int) -> Board | None:
        if self.color_at(board, point):
            return None
        colors = [self.color_at(board, p) for p in range(self.points)]
        colors[point] = side + 1
        for other in self.near[point]:
            if colors[other] == 2 - side:
                chain, border = self.region(other, lambda p: colors[p])
                if 0 not in border:
                    for stone in chain:
                        colors[stone] = 0
        _, border = self.region(point, lambda p: colors[p])
        if 0 not in border:
            return None
        black = sum(1 << p for p, color in enumerate(colors) if color == 1)
        return black, sum(1 << p for p, color in enumerate(colors) if color == 2)

    def minimax(
        self, board: Board = (0, 0), side: int = 0, passes: int = 0, past=frozenset()
    ) -> int:
        """Return Black's value without any pruning."""
        if passes == 2:
            return self.score(board)
        past = past | {board}
        values = [self.minimax(board, 1 - side, passes + 1, past)]
        values += [
            self.minimax(child, 1 - side, 0, past)
            for child in self.children(board, side)
            if child not in past
        ]
        return max(values) if side == 0 else min(values)


class ProofOracle(Oracle):
    """Proof search for one value, with results keyed by position and whole history."""

    PROVED = 10**6

    def is_value(self, value: int, boards=((0, 0),), side: int = 0, passes: int = 0) -> bool:
        """Return whether a value is proved as lower and as upper bound after these boards."""
        return all(self.proves(value, prover, boards, side, passes) for prover in (0, 1))

    def proves(self, value: int, prover: int, boards, side: int, passes: int) -> bool:
        """Return whether Black (0) gets at least, or White (1) concedes at most, a value."""
        self.value, self.prover = value, prover
        self.known: dict[tuple, int] = {}
        self.numbers: dict[Board, int] = {}
        past = 0
        for board in boards:
            past |= self.bit(board)
        start = (boards[-1], side, passes, past)
        return any(self.reaches(*start, depth) for depth in range(4, 100, 4))

    def bit(self, board: Board) -> int:
        """Return the bit that represents a board in a history."""
        return 1 << self.numbers.setdefault(board, len(self.numbers))

    def holds(self, board: Board) -> bool:
        score = self.score(board)
        return score >= self.value if self.prover == 0 else score <= self.value

    def reaches(self, board: Board, side: int, passes: int, past: int, depth: int) -> bool:
        """Return whether the prover reaches the value; at the horizon it does not."""
        if passes == 2:
            return self.holds(board)
        if passes == 1 and side == self.prover and self.holds(board):
            return True  # passing ends the game
        past |= self.bit(board)
        key = (board, side, passes, past)
        looked = self.known.get(key, 0)
        if looked >= depth or depth <= 0:
            return looked == self.PROVED
        children = [(c, 0) for c in self.children(board, side) if not self.bit(c) & past]
        children.append((board, passes + 1))
        if side == self.prover:
            costs = [2 if i else 0 for i in range(len(children))]
            found = any(map(self.reaches, *self._arguments(children, side, past, depth, costs)))
        else:
            costs = [len(children).bit_length() - 1] * len(children)
            found = all(map(self.reaches, *self._arguments(children, side, past, depth, costs)))
        self.known[key] = self.PROVED if found else depth
        return found

    def _arguments(self, children, side, past, depth, costs):
        boards, passes = zip(*children, strict=True)
        count = len(children)
        return boards, [1 - side] * count, passes, [past] * count, [depth - c for c in costs]


class RuleOracle(ProofOracle):
    """Proof search for one value under a rule for repetitions, keyed by the whole history.

    Under the draw rule a state is the board, the side to move and the board banned by simple ko.
    """

    def __init__(self, rows: int, columns: int, rule: str):
        super().__init__(rows, columns)
        self.rule = rule

    def proves(self, value: int, prover: int, boards=((0, 0),), side: int = 0, passes: int = 0):
        self.value, self.prover = value, prover
        self.known: dict[tuple, int] = {}
        self.numbers: dict[tuple, int] = {}
        start = (boards[-1], side, passes, 0, None)
        return any(self.reaches_after(*start, depth) for depth in range(4, 100, 4))

    def token(self, board: Board, side: int, banned: Board | None) -> tuple:
        """Return what must not be equal in two positions of a game."""
        states = {
            "positional": (board,),
            "situational": (board, side),
            "draw": (board, side, banned),
        }
        return states[self.rule]

    def reaches_after(self, board, side, passes, past, banned, depth) -> bool:
        """Return whether the prover reaches the value; at the horizon it does not."""
        if passes == 2 or (passes == 1 and side == self.prover and self.holds(board)):
            return self.holds(board)
        past |= self.bit(self.token(board, side, banned))
        key = (board, side, passes, past, banned)
        looked = self.known.get(key, 0)
        if looked >= depth or depth <= 0:
            return looked == self.PROVED
        moves = [*self.replies(board, side, past, banned), (board, passes + 1, None, False)]
        is_prover = side == self.prover
        found = not is_prover
        for index, (child, child_passes, ban, is_draw) in enumerate(moves):
            cost = (2 if index else 0) if is_prover else len(moves).bit_length() - 1
            if is_draw:
                result = self.value <= 0 if self.prover == 0 else self.value >= 0
            else:
                result = self.reaches_after(child, 1 - side, child_passes, past, ban, depth - cost)
            if result == is_prover:
                found = result
                break
        self.known[key] = self.PROVED if found else depth
        return found

    def replies(self, board, side, past, banned):
        """Yield each legal move: the board, no passes, the banned board, whether it is a draw."""
        for child in self.children(board, side):
            if self.rule == "draw" and child == banned:
                continue
            ban = board if self.rule == "draw" and board in self.children(child, 1 - side) else None
            is_repeated = bool(self.bit(self.token(child, 1 - side, ban)) & past)
            if not is_repeated or self.rule == "draw":
                yield child, 0, ban, is_repeated

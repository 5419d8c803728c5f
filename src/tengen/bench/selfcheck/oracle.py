"""A simple, slow Go board: the reference for the kernels."""

from dataclasses import dataclass, field

Point = tuple[int, int]
"""Row and column."""
Situation = tuple[object, ...]


@dataclass
class OracleBoard:
    """A board as a dictionary of stones, with the history of all situations.

    `ko_rule` is simple, positional or situational; colors are 1 (Black) and 2 (White).
    """

    rows: int
    columns: int
    ko_rule: str = "positional"
    suicide: bool = False
    stones: dict[Point, int] = field(default_factory=dict)
    to_play: int = 1
    ko: Point | None = None
    history: list[Situation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.history.append(self.situation())

    def situation(self) -> Situation:
        """Return what superko forbids to repeat."""
        stones = tuple(sorted(self.stones.items()))
        return (stones, self.to_play) if self.ko_rule == "situational" else (stones,)

    def points(self) -> list[Point]:
        """Return all points in board order."""
        return [(row, column) for row in range(self.rows) for column in range(self.columns)]

    def neighbors(self, point: Point) -> list[Point]:
        """Return the adjacent points."""
        row, column = point
        around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
        return [(r, c) for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns]

    def connected(self, point: Point) -> set[Point]:
        """Return the points of the same color connected to `point`."""
        found, front = {point}, [point]
        while front:
            for other in self.neighbors(front.pop()):
                if other not in found and self.stones.get(other) == self.stones.get(point):
                    found.add(other)
                    front.append(other)
        return found

    def liberties(self, point: Point) -> set[Point]:
        """Return the liberties of the chain at `point`."""
        chain = self.connected(point)
        return {n for stone in chain for n in self.neighbors(stone) if n not in self.stones}

    def _after(self, point: Point) -> tuple[dict[Point, int], set[Point]]:
        """Return the stones after a move of the side to move, and the captured stones."""
        trial = OracleBoard(self.rows, self.columns, stones=dict(self.stones))
        trial.stones[point] = self.to_play
        captured: set[Point] = set()
        for other in self.neighbors(point):
            if trial.stones.get(other) == 3 - self.to_play and not trial.liberties(other):
                captured |= trial.connected(other)
        for stone in captured:
            del trial.stones[stone]
        if not trial.liberties(point):
            for stone in trial.connected(point):
                del trial.stones[stone]
        return trial.stones, captured

    def is_legal(self, point: Point) -> bool:
        """Return whether the side to move may play at `point`."""
        if point in self.stones:
            return False
        after, _ = self._after(point)
        if not self.suicide and point not in after:
            return False
        if self.ko_rule == "simple":
            return point != self.ko
        stones = tuple(sorted(after.items()))
        situation = (stones, 3 - self.to_play) if self.ko_rule == "situational" else (stones,)
        return situation not in self.history

    def play(self, point: Point | None) -> None:
        """Play a legal move, or pass."""
        self.ko = None
        if point is not None:
            self.stones, captured = self._after(point)
            alone = point in self.stones and len(self.connected(point)) == 1
            if len(captured) == 1 and alone and self.liberties(point) == captured:
                self.ko = next(iter(captured))
        self.to_play = 3 - self.to_play
        self.history.append(self.situation())

    def area(self) -> int:
        """Return Black's area minus White's, Tromp-Taylor."""
        total = 0
        for point in self.points():
            if point in self.stones:
                owners = {self.stones[point]}
            else:
                region = self.connected(point)
                owners = {
                    self.stones[n]
                    for empty in region
                    for n in self.neighbors(empty)
                    if n in self.stones
                }
            total += (owners == {1}) - (owners == {2})
        return total

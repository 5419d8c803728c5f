"""Positions for the gallery, from games: common ones of the fuseki, and where the centre calls."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tengen.board.colour import BLACK, WHITE, Colour
from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.board.symmetry import symmetries
from tengen.knowledge.bigmove import BigMove
from tengen.records.game import GameRecord, lenient

COMMON_AT = (4, 6, 8, 12)
"""How many moves common positions may have."""
LATE = range(40, 90, 5)
"""Where to look for the end of the fuseki."""
CENTRE_LINE = 8
"""Figure 19: the middle of the board is its eighth to tenth line."""


@dataclass
class Found:
    """A position and what experts played there, by vertex."""

    name: str
    diagram: str
    to_play: Colour
    played: Counter[str] = field(default_factory=Counter)

    def position(self) -> Position:
        """Return the position, without its history."""
        return Position.from_diagram(self.diagram, self.to_play)

    def experts(self) -> str:
        """Return what was played there, the commonest first."""
        return ", ".join(f"{vertex} {count}" for vertex, count in self.played.most_common(6))


def line_of(position: Position, point: int) -> int:
    """Return the line of a point, counted from the nearest edge."""
    row, column = row_of(point), column_of(point)
    return 1 + min(row, column, position.rows - 1 - row, position.columns - 1 - column)


def look_for(games: Iterable[GameRecord], common: int, late: int) -> list[Found]:
    """Return so many common positions, and so many late ones where p1, p2 and p3 agree on the
    centre."""
    seen: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    centred: list[Found] = []
    for game in games:
        for number, position, move in _moments(game, COMMON_AT):
            diagram, vertex = _turned(position, move)
            seen[f"{number}\n{diagram}", int(position.to_play)][vertex] += 1
        if len(centred) < late:
            centred += _centred(game, len(centred) + 1)
    return [*_commonest(seen, common), *centred[:late]]


def _moments(game: GameRecord, numbers: Iterable[int]) -> Iterator[tuple[int, Position, int]]:
    """Yield (number, position, next move) at some moves of a game."""
    position, played = game.start(lenient(game.rules)), 0
    for number in numbers:
        if number >= len(game.moves):
            return
        position.play_sequence(game.moves[played:number])
        played = number
        if game.moves[number].move != PASS:
            yield number, position, game.moves[number].move


def _turned(position: Position, move: int) -> tuple[str, str]:
    """Return diagram and move as seen from the side from which the diagram comes first."""
    views = []
    for table in symmetries(position.rows, position.columns):
        rows = [["."] * position.columns for _ in range(position.rows)]
        for point in position.points():
            there = int(table[point])
            rows[row_of(there)][column_of(there)] = ".XO"[position.colour(point)]
        diagram = "\n".join("".join(row) for row in rows)
        views.append((diagram, position.vertex(int(table[move]))))
    return min(views)


def _commonest(seen: dict[tuple[str, int], Counter[str]], count: int) -> list[Found]:
    """Return the commonest positions, of different numbers of moves in turn."""
    found: list[Found] = []
    by_number: defaultdict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for (key, to_play), played in seen.items():
        number, _, _ = key.partition("\n")
        by_number[number].append((sum(played.values()), key, to_play))
    for ranked in by_number.values():
        ranked.sort(key=lambda entry: (-entry[0], entry[1]))
    for place in range(count):
        numbers = [n for n in map(str, COMMON_AT) if len(by_number[n]) > place // len(COMMON_AT)]
        if not numbers:
            break
        number = numbers[place % len(numbers)]
        _, key, to_play = by_number[number][place // len(COMMON_AT)]
        diagram = key.partition("\n")[2]
        name = f"common {len(found) + 1}, after {number} moves"
        found.append(Found(name, diagram, Colour(to_play), seen[key, to_play]))
    return found


def _centred(game: GameRecord, place: int) -> list[Found]:
    """Return the first late position of a game where all three choose the centre, if any."""
    for number, position, move in _moments(game, LATE):
        variants = (BigMove(variants=name) for name in ("p1", "p2", "p3"))
        biggest = (source.biggest(position) for source in variants)
        if all(found and line_of(position, found[0]) >= CENTRE_LINE for found in biggest):
            colour = BLACK if position.to_play is BLACK else WHITE
            played = Counter([position.vertex(move)])
            name = f"end of fuseki {place}, after {number} moves"
            return [Found(name, position.diagram(), colour, played)]
    return []

"""Region and question of a life-and-death problem: which stones are at stake, and where."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tengen.board import EMPTY, NEIGHBOR_OFFSETS, Color, Ko, Position
from tengen.util import TengenError

Points = frozenset[int]

ENCLOSED_AREA = 60
"""A group with a larger area is not at stake."""
CAPTIVE_AREA = 6
"""A group with at most this area next to the group at stake belongs to its region."""
REACH = 4
"""Points further away from the stones at stake are no part of the region."""
WEAK_LIBERTIES = 2
"""Attacking chains with at most this many liberties are part of the region."""
CORE_STONES = 3
"""The defender must save the chains with at least this many stones."""
POCKET = 8
"""Pockets of at most this many empty points that the region cuts off are added to it."""
REGION_POINTS = 64
"""Most points of a region."""


@dataclass(frozen=True)
class Group:
    """Chains of one color that belong together, with the empty points closest to them."""

    color: Color
    stones: Points
    area: Points


@dataclass(frozen=True)
class LifeQuestion:
    """Whether an attacker can capture stones when play is limited to a region."""

    position: Position
    """The position with a frame: outside of the region the attacker has living stones."""
    attacker: Color
    target: Points
    core: Points
    """Those of the target stones whose loss the defender cannot afford."""
    region: Points


def neighbors(position: Position, point: int) -> list[int]:
    """Return the adjacent points on the board."""
    return [p for o in NEIGHBOR_OFFSETS if position.on_board(p := point + o)]


def distances(position: Position, seeds: Iterable[int], within: Iterable[int]) -> dict[int, int]:
    """Return the number of steps from the seeds to the points of a set that they reach in it."""
    allowed, found = set(within), dict.fromkeys(sorted(seeds), 0)
    queue = deque(found)
    while queue:
        point = queue.popleft()
        for near in neighbors(position, point):
            if near in allowed and near not in found:
                found[near] = found[point] + 1
                queue.append(near)
    return found


def chains_of(position: Position, points: Iterable[int]) -> list[Points]:
    """Return the chains with a stone on one of the points."""
    seen: set[int] = set()
    found = []
    for point in sorted(points):
        if position.color(point) != EMPTY and point not in seen:
            chain = position.chain(point)
            seen.update(chain)
            found.append(frozenset(chain))
    return found


def find_groups(position: Position) -> list[Group]:
    """Return the groups of both colors, the one with the most stones first.

    An empty point belongs to the closest chain, if there is one; chains of one color with adjacent
    points form a group.
    """
    chains = chains_of(position, position.points())
    owner = {stone: number for number, chain in enumerate(chains) for stone in chain}
    steps = dict.fromkeys(owner, 0)
    shared: set[int] = set()
    parent = list(range(len(chains)))
    colors = [Color(position.color(min(chain))) for chain in chains]

    def root(number: int) -> int:
        while parent[number] != number:
            number = parent[number]
        return number

    queue = deque(owner)
    while queue:
        point = queue.popleft()
        for near in neighbors(position, point):
            if near not in owner:
                owner[near], steps[near] = owner[point], steps[point] + 1
                shared |= {near} if point in shared else set()
                queue.append(near)
            elif colors[owner[near]] is not colors[owner[point]]:
                shared |= {near} if steps[near] == steps[point] + 1 else set()
            elif not shared & {point, near}:
                parent[root(owner[near])] = root(owner[point])
    stones: dict[int, set[int]] = {}
    area: dict[int, set[int]] = {}
    for point, number in owner.items():
        if point not in shared:
            kind = area if position.color(point) == EMPTY else stones
            kind.setdefault(root(number), set()).add(point)
    groups = [
        Group(colors[number], frozenset(found), frozenset(area.get(number, ())))
        for number, found in stones.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.stones), min(group.stones)))


def groups_at_stake(position: Position) -> tuple[list[Group], list[str]]:
    """Return the groups that may be at stake, the likeliest first, and what is unclear.

    Raise TengenError if the position has no problem.
    """
    groups = find_groups(position)
    if not groups:
        raise TengenError("the board is empty: add the stones of a problem")
    if len({group.color for group in groups}) == 1:
        name = "White" if groups[0].color == Color.BLACK else "Black"
        raise TengenError(f"{name} has no stones: a problem needs stones of both colors")
    outer = max(groups, key=lambda group: len(group.area))
    enclosed = [g for g in groups if len(g.area) < ENCLOSED_AREA and g is not outer]
    notes = []
    if not enclosed:
        enclosed = sorted(groups, key=lambda group: len(group.area))[:1]
        notes.append("no group is enclosed: the one with the least room is chosen")
    large = [group for group in enclosed if len(group.stones) >= 3]
    apart = [group for group in large[1:] if not _is_near(position, large[0], group)]
    if apart:
        where = ", ".join(position.vertex(min(group.stones)) for group in apart)
        notes.append(f"several groups may be at stake: mark a stone at {where} to choose it")
    return enclosed, notes


def _is_near(position: Position, first: Group, second: Group) -> bool:
    """Return whether the stones or areas of two groups touch, or share points."""
    near = {q for p in first.stones | first.area for q in neighbors(position, p)}
    wide = near | {q for p in near for q in neighbors(position, p)}
    return bool(wide & (second.stones | second.area))


def group_with(position: Position, marked: Points) -> Group:
    """Return the chains with marked stones as a group; raise TengenError without any."""
    stones = {stone for point in marked for stone in position.chain(point)}
    if not stones:
        raise TengenError("no stone is marked: mark stones of the chain at stake")
    colors = {position.color(stone) for stone in stones}
    if len(colors) > 1:
        raise TengenError("stones of both colors are marked: mark the stones at stake only")
    for group in find_groups(position):
        if stones <= group.stones:
            return Group(group.color, frozenset(stones), group.area)
    return Group(Color(colors.pop()), frozenset(stones), frozenset())


def region_of(
    position: Position, group: Group, is_wide: bool, limit: int = REGION_POINTS
) -> Points:
    """Return the points at which the life of a group is decided.

    These are the points that no group outside reaches first, the stones of captives among them, and
    the empty points around. A wide region contains weak attacking chains around, too.
    """
    empty = {p for p in position.points() if position.color(p) == EMPTY}
    captives = [
        other
        for other in find_groups(position)
        if not other.stones & group.stones
        and len(other.area) <= CAPTIVE_AREA
        and _touches(position, group, other)
    ]
    inside = frozenset[int]().union(*(other.stones for other in captives))
    open_points = empty | inside
    own = distances(position, group.stones, open_points | group.stones)
    walls = {p for p in position.points() if p not in open_points} - group.stones
    others = distances(position, walls, open_points)
    core = [
        p
        for p, steps in own.items()
        if (steps <= REACH and steps < others.get(p, position.area))
        or (steps <= 2 and steps == others.get(p))
    ]
    region = set(group.stones)
    region.update(sorted(set(core) - region, key=lambda p: own[p])[: limit - len(region)])
    for other in captives:
        _extend(region, other.stones, limit)
    for weak in _weak_walls(position, group, region) if is_wide else ():
        _extend(region, weak, limit)
    _extend(region, {q for p in region for q in neighbors(position, p)} & empty, limit)
    _close(position, region, empty, limit)
    return frozenset(region)


def _weak_walls(position: Position, group: Group, region: set[int]) -> list[set[int]]:
    """Return attacking chains next to the region that may be captured, with room around them."""
    near = {q for p in region for q in neighbors(position, p)}
    found: list[set[int]] = []
    for chain in chains_of(position, near):
        if position.color(min(chain)) == group.color:
            continue
        liberties = _empty_around(position, chain)
        if len(liberties) <= WEAK_LIBERTIES:
            found.append(liberties.union(chain, _empty_around(position, liberties)))
    return sorted(found, key=len)


def _empty_around(position: Position, points: Iterable[int]) -> set[int]:
    return {q for p in points for q in neighbors(position, p) if position.color(q) == EMPTY}


def _touches(position: Position, group: Group, other: Group) -> bool:
    reach = {q for p in group.stones | group.area for q in neighbors(position, p)}
    return bool(reach & (other.stones | other.area))


def _extend(region: set[int], points: Iterable[int], limit: int) -> None:
    """Add points unless the region becomes too large."""
    if len(region.union(points)) <= limit:
        region.update(points)


def _close(position: Position, region: set[int], empty: set[int], limit: int) -> None:
    """Add small pockets, and parts of the board without room for an eye of the frame."""
    left = empty - region
    while left:
        pocket = set(distances(position, [min(left)], left))
        left -= pocket
        if len(pocket) <= POCKET:
            _extend(region, pocket, limit)
    left = set(position.points()) - region
    while left:
        part = set(distances(position, [min(left)], left))
        left -= part
        if not _inner(position, part):
            _extend(region, part, limit)


def _inner(position: Position, part: set[int]) -> list[int]:
    """Return the points of a set whose neighbors all belong to it."""
    return [p for p in sorted(part) if part.issuperset(neighbors(position, p))]


def question_about(position: Position, group: Group, is_wide: bool) -> LifeQuestion:
    """Return the question about a group, in a region that is found."""
    region, attacker = region_of(position, group, is_wide), group.color.opponent
    target = group.stones & region
    chains = chains_of(position, target)
    largest = max(len(chain) for chain in chains)
    core = [chain for chain in chains if len(chain) >= min(CORE_STONES, largest)]
    return LifeQuestion(
        framed(position, attacker, region), attacker, target, frozenset().union(*core), region
    )


def is_enclosed(position: Position, region: Points) -> bool:
    """Return whether stones and edges separate the empty points of a region from the others."""
    return not any(
        position.color(q) == EMPTY
        for p in region
        if position.color(p) == EMPTY
        for q in set(neighbors(position, p)) - region
    )


def framed(position: Position, attacker: Color, region: Points) -> Position:
    """Return the position with living stones of the attacker on all points outside of a region."""
    outside = set(position.points()) - region
    left, eyes = set(outside), set[int]()
    while left:
        part = set(distances(position, [min(left)], left))
        left -= part
        for point in reversed(_inner(position, part) or sorted(part)):
            if not eyes.intersection((point, *neighbors(position, point))):
                eyes.add(point)
                if len(eyes & part) == 2:
                    break
    rules = replace(position.rules, ko=Ko.SIMPLE, suicide=False)
    result = Position.from_block(position.block, rules)
    stones = [(p, EMPTY if p in eyes else attacker) for p in sorted(outside)]
    result.setup(stones, position.to_play)
    return result

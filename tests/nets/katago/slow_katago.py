"""Oracle of KataGo's planes: sets of points and plain recursion, for small boards."""

import numpy as np

from tengen.board.kernels import layout


def neighbors(position, point):
    return [p for p in (point - 20, point - 1, point + 1, point + 20) if position.on_board(p)]


def connected(position, start, wanted):
    """Return the points connected to `start` whose colors are in `wanted`."""
    found, left = {start}, [start]
    while left:
        for neighbor in neighbors(position, left.pop()):
            if neighbor not in found and position.color(neighbor) in wanted:
                found.add(neighbor)
                left.append(neighbor)
    return found


def chain(position, stone):
    return connected(position, stone, {position.color(stone)})


def border(position, points, color):
    """Return the points of a color adjacent to a set of points."""
    adjacent = {n for p in points for n in neighbors(position, p)}
    return {p for p in adjacent - points if position.color(p) == color}


def liberties(position, stone):
    return border(position, chain(position, stone), 0)


# Ladders


def after(position, point, color):
    """Return the position after a move, or None if it is illegal."""
    if not position.is_legal(point, color):
        return None
    later = position.copy()
    later.play(point, color)
    return later


def without_ko(position):
    free = position.copy()
    free.block[layout.KO] = layout.NOWHERE
    return free


def escapes(position, stone, depth=0):
    """Return whether a chain in atari escapes with its owner to move."""
    owner = position.to_play
    if depth and position.block[layout.KO]:
        return True
    enemies = border(position, chain(position, stone), owner.opponent)
    captures = {
        p for e in enemies for p in liberties(position, e) if len(liberties(position, e)) == 1
    }
    for point in liberties(position, stone) | captures:
        later = after(position, point, owner)
        if later is None:
            continue
        count = len(liberties(later, stone))
        if count >= 3 or (count == 2 and not attack_works(later, stone, depth + 1)):
            return True
    return False


def attack_works(position, stone, depth):
    """Return whether a chain with two liberties is caught with the attacker to move."""
    for point in liberties(position, stone):
        later = after(position, point, position.to_play)
        in_atari = later is not None and len(liberties(later, stone)) == 1
        if in_atari and not escapes(later, stone, depth + 1):
            return True
    return False


def starts(position, stone):
    """Return the first moves that catch a chain with two liberties."""
    attacker = 3 - position.color(stone)
    turned = position.copy()
    if turned.to_play != attacker:
        turned.to_play = type(position.to_play)(attacker)
    found = set()
    for point in liberties(position, stone):
        later = after(turned, point, turned.to_play)
        in_atari = later is not None and len(liberties(later, stone)) == 1
        if in_atari and not escapes(without_ko(later), stone):
            found.add(point)
    return found


def ladders(position, attacker):
    """Return the stones caught in ladders and the attacker's moves that start one."""
    caught, begin = set(), set()
    for stone in position.points():
        if not position.color(stone) or stone in caught:
            continue
        count = len(liberties(position, stone))
        if count == 1:
            defended = without_ko(position)
            defended.to_play = type(position.to_play)(position.color(stone))
            if not escapes(defended, stone):
                caught |= chain(position, stone)
        elif count == 2 and (works := starts(position, stone)):
            caught |= chain(position, stone)
            if position.color(stone) != attacker:
                begin |= works
    return caught, begin


# Area


def living(position, color):
    """Return the unconditionally alive stones of a color (Benson)."""
    stones = {p for p in position.points() if position.color(p) == color}
    chains = {frozenset(chain(position, p)) for p in stones}
    others = {0, 3 - color}
    regions = {
        frozenset(connected(position, p, others)) for p in position.points() if p not in stones
    }
    while True:
        vital = {
            c: [
                r
                for r in regions
                if all(set(neighbors(position, p)) & c for p in r if not position.color(p))
            ]
            for c in chains
        }
        alive = {c for c in chains if len(vital[c]) >= 2}
        held = set().union(*alive) if alive else set()
        kept = {r for r in regions if border(position, set(r), color) <= held}
        if alive == chains and kept == regions:
            return held
        chains, regions = alive, kept


def owners(position):
    """Return the owner of each point by area, with stones inside safe territory dead."""
    found = {}
    for point in position.points():
        color = position.color(point)
        if not color:
            region = connected(position, point, {0})
            touched = [c for c in (1, 2) if border(position, region, c)]
            color = touched[0] if len(touched) == 1 else 0
        found[point] = color
    for color in (1, 2):
        held = living(position, color)
        for point in position.points():
            if not held or position.color(point) == color:
                continue
            region = connected(position, point, {0, 3 - color})
            inner = [p for p in region if not border(position, {p}, color)]
            if len(inner) <= 1 and border(position, region, color) <= held:
                found |= dict.fromkeys(region, color)
    return found


def plane(position, points):
    """Return a set of points as an array of rows by columns."""
    result = np.zeros((position.rows, position.columns), dtype=np.float32)
    for point in points:
        result[point // 20 - 1, point % 20 - 1] = 1
    return result

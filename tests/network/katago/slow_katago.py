"""KataGo's planes as sets of points and plain recursion: slow, obvious, for small boards."""

import numpy as np

from tengen.board.kernels import layout


def neighbours(position, point):
    return [p for p in (point - 20, point - 1, point + 1, point + 20) if position.on_board(p)]


def connected(position, start, wanted):
    """Return the points around `start` whose colours are wanted."""
    found, left = {start}, [start]
    while left:
        for beside in neighbours(position, left.pop()):
            if beside not in found and position.colour(beside) in wanted:
                found.add(beside)
                left.append(beside)
    return found


def chain(position, stone):
    return connected(position, stone, {position.colour(stone)})


def border(position, points, colour):
    """Return the points of a colour beside a set of points."""
    beside = {n for p in points for n in neighbours(position, p)}
    return {p for p in beside - points if position.colour(p) == colour}


def liberties(position, stone):
    return border(position, chain(position, stone), 0)


# Ladders


def after(position, point, colour):
    """Return the position after a move, or None if it is illegal."""
    if not position.is_legal(point, colour):
        return None
    later = position.copy()
    later.play(point, colour)
    return later


def without_ko(position):
    free = position.copy()
    free.block[layout.KO] = layout.NOWHERE
    return free


def escapes(position, stone, depth=0):
    """Tell whether a chain in atari with its owner to move gets away."""
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
    """Tell whether a chain of two liberties is caught with the attacker to move."""
    for point in liberties(position, stone):
        later = after(position, point, position.to_play)
        in_atari = later is not None and len(liberties(later, stone)) == 1
        if in_atari and not escapes(later, stone, depth + 1):
            return True
    return False


def starts(position, stone):
    """Return the first moves that catch a chain of two liberties."""
    attacker = 3 - position.colour(stone)
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
    """Return the stones caught in ladders, and the attacker's moves that begin one."""
    caught, begin = set(), set()
    for stone in position.points():
        if not position.colour(stone) or stone in caught:
            continue
        count = len(liberties(position, stone))
        if count == 1:
            defended = without_ko(position)
            defended.to_play = type(position.to_play)(position.colour(stone))
            if not escapes(defended, stone):
                caught |= chain(position, stone)
        elif count == 2 and (works := starts(position, stone)):
            caught |= chain(position, stone)
            if position.colour(stone) != attacker:
                begin |= works
    return caught, begin


# Area


def living(position, colour):
    """Return the stones of a colour that live unconditionally (Benson)."""
    stones = {p for p in position.points() if position.colour(p) == colour}
    chains = {frozenset(chain(position, p)) for p in stones}
    others = {0, 3 - colour}
    regions = {
        frozenset(connected(position, p, others)) for p in position.points() if p not in stones
    }
    while True:
        vital = {
            c: [
                r
                for r in regions
                if all(set(neighbours(position, p)) & c for p in r if not position.colour(p))
            ]
            for c in chains
        }
        alive = {c for c in chains if len(vital[c]) >= 2}
        held = set().union(*alive) if alive else set()
        kept = {r for r in regions if border(position, set(r), colour) <= held}
        if alive == chains and kept == regions:
            return held
        chains, regions = alive, kept


def owners(position):
    """Return who owns each point by area, with stones dead inside what lives for good."""
    found = {}
    for point in position.points():
        colour = position.colour(point)
        if not colour:
            region = connected(position, point, {0})
            touched = [c for c in (1, 2) if border(position, region, c)]
            colour = touched[0] if len(touched) == 1 else 0
        found[point] = colour
    for colour in (1, 2):
        held = living(position, colour)
        for point in position.points():
            if not held or position.colour(point) == colour:
                continue
            region = connected(position, point, {0, 3 - colour})
            inner = [p for p in region if not border(position, {p}, colour)]
            if len(inner) <= 1 and border(position, region, colour) <= held:
                found |= dict.fromkeys(region, colour)
    return found


def plane(position, points):
    """Return a set of points as an array of rows by columns."""
    result = np.zeros((position.rows, position.columns), dtype=np.float32)
    for point in points:
        result[point // 20 - 1, point % 20 - 1] = 1
    return result

"""Oracle of paper 003's evaluations: formulas 1 to 12 in plain Python."""

import itertools
import math


def abstract_colors(board, open_edges):
    """Return {point: color} of rows of colors; `open_edges` is a set of T, B, L, R."""
    rows, columns = len(board), len(board[0])
    points = set(itertools.product(range(rows), range(columns)))
    result = {p: board[p[0]][p[1]] for p in points}
    for region in components([p for p in points if not result[p]], 4):
        touched = {board[q[0]][q[1]] for p in region for q in near(p, 4) if q in points} - {0}
        hidden = any(
            (r == 0 and "T" in open_edges)
            or (r == rows - 1 and "B" in open_edges)
            or (c == 0 and "L" in open_edges)
            or (c == columns - 1 and "R" in open_edges)
            for r, c in region
        )
        if len(touched) == 1 and not hidden:
            result.update(dict.fromkeys(region, touched.pop()))
    return result


def near(point, neighbors):
    steps = [s for s in itertools.product((-1, 0, 1), repeat=2) if s != (0, 0)]
    return [
        (point[0] + r, point[1] + c) for r, c in steps if neighbors == 8 or abs(r) + abs(c) == 1
    ]


def components(points, neighbors):
    """Return the connected sets among the points."""
    left, found = set(points), []
    while left:
        grown, edge = set(), {left.pop()}
        while edge:
            grown |= edge
            edge = {q for p in edge for q in near(p, neighbors)} & left
            left -= edge
        found.append(grown)
    return found


def dimensional(colors, power):
    sizes = {
        c: [len(s) for s in components([p for p in colors if colors[p] == c], 4)] for c in (1, 2)
    }
    return sum(n**power for n in sizes[1]) - sum(n**power for n in sizes[2])


def distances(colors, color, neighbors):
    """Return the distance of every ordered pair by Floyd-Warshall; math.inf if unconnected."""
    points = sorted(colors)
    enemy = 3 - color
    d = {}
    for i, j in itertools.product(points, points):
        if enemy in (colors[i], colors[j]):
            d[i, j] = math.inf
        elif i == j:
            d[i, j] = 0
        elif j in near(i, neighbors):
            d[i, j] = 0 if colors[i] == colors[j] == color else 1
        else:
            d[i, j] = math.inf
    for k in points:
        for i in points:
            for j in points:
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return d


def metric(colors, neighbors, infinity):
    sums = {
        c: sum(min(d, infinity) for d in distances(colors, c, neighbors).values()) for c in (1, 2)
    }
    return sums[2] - sums[1]

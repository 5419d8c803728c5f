"""Where servers put handicap stones when their records only tell the number."""


def fixed_handicap(count: int, size: int) -> list[str]:
    """Return the points, as SGF letters, of a fixed handicap in the order of Tygem and others.

    The third stone goes to the upper left, unlike in the West. Returns an empty
    list if the board has no such handicap.
    """
    if not 2 <= count <= 9 or not 7 <= size <= 19 or (count > 4 and size % 2 == 0):
        return []
    low = 3 if size >= 13 else 2
    high, middle = size - 1 - low, size // 2
    corners = [(high, low), (low, high), (low, low), (high, high)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    places = corners[: min(count, 4)]
    if count > 4:
        places += sides[: count - 4 if count % 2 == 0 else count - 5]
    if count > 4 and count % 2 == 1:
        places.append((middle, middle))
    return [chr(97 + column) + chr(97 + row) for column, row in places]

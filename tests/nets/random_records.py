"""Games of random moves as SGF."""

from tengen.board import Position


def random_sgf(random, length, size, about):
    """Return a game of random legal moves; `about` are properties of its root."""
    position, text = Position(size), f"(;GM[1]SZ[{size}]{about}"
    for turn in range(length):
        point = int(random.choice(position.legal_moves()))
        position.play(point)
        text += f";{'BW'[turn % 2]}[{chr(96 + point % 20)}{chr(96 + point // 20)}]"
    return text + ")"

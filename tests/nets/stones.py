"""Simple features for tests."""


class Stones:
    """Own stones, opponent's stones; the number of moves."""

    planes = 2
    numbers = 1

    def encode(self, position, planes, numbers):
        planes[0] = position.board() == position.to_play
        planes[1] = position.board() == position.to_play.opponent
        numbers[0] = len(position.moves)

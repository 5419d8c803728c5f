"""The two players."""

from enum import IntEnum

from tengen.util import TengenError


class Color(IntEnum):
    """A player; the values are those of the kernels.

    Examples
    --------
    >>> Color.parse("w").opponent is Color.BLACK, Color.WHITE.letter, Color.WHITE.sign
    (True, 'W', -1)
    """

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> "Color":
        """The other player."""
        return Color(3 - self)

    @property
    def letter(self) -> str:
        """`B` or `W`, as in results and GTP."""
        return "B" if self is Color.BLACK else "W"

    @property
    def sign(self) -> int:
        """1 for Black, -1 for White: converts values between Black's and this player's view."""
        return 1 if self is Color.BLACK else -1

    @classmethod
    def parse(cls, text: str) -> "Color":
        """Parse `b`, `black`, `w` or `white` in any case; raise TengenError otherwise."""
        colors = {"b": cls.BLACK, "black": cls.BLACK, "w": cls.WHITE, "white": cls.WHITE}
        try:
            return colors[text.lower()]
        except KeyError:
            raise TengenError(f"invalid color {text!r}: use b or w") from None


BLACK = Color.BLACK
WHITE = Color.WHITE
EMPTY = 0

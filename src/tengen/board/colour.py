"""The two players."""

from enum import IntEnum

from tengen.core.errors import TengenError


class Colour(IntEnum):
    """A player; the numbers are those of the kernels."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> "Colour":
        """The other player."""
        return Colour(3 - self)

    @property
    def letter(self) -> str:
        """`B` or `W`, as in results and GTP."""
        return "B" if self is Colour.BLACK else "W"

    @property
    def sign(self) -> int:
        """1 for Black, -1 for White: turns what the player says into Black's, and back."""
        return 1 if self is Colour.BLACK else -1

    @classmethod
    def parse(cls, text: str) -> "Colour":
        """Read `b`, `black`, `w` or `white` in any case; raise TengenError otherwise."""
        found = {"b": cls.BLACK, "black": cls.BLACK, "w": cls.WHITE, "white": cls.WHITE}
        try:
            return found[text.lower()]
        except KeyError:
            raise TengenError(f"invalid colour {text!r}: use b or w") from None


BLACK = Colour.BLACK
WHITE = Colour.WHITE
EMPTY = 0

"""Positions that reproduce tables 1 to 6 of paper 003, and the printed values.

The paper's figures are lost. The positions were found by search, so others may fit too. Infinity is
1024.
"""

from typing import NamedTuple

from tengen.sources import CLOSED, OPEN, BoardSection, Edge, Evaluations

INFINITY = 1024.0


class Printed(NamedTuple):
    """A position of a table with the printed values; None where nothing is printed."""

    table: int
    name: str
    diagram: str
    e0: float | None
    e1: float
    e2: float
    ed4: float
    ed8: float
    edges: Edge = OPEN

    @property
    def piece(self) -> BoardSection:
        """The position as a board section."""
        return BoardSection.from_diagram(self.diagram, self.edges)

    def differs(self, ours: Evaluations) -> list[str]:
        """Return the names of the evaluations that differ from the printed values."""
        names = ("e0", "e1", "e2", "ed4", "ed8")
        printed = {name: getattr(self, name) for name in names}
        return [n for n, value in printed.items() if value not in (None, getattr(ours, n))]


MISPRINTED = {("j", "ed4")}
"""The paper prints -31640 instead of -31644; the other values of the position match."""

POSITIONS = (
    Printed(1, "v", "XXO/OXO/XOX", 0, 1, 5, 5120, 9216),
    Printed(1, "w", "XXO/XOX/OOO", 0, -1, -7, -7168, -9216),
    Printed(1, "x", "XXX/OOO/OOO", 0, -3, -27, -27648, -27648),
    Printed(1, "y", "XXX/XXX/OXO", -1, 5, 47, 48128, 48128),
    Printed(1, "z", "XXX/XXX/OOO", 0, 3, 27, 27648, 27648),
    Printed(2, "a", ".X./OXO/XOX", 0, 1, 3, 9208, 11260),
    Printed(2, "b", ".X./OXO/XOO", 0, -1, -5, -3076, -11260),
    Printed(2, "c", ".X./OXO/OOO", 0, -3, -21, -33780, -33780),
    Printed(2, "d", ".X./XXX/.X.", 1, 5, 25, 78784, 78784),
    Printed(2, "e", ".X./XXX/.O.", 0, 3, 15, 54224, 54224),
    Printed(3, "f", "X.O/.../O.X", 0, 0, 0, 0, 0),
    Printed(3, "g", ".../XXX/.X.", 1, 4, 16, 71612, 71612),
    Printed(3, "h", ".../XXO/.X.", 0, 2, 8, 38876, 38878),
    Printed(3, "i", ".X./XXO/.O.", -1, 1, 7, 11274, 23528),
    Printed(3, "j", ".X./OXO/.O.", -2, -1, 1, -31640, -13304),
    Printed(4, "2x2", "XX/O.", 0, 1, 3, 5118, 5118, CLOSED),
    Printed(4, "3x3", "X.X/XXX/XX.", 1, 9, 81, 82944, 82944, CLOSED),
    Printed(4, "4x4", ".OO./XOOX/XOOX/XXXX", 0, 2, 28, 36856, 36856, CLOSED),
    Printed(5, "A", ".OO./XXOX/XO.X/.OO.", 0, -1, -5, -72544, -21564),
    Printed(5, "B", ".OO./XXOX/XOXX/.OO.", 0, 0, 0, 0, 0),
    Printed(5, "C", ".OO./XXOX/XOOX/.OO.", 1, -2, -36, -81868, -81868),
    Printed(5, "D", ".OO./XXOX/XO.X/XOO.", 0, 0, 2, -51080, -70),
    Printed(6, "G", ".X../..O./..X./....", None, 1, 1, 29630, 29642),
    Printed(6, "H", ".X../.XO./..X./....", None, 2, 4, 57438, 57342),
    Printed(6, "I", ".X../.OO./..X./....", None, 0, -2, -100, -66),
    Printed(6, "J", ".X../OO../.X../....", None, 0, -2, -80, -30),
    Printed(6, "K", ".X../OOX./.X../....", None, 1, -1, 27718, 27684),
    Printed(6, "L", ".X../OOO./.X../....", None, -1, -7, -27810, -27732),
)

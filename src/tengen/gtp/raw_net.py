"""`kata-raw-nn`: what the net says by itself."""

import numpy as np

from tengen.board.colour import Colour
from tengen.gtp.arguments import want
from tengen.gtp.protocol import GtpError
from tengen.gtp.session import Session, command

UNTURNED = ("0", "all")
"""Our nets see the board as it is: the other seven symmetries are KataGo's."""


@command("kata-raw-nn")
def kata_raw_nn(session: Session, arguments: list[str]) -> str:
    """Tell what the net says of the position: `kata-raw-nn 0`; the net that comes along if none."""
    from tengen.engine.net import DEFAULT, NONE
    from tengen.engine.opinion import net_opinion

    symmetry = want([*arguments, "0"], 1, "kata-raw-nn SYMMETRY")[0]
    if symmetry not in UNTURNED:
        raise GtpError("the board is looked at as it is: use kata-raw-nn 0, or all")
    named = session.settings.play.net
    said = net_opinion(DEFAULT if named == NONE else named, session.position)
    if said is None:
        raise GtpError("the board is too small for a net")
    sign = -1 if session.position.to_play is Colour.BLACK else 1
    white = said.win_to_play if sign == 1 else 1 - said.win_to_play
    policy = np.where(session.position.legal_grid(), said.policy, np.nan)
    return "\n".join(
        [
            "symmetry 0",
            f"whiteWin {white:.6f}",
            f"whiteLoss {1 - white:.6f}",
            "noResult 0.000000",
            f"whiteLead {sign * said.lead_to_play:.3f}",
            f"whiteScoreSelfplay {sign * said.lead_to_play:.3f}",
            "policy",
            *_rows(policy, "%.6f"),
            f"policyPass {said.pass_probability:.6f}",
            "whiteOwnership",
            *_rows(sign * said.ownership_to_play, "%.5f"),
        ]
    )


def _rows(grid: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", form: str) -> list[str]:
    """Return a grid as lines of numbers; NAN where a move is illegal, as KataGo writes it."""
    return [" ".join("NAN" if np.isnan(v) else form % v for v in row) for row in grid]

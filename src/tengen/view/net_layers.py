"""What a net says, as layers."""

import numpy as np

from tengen.board.colour import BLACK
from tengen.board.position import Position
from tengen.network.evaluation import Evaluation
from tengen.view.context import ViewContext
from tengen.view.info import (
    LEAST_SHOWN,
    LayerInfo,
    Need,
    Said,
    best_points,
    label_grid,
    legal_only,
    percent,
)
from tengen.view.layer import Scale


def _evaluation(position: Position, context: ViewContext) -> tuple[Evaluation, str]:
    """Return what the net says, and its value in words, for Black."""
    said = context.net().evaluate([position])[0]
    is_black = position.to_play == BLACK
    win = said.win_to_play if is_black else 1 - said.win_to_play
    lead = said.lead_to_play if is_black else -said.lead_to_play
    ahead = f"{'Black' if lead >= 0 else 'White'} leads by {abs(lead):.1f}"
    return said, f"Black wins {win:.0%}, {ahead}"


def _policy(position: Position, context: ViewContext) -> Said:
    said, note = _evaluation(position, context)
    values = legal_only(position, said.policy.astype(np.float64))
    labels = label_grid(values, percent, LEAST_SHOWN)
    passing = f", pass {said.pass_probability:.0%}" if said.pass_probability >= 0.01 else ""
    return Said(values, best_points(position, values)[:1], labels, note + passing)


def _ownership(position: Position, context: ViewContext) -> Said:
    said, note = _evaluation(position, context)
    sign = 1 if position.to_play == BLACK else -1
    return Said(sign * said.ownership_to_play.astype(np.float64), note=note, high=1.0)


def net_layers() -> list[LayerInfo]:
    """Return policy and ownership; the value is in their titles."""
    policy = "The probability that the net would play here; labels are percent."
    ownership = "Whose the point will be in the end, by the net: 1 Black's, -1 White's."
    group, need = "net", Need.NET
    return [
        LayerInfo(
            "net.policy", "Net policy", policy, group, _policy, unit="probability", needs=need
        ),
        LayerInfo(
            "net.ownership",
            "Net ownership",
            ownership,
            group,
            _ownership,
            Scale.DIVERGING,
            unit="owner",
            needs=need,
        ),
    ]

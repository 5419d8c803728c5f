"""What a search found, as a line in the words of Leela Zero, KataGo or CGOS.

All numbers are from the side to move.
"""

import json
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tengen.board.position import Position
from tengen.engine.after_move import Grid, ownership_after
from tengen.engine.outlook import Outlook, for_black, outlook
from tengen.engine.settings import PlaySettings
from tengen.gtp.analysis_options import Options
from tengen.gtp.arguments import vertex_text
from tengen.search.report import Candidate, SearchReport

CGOS_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
CGOS_STEPS = 62
"""CGOS writes an ownership from -1 to 1 as one of the first 63 letters."""


class Scene(NamedTuple):
    """What is written about: a position, what was asked of it, and how the engine plays."""

    position: Position
    options: Options
    play: PlaySettings

    @property
    def sign(self) -> int:
        """1 if Black is to move, else -1."""
        return self.position.to_play.sign

    def outlook(self, report: SearchReport) -> Outlook:
        """Return what the report says of the score."""
        return outlook(report, self.position, self.play)

    def lead(self, view: Outlook, value: float) -> float:
        """Return the lead of the side to move where its win rate is `value`."""
        return self.sign * view.lead_at(for_black(value, self.position.to_play))

    def vertices(self, moves: Iterable[int]) -> str:
        """Return moves as text."""
        return " ".join(vertex_text(self.position, move) for move in moves)

    def owners(self, ownership: Grid) -> str:
        """Return an ownership as numbers, row by row from the top."""
        return " ".join(f"{self.sign * value:.4f}" for value in ownership.flatten())


Line = Callable[[SearchReport, Scene], str]


def lz_line(report: SearchReport, scene: Scene) -> str:
    """Return one line of `lz-analyze`: whole numbers, times 10000."""
    return " ".join(
        f"info move {vertex_text(scene.position, c.move)} visits {c.visits}"
        f" winrate {round(c.value * 10000)} prior {round(c.policy * 10000)}"
        f" lcb {round(c.lcb * 10000)} order {order} pv {scene.vertices(c.line)}"
        for order, c in enumerate(scene.options.shown(report))
    )


def kata_line(report: SearchReport, scene: Scene) -> str:
    """Return one line of `kata-analyze`: floats, win rates from 0 to 1."""
    flags = scene.options.flags
    view = scene.outlook(report)
    shown = scene.options.shown(report)
    after: dict[int, Grid] = {}
    if "movesOwnership" in flags:
        after = ownership_after(scene.position, [c.move for c in shown], scene.play.net)
    parts = [_kata_move(c, order, scene, view, after) for order, c in enumerate(shown)]
    if "rootInfo" in flags:
        value = report.value
        parts.append(f"rootInfo visits {report.visits}{_kata_score(value, scene, view)}")
    if "ownership" in flags:
        parts.append(f"ownership {scene.owners(view.ownership)}")
    return " ".join(parts)


def _kata_move(
    c: Candidate, order: int, scene: Scene, view: Outlook, after: dict[int, Grid]
) -> str:
    parts = [
        f"info move {vertex_text(scene.position, c.move)} visits {c.visits}",
        f"{_kata_score(c.value, scene, view)} prior {c.policy:.6f} lcb {c.lcb:.6f}",
        f" utilityLcb {2 * c.lcb - 1:.6f} order {order} pv {scene.vertices(c.line)}",
    ]
    for flag in ("pvVisits", "pvEdgeVisits"):
        if flag in scene.options.flags:
            parts.append(f" {flag} {' '.join(map(str, c.line_visits))}")
    if c.move in after:
        parts.append(f" movesOwnership {scene.owners(after[c.move])}")
    return "".join(parts)


def _kata_score(value: float, scene: Scene, view: Outlook) -> str:
    """Return what KataGo tells of moves and of the root alike."""
    lead = scene.lead(view, value)
    return (
        f" utility {2 * value - 1:.6f} winrate {value:.6f} scoreMean {lead:.6f}"
        f" scoreStdev {view.stdev:.6f} scoreLead {lead:.6f} scoreSelfplay {lead:.6f}"
    )


def cgos_line(report: SearchReport, scene: Scene) -> str:
    """Return the object of `cgos-genmove_analyze`, on one line."""
    view = scene.outlook(report)
    moves = [
        {
            "move": vertex_text(scene.position, c.move),
            "visits": c.visits,
            "winrate": round(c.value, 4),
            "score": round(scene.lead(view, c.value), 2),
            "prior": round(c.policy, 6),
            "pv": scene.vertices(c.line[1:]),
        }
        for c in scene.options.shown(report)
    ]
    whole = {
        "winrate": round(report.value, 4),
        "score": round(scene.sign * view.lead, 2),
        "visits": report.visits,
        "moves": moves,
        "ownership": cgos_ownership(scene.sign * view.ownership),
    }
    return json.dumps(whole, separators=(",", ":"))


def cgos_ownership(ownership: Grid) -> str:
    """Return an ownership as CGOS packs it, one letter a point."""
    steps = np.rint((np.clip(ownership, -1, 1) + 1) / 2 * CGOS_STEPS).astype(int)
    return "".join(CGOS_LETTERS[step] for step in steps.flatten())

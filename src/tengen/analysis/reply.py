"""What a search found, as the reply to a question."""

import hashlib
from typing import Any

import numpy as np

from tengen.analysis.job import Job
from tengen.board.colour import Colour
from tengen.board.kernels import layout
from tengen.board.points import PASS
from tengen.board.position import Position
from tengen.engine.after_move import Grid, ownership_after
from tengen.engine.katago_settings import Perspective
from tengen.engine.opinion import net_opinion
from tengen.engine.outlook import Outlook, for_black, outlook
from tengen.engine.settings import PlaySettings
from tengen.search.report import Candidate, SearchReport

DIGITS = 6
ILLEGAL = -1.0
Reply = dict[str, Any]


class View:
    """A position with its report, seen from the side that the question wants."""

    def __init__(
        self, job: Job, report: SearchReport, perspective: Perspective, play: PlaySettings
    ):
        self.position = job.position
        self._outlook: Outlook = outlook(report, self.position, play)
        mover = self.position.to_play
        self._is_black = perspective is Perspective.BLACK or (
            perspective is Perspective.SIDETOMOVE and mover is Colour.BLACK
        )

    def score(self, value_to_play: float) -> Reply:
        """Return what is told of moves and of the root alike."""
        black = for_black(value_to_play, self.position.to_play)
        value = black if self._is_black else 1 - black
        lead = _short(self.signed(self._outlook.lead_at(black)))
        return {
            "winrate": _short(value),
            "utility": _short(2 * value - 1),
            "scoreLead": lead,
            "scoreMean": lead,
            "scoreSelfplay": lead,
            "scoreStdev": _short(self._outlook.stdev),
        }

    def bound(self, lcb_to_play: float) -> Reply:
        """Return the lower bound of the mover's win rate; for the other side, an upper one."""
        black = for_black(lcb_to_play, self.position.to_play)
        value = black if self._is_black else 1 - black
        return {"lcb": _short(value), "utilityLcb": _short(2 * value - 1)}

    def signed(self, for_black_: float) -> float:
        """Return a number of Black's from the side that is wanted."""
        return for_black_ if self._is_black else -for_black_

    def owners(self, ownership: Grid | None = None) -> list[float]:
        """Return an ownership, that of the root by default, row by row from the top."""
        grid = self._outlook.ownership if ownership is None else ownership
        return [_short(self.signed(float(value))) for value in grid.flatten()]


def no_results(job: Job) -> Reply:
    """Return the final reply of a question that was ended before anything was found."""
    return {"id": job.query.id, "isDuringSearch": False, "noResults": True, "turnNumber": job.turn}


def failure(job: Job, message: str) -> Reply:
    """Return the final reply of a question that could not be answered."""
    return {"error": message, "id": job.query.id, "turnNumber": job.turn}


def result(
    job: Job,
    report: SearchReport,
    perspective: Perspective,
    play: PlaySettings,
    is_during_search: bool,
) -> Reply:
    """Return a reply with what was found so far, or at last."""
    wanted, position = job.query.wanted, job.position
    view = View(job, report, perspective, play)
    shown = [c for c in job.limits.shown(report.candidates) if c.visits > 0]
    after: dict[int, Grid] = {}
    if wanted.moves_ownership and not is_during_search:
        after = ownership_after(position, [c.move for c in shown], play.net)
    reply: Reply = {
        "id": job.query.id,
        "isDuringSearch": is_during_search,
        "turnNumber": job.turn,
        "moveInfos": [_move(c, order, view, job, after) for order, c in enumerate(shown)],
        "rootInfo": _root(report, view),
    }
    if wanted.ownership:
        reply["ownership"] = view.owners()
    if wanted.policy:
        reply["policy"] = _policy(position, report, play)
    return reply


def _move(c: Candidate, order: int, view: View, job: Job, after: dict[int, Grid]) -> Reply:
    position, wanted = view.position, job.query.wanted
    end = None if wanted.line_length is None else wanted.line_length + 1
    info: Reply = {
        "move": position.vertex(c.move),
        "visits": c.visits,
        "edgeVisits": c.visits,
        **view.score(c.value),
        **view.bound(c.lcb),
        "prior": _short(c.policy),
        "order": order,
        "pv": [position.vertex(move) for move in c.line[:end]],
    }
    if wanted.line_visits:
        info["pvVisits"] = info["pvEdgeVisits"] = c.line_visits[:end]
    if c.move in after:
        info["ownership"] = view.owners(after[c.move])
    return info


def _root(report: SearchReport, view: View) -> Reply:
    this, symmetric = _hashes(view.position)
    best = report.candidates[0].lcb if report.candidates else report.value
    return {
        "visits": report.visits,
        **view.score(report.value),
        **view.bound(best),
        "currentPlayer": view.position.to_play.letter,
        "thisHash": this,
        "symHash": symmetric,
    }


def _policy(position: Position, report: SearchReport, play: PlaySettings) -> list[float]:
    """Return each point's policy, and the pass's last: the net's, whatever moves are asked about.

    Without a net, what the sources told the search before it began.
    """
    said = net_opinion(play.net, position)
    if said is None:
        given = {c.move: c.policy for c in report.candidates}
    else:
        given = dict(zip(position.points(), said.policy.flatten().tolist(), strict=True))
        given[PASS] = said.pass_probability
    legal = set(position.legal_moves())
    points = [_short(given.get(p, 0.0)) if p in legal else ILLEGAL for p in position.points()]
    return [*points, _short(given.get(PASS, 0.0))]


def _hashes(position: Position) -> tuple[str, str]:
    """Return a text for this position, and one that all its mirror images have too."""
    board = position.board()
    ko = np.zeros(int(layout.POINTS), dtype=np.uint8)
    ko[int(position.block[layout.KO])] = 1  # NOWHERE is no point of the board
    marked = board + 4 * position.on_grid(ko)
    turned = [np.rot90(side, turn) for side in (marked, marked.T) for turn in range(4)]
    texts = [_hash(image, position.to_play) for image in turned]
    return texts[0], min(texts)


def _hash(image: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", to_play: Colour) -> str:
    content = bytes([*image.shape, int(to_play)]) + np.ascontiguousarray(image).tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest().upper()


def _short(value: float) -> float:
    """Return a number with the digits that mean something."""
    return round(float(value), DIGITS)

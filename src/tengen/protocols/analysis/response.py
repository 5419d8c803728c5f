"""Responses of the analysis server: search results as JSON objects."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tengen.board import PASS, Color, Position
from tengen.board.kernels import layout
from tengen.engine import (
    Grid,
    Perspective,
    PlaySettings,
    ScoreEstimate,
    candidate_lead,
    estimate_score,
    evaluate_like_humans,
    evaluate_with_net,
    for_black,
    ownership_after,
)
from tengen.nets import Evaluation
from tengen.protocols.analysis.pool import AnalysisJob
from tengen.search import Candidate, SearchReport

DECIMALS = 6
ILLEGAL_POLICY = -1.0
Response = dict[str, Any]


class ScoreView:
    """Scores and ownership of a position, from the point of view requested by the query."""

    def __init__(
        self, job: AnalysisJob, report: SearchReport, perspective: Perspective, play: PlaySettings
    ):
        self.position = job.position
        self._estimate: ScoreEstimate = estimate_score(report, self.position, play)
        self._is_black = perspective is Perspective.BLACK or (
            perspective is Perspective.SIDETOMOVE and self.position.to_play is Color.BLACK
        )

    def root(self, report: SearchReport) -> Response:
        """Return the fields of the root that moves have as well."""
        return self._fields(report.value, self._estimate.lead)

    def move(self, candidate: Candidate) -> Response:
        """Return the fields of a move that the root has as well."""
        to_play = self.position.to_play
        lead = to_play.sign * candidate_lead(candidate, self._estimate, to_play)
        return self._fields(candidate.value, lead)

    def _fields(self, value_to_play: float, black_lead: float) -> Response:
        black = for_black(value_to_play, self.position.to_play)
        value = black if self._is_black else 1 - black
        lead = _rounded(self._signed(black_lead))
        return {
            "winrate": _rounded(value),
            "utility": _rounded(2 * value - 1),
            "scoreLead": lead,
            "scoreMean": lead,
            "scoreSelfplay": lead,
            "scoreStdev": _rounded(self._estimate.stdev),
        }

    def bound(self, lcb_to_play: float) -> Response:
        """Return the lower confidence bound of the side to move, an upper one for the other."""
        black = for_black(lcb_to_play, self.position.to_play)
        value = black if self._is_black else 1 - black
        return {"lcb": _rounded(value), "utilityLcb": _rounded(2 * value - 1)}

    def human(self, evaluation: Evaluation) -> Response:
        """Return win rate and score of a human-like network."""
        to_play = self.position.to_play
        fields = self._fields(evaluation.win_to_play, to_play.sign * evaluation.lead_to_play)
        return {"humanWinrate": fields["winrate"], "humanScoreMean": fields["scoreMean"]}

    def ownership(self, ownership: Grid | None = None) -> list[float]:
        """Return an ownership (default: that of the root), row by row from the top."""
        grid = self._estimate.ownership if ownership is None else ownership
        return [_rounded(self._signed(float(value))) for value in grid.flatten()]

    def _signed(self, black_value: float) -> float:
        return black_value if self._is_black else -black_value


def no_results(job: AnalysisJob) -> Response:
    """Return the final response of a job that was terminated before its first visit."""
    return {"id": job.query.id, "isDuringSearch": False, "noResults": True, "turnNumber": job.turn}


def failure(job: AnalysisJob, message: str) -> Response:
    """Return the final response of a job that failed."""
    return {"error": message, "id": job.query.id, "turnNumber": job.turn}


def result(
    job: AnalysisJob,
    report: SearchReport,
    perspective: Perspective,
    play: PlaySettings,
    is_during_search: bool,
) -> Response:
    """Return a partial or final result."""
    message, position = job.query.message, job.position
    view = ScoreView(job, report, perspective, play)
    candidates = [c for c in job.restrictions.filter(report.candidates) if c.visits > 0]
    human = evaluate_like_humans(play, position)
    after: dict[int, Grid] = {}
    if message.include_moves_ownership and not is_during_search:
        after = ownership_after(position, [c.move for c in candidates], play.net)
    response: Response = {
        "id": job.query.id,
        "isDuringSearch": is_during_search,
        "turnNumber": job.turn,
        "moveInfos": [_move_info(c, i, view, job, after, human) for i, c in enumerate(candidates)],
        "rootInfo": _root_info(report, view, human),
    }
    if message.include_ownership:
        response["ownership"] = view.ownership()
    if message.include_policy:
        response["policy"] = _policy(position, report, play)
        if human is not None:
            response["humanPolicy"] = _net_policy(position, human)
    return response


def _move_info(
    c: Candidate,
    order: int,
    view: ScoreView,
    job: AnalysisJob,
    after: dict[int, Grid],
    human: Evaluation | None,
) -> Response:
    position, message = view.position, job.query.message
    # `analysisPVLen` counts the moves after the first.
    end = None if message.analysis_pv_len is None else message.analysis_pv_len + 1
    info: Response = {
        "move": position.vertex(c.move),
        "visits": c.visits,
        "edgeVisits": c.visits,
        **view.move(c),
        **view.bound(c.lcb),
        "prior": _rounded(c.policy),
        "order": order,
        "pv": [position.vertex(move) for move in c.line[:end]],
    }
    if human is not None:
        info["humanPrior"] = _rounded(human.probability(c.move))
    if message.include_pv_visits:
        info["pvVisits"] = info["pvEdgeVisits"] = c.line_visits[:end]
    if c.move in after:
        info["ownership"] = view.ownership(after[c.move])
    return info


def _root_info(report: SearchReport, view: ScoreView, human: Evaluation | None) -> Response:
    this_hash, symmetry_hash = _hashes(view.position)
    best_lcb = report.candidates[0].lcb if report.candidates else report.value
    return {
        "visits": report.visits,
        **view.root(report),
        **view.bound(best_lcb),
        **({} if human is None else view.human(human)),
        "currentPlayer": view.position.to_play.letter,
        "thisHash": this_hash,
        "symHash": symmetry_hash,
    }


def _policy(position: Position, report: SearchReport, play: PlaySettings) -> list[float]:
    """Return the policy of the network for each point and the pass, whatever the restrictions.

    Without a network, return the prior probabilities of the search.
    """
    output = evaluate_with_net(play.net, position)
    if output is not None:
        return _net_policy(position, output)
    return _policy_list(position, {c.move: c.policy for c in report.candidates})


def _net_policy(position: Position, output: Evaluation) -> list[float]:
    policy = dict(zip(position.points(), output.policy.flatten().tolist(), strict=True))
    return _policy_list(position, {**policy, PASS: output.pass_probability})


def _policy_list(position: Position, policy: Mapping[int, float]) -> list[float]:
    """Return the probability of each point, -1 if it is illegal, and of the pass."""
    legal = set(position.legal_moves())
    points = [
        _rounded(policy.get(p, 0.0)) if p in legal else ILLEGAL_POLICY for p in position.points()
    ]
    return [*points, _rounded(policy.get(PASS, 0.0))]


def _hashes(position: Position) -> tuple[str, str]:
    """Return a hash of the position, and one that is the same for all its symmetries."""
    board = position.board()
    ko = np.zeros(int(layout.POINTS), dtype=np.uint8)
    ko[int(position.block[layout.KO])] = 1  # NOWHERE is off the board
    marked = board + 4 * position.on_grid(ko)
    images = [np.rot90(side, turn) for side in (marked, marked.T) for turn in range(4)]
    hashes = [_hash(image, position.to_play) for image in images]
    return hashes[0], min(hashes)


def _hash(image: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]", to_play: Color) -> str:
    content = bytes([*image.shape, int(to_play)]) + np.ascontiguousarray(image).tobytes()
    return hashlib.blake2b(content, digest_size=16).hexdigest().upper()


def _rounded(value: float) -> float:
    return round(float(value), DECIMALS)

"""Analysis commands of Leela Zero, KataGo and CGOS, as used by Sabaki, Lizzie and others.

Values are from the point of view of the side to move.
"""

import json
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from tengen.board import Color, Position
from tengen.engine import (
    Grid,
    MoveDecision,
    MoveRestrictions,
    PlaySettings,
    ScoreEstimate,
    candidate_lead,
    estimate_score,
    evaluate_like_humans,
    ownership_after,
)
from tengen.nets import Evaluation
from tengen.protocols.gtp.genmove import CANCELLED, decision_text, play_decision
from tengen.protocols.gtp.observer import ReadReport, SearchObserver
from tengen.protocols.gtp.protocol import CommandError, StopOn, parse_number, require, vertex_text
from tengen.protocols.gtp.session import Session, command
from tengen.search import Candidate, SearchLimit, SearchReport

DEFAULT_INTERVAL_S = 1.0
COLORS = ("b", "w", "black", "white")
FLAGS = (
    "rootInfo",
    "ownership",
    "movesOwnership",
    "pvVisits",
    "pvEdgeVisits",
    "ownershipStdev",
    "movesOwnershipStdev",
    "noResultValue",
)
"""KataGo's flags. Standard deviations and no-result values are accepted and never reported."""
KEYS = ("interval", "minmoves", "maxmoves", "avoid", "allow", *FLAGS)
VALUE_COUNTS = {"avoid": 3, "allow": 3}
"""Number of values after a key, where it is not 1."""
NO_MAXIMUM = 10**6
CGOS_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
CGOS_STEPS = 62
"""CGOS encodes an ownership from -1 to 1 as one of the first 63 letters."""
IDENTITY_SYMMETRIES = ("0", "all")
"""Arguments of `kata-raw-nn` that mean the board as it is."""


# Arguments


class AnalysisOptions:
    """The arguments of an analysis command: `[color] [interval] [key value]...`, in any order."""

    def __init__(self, session: Session, arguments: list[str]):
        """Parse the arguments; raise CommandError."""
        self.color = session.position.to_play
        self.interval_s = DEFAULT_INTERVAL_S
        self.min_moves = 0
        self.max_moves = NO_MAXIMUM
        self.flags: set[str] = set()
        self.restrictions = MoveRestrictions()
        restricted: list[tuple[str, Color, list[int]]] = []
        words = list(arguments)
        while words:
            key = words.pop(0)
            if key.lower() in COLORS:
                self.color = session.parse_color(key)
            elif key.replace(".", "", 1).isdigit():
                self.interval_s = _centiseconds(key)
            elif key in ("avoid", "allow"):
                restricted.append(_restriction(session, key, _take_values(key, words)))
            else:
                self._set(key, words)
        # Apply `avoid` and `allow` last, since the color may be named after them.
        for key, color, points in restricted:
            if color is self.color:
                restrictions = self.restrictions
                restrict = restrictions.avoiding if key == "avoid" else restrictions.allowing
                self.restrictions = restrict(points)

    def _set(self, key: str, words: list[str]) -> None:
        if key not in KEYS:
            raise CommandError(f"unknown key {key}: use {', '.join(KEYS)}")
        (value,) = _take_values(key, words)
        if key == "interval":
            self.interval_s = _centiseconds(value)
        elif key == "minmoves":
            self.min_moves = int(parse_number(value, "minmoves N"))
        elif key == "maxmoves":
            self.max_moves = max(int(parse_number(value, "maxmoves N")), 1)
        elif value.lower() == "true":
            self.flags.add(key)

    def reported(self, report: SearchReport) -> list[Candidate]:
        """Return the candidates to report."""
        candidates = self.restrictions.filter(report.candidates)
        visited = sum(candidate.visits > 0 for candidate in candidates)
        return candidates[: min(max(visited, self.min_moves), self.max_moves)]


def _take_values(key: str, words: list[str]) -> list[str]:
    """Remove the values of a key from the words and return them."""
    count = VALUE_COUNTS.get(key, 1)
    if len(words) < count:
        raise CommandError(f"{key} requires {count} value{'s' * (count > 1)}")
    return [words.pop(0) for _ in range(count)]


def _restriction(session: Session, key: str, values: list[str]) -> tuple[str, Color, list[int]]:
    """Parse the moves of `avoid` or `allow`; they apply at the root, whatever the depth."""
    color = session.parse_color(values[0])
    points = [session.parse_move(text) for text in values[1].split(",")]
    parse_number(values[2], f"{key} COLOR VERTEX,VERTEX,... DEPTH")
    return key, color, points


def _centiseconds(text: str) -> float:
    return max(parse_number(text, "interval in centiseconds", float), 1.0) / 100


# Output formats


class AnalysisContext(NamedTuple):
    """What the output formats need: the position, the options and the play settings."""

    position: Position
    options: AnalysisOptions
    play: PlaySettings
    human: Evaluation | None = None
    """The position as the human-like network evaluates it, if there is one."""

    @property
    def sign(self) -> int:
        """1 if Black is to move, else -1."""
        return self.position.to_play.sign

    def estimate(self, report: SearchReport) -> ScoreEstimate:
        """Return the score estimate of a report."""
        return estimate_score(report, self.position, self.play)

    def lead(self, estimated: ScoreEstimate, candidate: Candidate) -> float:
        """Return the lead of the side to move after a candidate."""
        return candidate_lead(candidate, estimated, self.position.to_play)

    def vertices(self, moves: Iterable[int]) -> str:
        """Return moves as text."""
        return " ".join(vertex_text(self.position, move) for move in moves)

    def ownership_text(self, ownership: Grid) -> str:
        """Return an ownership as numbers, row by row from the top."""
        return " ".join(f"{self.sign * value:.4f}" for value in ownership.flatten())


LineFormat = Callable[[SearchReport, AnalysisContext], str]


def lz_line(report: SearchReport, context: AnalysisContext) -> str:
    """Return one line of `lz-analyze`: integers, scaled by 10000."""
    return " ".join(
        f"info move {vertex_text(context.position, c.move)} visits {c.visits}"
        f" winrate {round(c.value * 10000)} prior {round(c.policy * 10000)}"
        f" lcb {round(c.lcb * 10000)} order {order} pv {context.vertices(c.line)}"
        for order, c in enumerate(context.options.reported(report))
    )


def kata_line(report: SearchReport, context: AnalysisContext) -> str:
    """Return one line of `kata-analyze`: floats, win rates from 0 to 1."""
    flags = context.options.flags
    estimated = context.estimate(report)
    reported = context.options.reported(report)
    after: dict[int, Grid] = {}
    if "movesOwnership" in flags:
        after = ownership_after(context.position, [c.move for c in reported], context.play.net)
    parts = [_kata_move(c, order, context, estimated, after) for order, c in enumerate(reported)]
    if "rootInfo" in flags:
        score = _kata_score(report.value, context.sign * estimated.lead, estimated)
        parts.append(f"rootInfo visits {report.visits}{score}")
    if "ownership" in flags:
        parts.append(f"ownership {context.ownership_text(estimated.ownership)}")
    return " ".join(parts)


def _kata_move(
    c: Candidate,
    order: int,
    context: AnalysisContext,
    estimated: ScoreEstimate,
    after: dict[int, Grid],
) -> str:
    parts = [
        f"info move {vertex_text(context.position, c.move)} visits {c.visits}",
        f"{_kata_score(c.value, context.lead(estimated, c), estimated)}",
        f" prior {c.policy:.6f} lcb {c.lcb:.6f}",
        f" utilityLcb {2 * c.lcb - 1:.6f} order {order} pv {context.vertices(c.line)}",
    ]
    if context.human is not None:
        parts.insert(-1, f" humanPrior {context.human.probability(c.move):.6f}")
    for flag in ("pvVisits", "pvEdgeVisits"):
        if flag in context.options.flags:
            parts.append(f" {flag} {' '.join(map(str, c.line_visits))}")
    if c.move in after:
        parts.append(f" movesOwnership {context.ownership_text(after[c.move])}")
    return "".join(parts)


def _kata_score(value: float, lead: float, estimated: ScoreEstimate) -> str:
    """Return the fields that moves and the root have in common."""
    return (
        f" utility {2 * value - 1:.6f} winrate {value:.6f} scoreMean {lead:.6f}"
        f" scoreStdev {estimated.stdev:.6f} scoreLead {lead:.6f} scoreSelfplay {lead:.6f}"
    )


def cgos_line(report: SearchReport, context: AnalysisContext) -> str:
    """Return the JSON object of `cgos-genmove_analyze` on one line."""
    estimated = context.estimate(report)
    moves = [
        {
            "move": vertex_text(context.position, c.move),
            "visits": c.visits,
            "winrate": round(c.value, 4),
            "score": round(context.lead(estimated, c), 2),
            "prior": round(c.policy, 6),
            "pv": context.vertices(c.line[1:]),
        }
        for c in context.options.reported(report)
    ]
    root = {
        "winrate": round(report.value, 4),
        "score": round(context.sign * estimated.lead, 2),
        "visits": report.visits,
        "moves": moves,
        "ownership": cgos_ownership(context.sign * estimated.ownership),
    }
    return json.dumps(root, separators=(",", ":"))


def cgos_ownership(ownership: Grid) -> str:
    """Return an ownership in the encoding of CGOS, one letter per point."""
    steps = np.rint((np.clip(ownership, -1, 1) + 1) / 2 * CGOS_STEPS).astype(int)
    return "".join(CGOS_LETTERS[step] for step in steps.flatten())


# Commands


class AnalysisStream:
    """The progress callback of an analysis: sends a line at every interval.

    The reply begins when the search runs; earlier failures are reported as usual.
    """

    def __init__(self, session: Session, options: AnalysisOptions, line: LineFormat):
        self._output = session.output
        self._line = line
        self.position = session.position.copy()
        self.position.to_play = options.color
        play = session.settings.play
        human = evaluate_like_humans(play, self.position)
        self._context = AnalysisContext(self.position, options, play, human)
        self.observer = SearchObserver(session, self.position)

    def __call__(self, read: ReadReport) -> None:
        """Begin the reply, then observe the search."""
        self._output.begin_stream()
        self.observer(read)

    def send(self, report: SearchReport) -> None:
        """Send the state of the search; nothing before the first visit."""
        self._output.begin_stream()
        if line := self._line(report, self._context):  # a blank line would end the reply
            self._output.send(line + "\n")

    def finish(self, report: SearchReport | None) -> None:
        """Send the final state, if there was a search."""
        self._output.begin_stream()
        if report is not None:
            self.send(report)
        self.observer.finish(report)


def _analyze(session: Session, arguments: list[str], line: LineFormat) -> str:
    """Search until the next input and report the state at every interval.

    The reply is sent while the search runs, so the result is empty.
    """
    options = AnalysisOptions(session, arguments)
    engine = session.engine  # created before the first interval begins
    stream = AnalysisStream(session, options, line)
    stream.observer.every(options.interval_s, stream.send)
    position = stream.position
    with session.input.stopping(StopOn.ANY_LINE, engine.stop):
        allowed = options.restrictions.moves(position)
        report = engine.analyze(position, SearchLimit(), stream, allowed)
    stream.finish(report)
    session.holder.report_problems()
    return ""


def _genmove_analyze(
    session: Session, arguments: list[str], line: LineFormat, final_only: bool = False
) -> str:
    """Choose a move, play it and report the search; only `# interrupt` stops it."""
    options, started_s = AnalysisOptions(session, arguments), time.monotonic()
    decision = _decide(session, options, line, StopOn.INTERRUPT, final_only)
    spent_s = time.monotonic() - started_s
    move = play_decision(session, options.color, decision, spent_s)
    session.output.send(f"play {move}\n")
    return ""


def _search_analyze(session: Session, arguments: list[str], is_cancellable: bool) -> str:
    """Choose a move without playing it and report the search; optionally, any input cancels it."""
    stop_on = StopOn.ANY_LINE if is_cancellable else StopOn.INTERRUPT
    decision = _decide(session, AnalysisOptions(session, arguments), kata_line, stop_on)
    is_cancelled = is_cancellable and session.input.has_lines()
    move = CANCELLED if is_cancelled else decision_text(session, decision)
    session.output.send(f"play {move}\n")
    return ""


def _decide(
    session: Session,
    options: AnalysisOptions,
    line: LineFormat,
    stop_on: StopOn,
    final_only: bool = False,
) -> MoveDecision:
    """Let the engine choose a move and report the search."""
    engine, clock = session.engine, session.clocks[options.color]
    stream = AnalysisStream(session, options, line)
    if not final_only:
        stream.observer.every(options.interval_s, stream.send)
    with session.input.stopping(stop_on, engine.stop):
        decision = engine.think(stream.position, clock, stream, options.restrictions)
    stream.finish(decision.report)
    session.holder.report_problems()
    return decision


LINE_FORMATS: dict[str, LineFormat] = {"lz-": lz_line, "kata-": kata_line, "": kata_line}
"""By command prefix: Leela Zero's, KataGo's, and none as Sabaki sends it."""

for _prefix, _line in LINE_FORMATS.items():
    command(f"{_prefix}analyze")(partial(_analyze, line=_line))
    command(f"{_prefix}genmove_analyze")(partial(_genmove_analyze, line=_line))
command("kata-search_analyze")(partial(_search_analyze, is_cancellable=False))
command("kata-search_analyze_cancellable")(partial(_search_analyze, is_cancellable=True))
command("cgos-genmove_analyze")(partial(_genmove_analyze, line=cgos_line, final_only=True))


@command("kata-raw-nn")
def kata_raw_nn(session: Session, arguments: list[str]) -> str:
    """Return the raw output of the network, the bundled one if none is set: `kata-raw-nn 0`."""
    from tengen.engine import DEFAULT, NONE, evaluate_with_net

    _require_identity("kata-raw-nn", arguments)
    net = session.settings.play.net
    output = evaluate_with_net(DEFAULT if net == NONE else net, session.position)
    if output is None:
        raise CommandError("the board is too small, or the outputs of the network are not finite")
    return _raw_output(session, output)


@command("kata-raw-human-nn")
def kata_raw_human_nn(session: Session, arguments: list[str]) -> str:
    """Return the raw output of the human-like network: `kata-raw-human-nn 0`."""
    from tengen.engine import evaluate_like_humans

    _require_identity("kata-raw-human-nn", arguments)
    output = evaluate_like_humans(session.settings.play, session.position)
    if output is None:
        raise CommandError(
            "no human-like network: start with -human-model FILE and set its players, for example"
            " kata-set-param humanSLProfile rank_5k"
        )
    return _raw_output(session, output)


def _require_identity(name: str, arguments: list[str]) -> None:
    """Raise CommandError unless the symmetry is the identity."""
    symmetry = require([*arguments, "0"], 1, f"{name} SYMMETRY")[0]
    if symmetry not in IDENTITY_SYMMETRIES:
        raise CommandError(f"symmetries are not supported: use {name} 0 or all")


def _raw_output(session: Session, output: Evaluation) -> str:
    """Return the output of a network in KataGo's format."""
    sign = -1 if session.position.to_play is Color.BLACK else 1
    white_win = output.win_to_play if sign == 1 else 1 - output.win_to_play
    policy = np.where(session.position.legal_grid(), output.policy, np.nan)
    return "\n".join(
        [
            "symmetry 0",
            f"whiteWin {white_win:.6f}",
            f"whiteLoss {1 - white_win:.6f}",
            "noResult 0.000000",
            f"whiteLead {sign * output.lead_to_play:.3f}",
            f"whiteScoreSelfplay {sign * output.lead_to_play:.3f}",
            "policy",
            *_grid_rows(policy, "%.6f"),
            f"policyPass {output.pass_probability:.6f}",
            "whiteOwnership",
            *_grid_rows(sign * output.ownership_to_play, "%.5f"),
        ]
    )


def _grid_rows(grid: "np.ndarray[tuple[int, ...], np.dtype[np.floating]]", form: str) -> list[str]:
    """Return a grid as lines of numbers; NAN for illegal moves, as in KataGo."""
    return [" ".join("NAN" if np.isnan(v) else form % v for v in row) for row in grid]

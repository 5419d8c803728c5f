"""Objectives: compare two settings by games, or by a reference engine's evaluation of moves.

An objective turns a duel into a self-contained task that any executor can run.
"""

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tengen.board import BLACK, Color, Move, Position
from tengen.engine import Clock
from tengen.match.entrants import Entrant, is_in_process, make_player
from tengen.match.plan import GameTask, MatchPlan
from tengen.match.player import RESIGN, GtpPlayer, Player
from tengen.match.results import component_failures, points_of
from tengen.match.settings import MatchSettings, Openings, setup_moves
from tengen.match.store import GameRow
from tengen.match.tuning.tuner import Duel, DuelResult, fill_template
from tengen.match.worker import PlayerPool, play_task
from tengen.records import EndReason, read_games
from tengen.util import TengenError

MAX_GAMES = 5000
"""Number of game records that positions are drawn from."""
_REFERENCE_TRIES = 2
_REPORT_INTERVAL_CS = 360_000
"""Interval of analysis reports in centiseconds (one hour): only the last one is needed."""
_WIN_RATE = re.compile(r"info move \S+ .*?\bwinrate (\S+)")
_WIN_RATE_SCALE = {"kata-genmove_analyze": 1.0, "lz-genmove_analyze": 10_000.0}
"""Win rate of a won game, by analysis command."""
_ABORTED = (EndReason.CRASH, EndReason.HANG)


class DuelTask(Protocol):
    """A duel to run in a worker."""

    def run(self) -> DuelResult:
        """Run the duel."""


class Objective(Protocol):
    """Compares two settings."""

    def task(self, duel: Duel) -> DuelTask:
        """Return the task of a duel."""


def run_task(task: DuelTask) -> DuelResult:
    """Run a task; the function that executors call."""
    return task.run()


PLAYERS: PlayerPool[Player] = PlayerPool(make_player, max_idle=2)
"""Players of the current duel; other settings rarely recur."""


# Games


@dataclass(frozen=True)
class MatchObjective:
    """Two games with the same opening and swapped colors."""

    template: str
    settings: MatchSettings
    openings: Openings
    scoring: str
    seed: int

    def task(self, duel: Duel) -> "MatchTask":
        """Return the pair of games."""
        specs = (fill_template(self.template, values) for values in (duel.first, duel.second))
        entrants = Entrant("first", next(specs)), Entrant("second", next(specs))
        plan = MatchPlan(entrants, ((0, 1),), self.settings, self.openings, self.scoring, self.seed)
        games = plan.task(2 * duel.number), plan.task(2 * duel.number + 1)
        return MatchTask(games, entrants)


@dataclass(frozen=True)
class MatchTask:
    """A pair of games; player 0 has the first setting."""

    games: tuple[GameTask, GameTask]
    entrants: tuple[Entrant, Entrant]

    def run(self) -> DuelResult:
        """Play both games."""
        rows = [play_task(game, PLAYERS) for game in self.games]
        points = sum(points_of(row, 0) for row in rows)
        margins = [_first_margin(row) for row in rows if row.margin is not None]
        margin = sum(margins) / max(len(margins), 1)
        problem = _match_problem(rows, self.entrants)
        return DuelResult(points / len(rows), margin, len(rows), problem)


def _match_problem(rows: Sequence[GameRow], entrants: Sequence[Entrant]) -> str:
    """Return why all games were aborted or which components failed; empty if nothing did."""
    if all(row.reason in _ABORTED for row in rows):
        return f"no game was finished: {rows[-1].note}"
    return "; ".join(component_failures(entrants, rows))


def _first_margin(row: GameRow) -> float:
    """Return the margin from the point of view of player 0."""
    margin = row.margin or 0.0
    return margin if row.black == 0 else -margin


# Evaluation by a reference engine


class ReferenceEngine(GtpPlayer):
    """A GTP engine that evaluates positions by `kata-` or `lz-genmove_analyze`."""

    def win_rate(self, color: Color, limit_s: float) -> float:
        """Return the win rate of `color`, to play, after its best move; raise TengenError.

        The engine plays the move: set up the position again before the next call.
        """
        command = next((known for known in _WIN_RATE_SCALE if known in self.commands), None)
        if command is None:
            wanted = " or ".join(_WIN_RATE_SCALE)
            raise TengenError(f"{self.name} cannot evaluate moves: it needs {wanted}")
        text = self.ask(f"{command} {color.letter.lower()} {_REPORT_INTERVAL_CS}", limit_s)
        # Without a report there was nothing to search: the game is over.
        if "info " not in text:
            return self._win_by_score(color)
        return last_win_rate(text, _WIN_RATE_SCALE[command])

    def _win_by_score(self, color: Color) -> float:
        """Return 1 for a won game, 0 for a lost one."""
        lead = self.final_score()
        if lead is None:
            raise TengenError(f"{self.name} reports neither a win rate nor a score")
        return 0.5 if lead == 0 else float((lead > 0) == (color is BLACK))


def last_win_rate(text: str, scale: float) -> float:
    """Return the win rate of the best move in the last report, 0 to 1; raise TengenError.

    `scale` is the engine's value for a won game.
    """
    reports = [line for line in text.splitlines() if line.startswith("info ")]
    match = _WIN_RATE.match(reports[-1]) if reports else None
    try:
        rate = float(match[1]) / scale if match else math.nan
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= 1:
        raise TengenError(f"no win rate in {text[:80]!r}")
    return rate


REFERENCE_ENGINES: PlayerPool[ReferenceEngine] = PlayerPool(ReferenceEngine)


class RecordedGame(NamedTuple):
    """Moves of a game; the first `setup` of them are setup stones."""

    setup: int
    moves: tuple[Move, ...]


class ChosenMove(NamedTuple):
    """A player's move, or the problem that prevented one."""

    move: int
    problem: str = ""
    component_failure: str = ""
    """Log of a network or source that failed during the choice."""


@dataclass(frozen=True)
class ReferenceObjective:
    """A reference engine evaluates the moves that both settings choose in a random position.

    Paper 001 does this with Fuego.
    """

    template: str
    command: str
    settings: MatchSettings
    games: tuple[RecordedGame, ...]
    seed: int

    def task(self, duel: Duel) -> "ReferenceTask":
        """Draw a position and return the task."""
        rng = random.Random(f"{self.seed}:{duel.number}")
        setup, moves = rng.choice(self.games)
        specs = (
            fill_template(self.template, duel.first),
            fill_template(self.template, duel.second),
        )
        length = rng.randrange(setup, len(moves))
        seed = rng.getrandbits(31)
        return ReferenceTask(specs, self.command, self.settings, moves[:length], seed)


@dataclass(frozen=True)
class ReferenceTask:
    """A position, two players and a reference engine."""

    players: tuple[str, str]
    command: str
    settings: MatchSettings
    moves: tuple[Move, ...]
    seed: int

    def run(self) -> DuelResult:
        """Request both moves and compare their evaluations."""
        position = Position(self.settings.rows, self.settings.columns, self.settings.rules)
        position.play_sequence(self.moves)
        first, second = (self._choose(spec, position.to_play) for spec in self.players)
        if first.problem and second.problem:
            return DuelResult(0.5, games=0, problem=f"both players failed: {first.problem}")
        failure = first.component_failure or second.component_failure
        if first.move == second.move:
            return DuelResult(0.5, games=1, problem=failure)
        result = self._compare(position, (first.move, second.move))
        return result if result.problem else result._replace(problem=failure)

    def _compare(self, position: Position, moves: tuple[int, int]) -> DuelResult:
        """Return the reference engine's comparison of two moves."""
        problem = ""
        for _ in range(_REFERENCE_TRIES):
            try:
                with REFERENCE_ENGINES.borrow(self.command) as engine:
                    first, second = (self._win_rate(engine, position, move) for move in moves)
                return DuelResult((1 + first - second) / 2, games=1)
            except Exception as error:
                problem = f"the reference engine failed: {error}"
        return DuelResult(0.5, games=0, problem=problem)

    def _choose(self, spec: str, color: Color) -> ChosenMove:
        """Return a player's move; a failure counts as a resignation."""
        control = self.settings.time_control
        with PLAYERS.borrow(spec) as player:
            try:
                self._set_up(player)
                if not control.is_unlimited:
                    player.set_clock(color, Clock(control, self.settings.lag_s))
                move = player.genmove(color, self.settings.move_timeout_s)
                failure = player.log if is_in_process(spec) else ""
                return ChosenMove(move, component_failure=failure)
            except Exception as error:
                return ChosenMove(RESIGN, problem=str(error) or repr(error))

    def _win_rate(self, engine: ReferenceEngine, position: Position, move: int) -> float:
        """Return the win rate of the moving side after a move; 0 if it is illegal."""
        color = position.to_play
        if move == RESIGN or not position.is_legal(move):
            return 0.0
        self._set_up(engine)
        engine.play(color, move)
        return 1 - engine.win_rate(color.opponent, self.settings.move_timeout_s)

    def _set_up(self, player: Player) -> None:
        player.new_game(self.settings, self.seed)
        for move in self.moves:
            player.play(move.color, move.move)


def load_games(path: str, settings: MatchSettings) -> tuple[RecordedGame, ...]:
    """Return games of the match's board size, drawn uniformly; raise TengenError if there are none.

    A game is truncated at its first illegal move.
    """
    size = settings.rows, settings.columns
    draw = random.Random(1)
    found: list[RecordedGame] = []
    usable = 0
    for record in read_games(path):
        if (record.rows, record.columns) == size and record.moves and not record.setup_changes:
            setup = setup_moves(record)
            moves = _legal_part([*setup, *record.moves], settings)
            if len(moves) == len(setup):
                continue
            usable += 1
            place = draw.randrange(usable)  # reservoir sampling
            if len(found) < MAX_GAMES:
                found.append(RecordedGame(len(setup), moves))
            elif place < MAX_GAMES:
                found[place] = RecordedGame(len(setup), moves)
    if not found:
        raise TengenError(f"no games of size {settings.size_text} in {path}")
    return tuple(found)


def _legal_part(moves: Sequence[Move], settings: MatchSettings) -> tuple[Move, ...]:
    """Return the moves before the first illegal one."""
    position = Position(settings.rows, settings.columns, settings.rules)
    return tuple(moves[: position.play_sequence(moves)])

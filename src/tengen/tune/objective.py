"""How two settings are compared: by games against each other, or by a stronger engine's word.

An objective turns a duel into a task that an executor can run anywhere; the task holds all that
it needs.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tengen.board.colour import Colour
from tengen.board.position import Move, Position
from tengen.core.errors import TengenError
from tengen.match.clock import Clock
from tengen.match.factory import is_in_process, make_player
from tengen.match.game import Reason
from tengen.match.openings import Openings, setup_moves
from tengen.match.plan import Entrant, GameTask, MatchPlan
from tengen.match.player import RESIGN, Player
from tengen.match.setting import GameSetting
from tengen.match.store import GameRow
from tengen.match.tally import crippled
from tengen.match.work import PlayerPool, play_task
from tengen.records.reader import read_games
from tengen.tune.duel import Duel, DuelResult
from tengen.tune.parameter import fill
from tengen.tune.valuer import GtpValuer


class Task(Protocol):
    """Something to run in a worker."""

    def run(self) -> DuelResult:
        """Fight the duel."""


class Objective(Protocol):
    """A way to compare two settings."""

    def task(self, duel: Duel) -> Task:
        """Return what is to be run."""


def run_task(task: Task) -> DuelResult:
    """Run a task: what an executor is given."""
    return task.run()


PLAYERS = PlayerPool(make_player, most_idle=2)
"""Those of one duel stay for its second game; other settings seldom come back."""

# Games


@dataclass(frozen=True)
class MatchObjective:
    """Two games on one opening with colours swapped."""

    template: str
    setting: GameSetting
    openings: Openings
    judge: str
    seed: int

    def task(self, duel: Duel) -> "MatchTask":
        """Return the pair of games."""
        texts = fill(self.template, duel.first), fill(self.template, duel.second)
        entrants = Entrant("first", texts[0]), Entrant("second", texts[1])
        plan = MatchPlan(entrants, ((0, 1),), self.setting, self.openings, self.judge, self.seed)
        games = plan.task(2 * duel.number), plan.task(2 * duel.number + 1)
        return MatchTask(games, entrants)


@dataclass(frozen=True)
class MatchTask:
    """A pair of games; player 0 is the first of the duel."""

    games: tuple[GameTask, GameTask]
    entrants: tuple[Entrant, Entrant]

    def run(self) -> DuelResult:
        """Play both games."""
        rows = [play_task(game, PLAYERS) for game in self.games]
        points = sum(0.5 if row.winner is None else float(row.winner == 0) for row in rows)
        margins = [_margin(row) for row in rows if row.margin is not None]
        margin = sum(margins) / max(len(margins), 1)
        problem = _problem(rows, self.entrants)
        return DuelResult(points / len(rows), margin, len(rows), problem)


BROKEN_OFF = (Reason.CRASH, Reason.HANG)


def _problem(rows: Sequence[GameRow], entrants: Sequence[Entrant]) -> str:
    """Tell why all games broke off, or what a player did without; nothing if all was well."""
    if all(row.reason in BROKEN_OFF for row in rows):
        return f"no game came to an end: {rows[-1].note}"
    return "; ".join(crippled(entrants, rows))


def _margin(row: GameRow) -> float:
    """Return the margin from the side of player 0."""
    margin = row.margin or 0.0
    return margin if row.black == 0 else -margin


# A stronger engine's word


class Line(NamedTuple):
    """The moves of a game, the first of them stones that were set up."""

    setup: int
    moves: tuple[Move, ...]


class Choice(NamedTuple):
    """The move of a player, and why it is none if the player failed."""

    move: int
    problem: str = ""
    lack: str = ""
    """What failed while it was chosen: a net, or a source of one's own."""


VALUERS = PlayerPool(GtpValuer)
TRIES = 2
"""How often a judge is asked about a position on which it fails."""


@dataclass(frozen=True)
class JudgeObjective:
    """A stronger engine values the moves that both settings choose on a position from a game.

    As paper 001 did with Fuego: a random position of a random game for each duel.
    """

    template: str
    judge_command: str
    setting: GameSetting
    games: tuple[Line, ...]
    seed: int

    def task(self, duel: Duel) -> "JudgeTask":
        """Draw the position and return the task."""
        dice = random.Random(f"{self.seed}:{duel.number}")
        setup, moves = dice.choice(self.games)
        texts = fill(self.template, duel.first), fill(self.template, duel.second)
        length = dice.randrange(setup, len(moves))
        seed = dice.getrandbits(31)
        return JudgeTask(texts, self.judge_command, self.setting, moves[:length], seed)


@dataclass(frozen=True)
class JudgeTask:
    """A position, two players and a judge."""

    players: tuple[str, str]
    judge_command: str
    setting: GameSetting
    moves: tuple[Move, ...]
    seed: int

    def run(self) -> DuelResult:
        """Ask both for a move, and the judge for what the moves are worth."""
        position = Position(self.setting.rows, self.setting.columns, self.setting.rules)
        position.play_sequence(self.moves)
        first, second = (self._choice(spec, position.to_play) for spec in self.players)
        if first.problem and second.problem:
            return DuelResult(0.5, games=0, problem=f"both players failed: {first.problem}")
        lack = first.lack or second.lack
        if first.move == second.move:
            return DuelResult(0.5, games=1, problem=lack)
        judged = self._judged(position, (first.move, second.move))
        return judged if judged.problem else judged._replace(problem=lack)

    def _judged(self, position: Position, moves: tuple[int, int]) -> DuelResult:
        """Return what the judge says of two moves."""
        problem = ""
        for _ in range(TRIES):
            try:
                with VALUERS.borrow(self.judge_command) as judge:
                    first, second = (self._worth(judge, position, move) for move in moves)
                return DuelResult((1 + first - second) / 2, games=1)
            except Exception as error:
                problem = f"the judge failed: {error}"
        return DuelResult(0.5, games=0, problem=problem)

    def _choice(self, spec: str, colour: Colour) -> Choice:
        """Return the move of a player; one that fails has resigned, as it loses a game."""
        with PLAYERS.borrow(spec) as player:
            try:
                self._set_up(player)
                if self.setting.control is not None:
                    player.tell_time(colour, Clock(self.setting.control, self.setting.lag_s))
                move = player.genmove(colour, self.setting.move_timeout_s)
                lack = player.log if is_in_process(spec) else ""
                return Choice(move, lack=lack)
            except Exception as error:
                return Choice(RESIGN, problem=str(error) or repr(error))

    def _worth(self, judge: GtpValuer, position: Position, move: int) -> float:
        """Return the chance to win after a move, for the side that makes it; 0 if illegal."""
        mover = position.to_play
        if move == RESIGN or not position.is_legal(move):
            return 0.0
        self._set_up(judge)
        judge.play(mover, move)
        return 1 - judge.win_rate(mover.opponent)

    def _set_up(self, player: Player) -> None:
        player.new_game(self.setting, self.seed)
        for move in self.moves:
            player.play(move.colour, move.move)


MOST_GAMES = 5000
"""Positions of so many games are enough; to read all of a large collection takes minutes."""


def load_positions(path: str, setting: GameSetting) -> tuple[Line, ...]:
    """Return the moves of the first games on this board; raise TengenError if there are none.

    A game that goes on against the rules of the setting is cut there.
    """
    size = setting.rows, setting.columns
    found: list[Line] = []
    for record in read_games(path):
        if (record.rows, record.columns) == size and record.moves and not record.changes:
            setup = setup_moves(record)
            moves = _legal_part([*setup, *record.moves], setting)
            found += [Line(len(setup), moves)] if len(moves) > len(setup) else []
        if len(found) == MOST_GAMES:
            break
    if not found:
        raise TengenError(f"no games of size {setting.size_text} in {path}")
    return tuple(found)


def _legal_part(moves: Sequence[Move], setting: GameSetting) -> tuple[Move, ...]:
    """Return the moves up to the first that the rules forbid."""
    position = Position(setting.rows, setting.columns, setting.rules)
    return tuple(moves[: position.play_sequence(moves)])

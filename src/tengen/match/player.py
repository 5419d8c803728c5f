"""Who can play in a match, and GTP programs as players.

A player keeps its own board and is told everything. It is never asked who won or whether a move
was legal: that is for the game (see `tengen.match.game`).
"""

import contextlib
import json
import re
import shlex
from collections.abc import Sequence
from typing import Protocol

from tengen.board.colour import BLACK, Colour
from tengen.board.katago_rules import rules_to_katago
from tengen.board.points import parse_vertex, vertex
from tengen.board.rules import Rules
from tengen.core.errors import TengenError
from tengen.match.clock import BYOYOMI, Clock, TimeControl
from tengen.match.gtp_client import GtpClient, GtpError
from tengen.match.setting import GameSetting

RESIGN = -1
"""What `genmove` returns instead of a move to give up."""

SEED_WORD = "{seed}"
"""Stands in a command line for the seed of the game; the program is then started anew for each."""
SCORE = re.compile(r"\s*(?:(?P<side>[BbWw])\+(?P<points>[0-9]+(?:\.[0-9]*)?)|0(?:\.0*)?)(?:\s|$)")
LARGEST_SEED = 2**31 - 1


class BadMoveError(TengenError):
    """A player answered something that is not a move on this board."""


class BadScoreError(TengenError):
    """A player answered something that is not a score."""


class Player(Protocol):
    """One side of a game, whatever it is made of.

    Any method may raise: the player then loses the game, and `new_game` must work afterwards.
    """

    @property
    def name(self) -> str:
        """What the player calls itself."""

    @property
    def version(self) -> str:
        """Its version, or an empty text."""

    @property
    def cpu_s(self) -> float | None:
        """CPU time used since it was made; None if unknown."""

    @property
    def log(self) -> str:
        """What it said beside its moves since the game began, cut to a sane length."""

    def new_game(self, setting: GameSetting, seed: int) -> None:
        """Get ready for a game, handicap stones put; raise TengenError if the board is refused."""

    def play(self, colour: Colour, move: int) -> None:
        """Take note of a move, of either side."""

    def tell_time(self, colour: Colour, clock: Clock) -> None:
        """Take note of a clock before `genmove`."""

    def genmove(self, colour: Colour, limit_s: float) -> int:
        """Choose, play and return a move or RESIGN; after `limit_s` the player counts as hung."""

    def final_score(self) -> float | None:
        """Return the margin from Black's side, or None if the player cannot tell."""

    def close(self) -> None:
        """End for good."""


class GtpPlayer:
    """A GTP program. It is started at the first game, and again after it died or was killed."""

    def __init__(self, command: str):
        """Take the command line; `{seed}` in it stands for the seed of each game."""
        self.command = command
        self.name = ""
        self.version = ""
        self._commands: frozenset[str] = frozenset()
        self._client: GtpClient | None = None
        self._setting = GameSetting()
        self._past_cpu_s = 0.0
        self._is_starting = False
        """Whether no game has begun since the program was started."""
        self._knows_periods = False
        """Whether the program was told of byo-yomi as such."""

    @property
    def cpu_s(self) -> float | None:
        """CPU time of all processes started so far; None where it cannot be known."""
        if self._client is None:
            return self._past_cpu_s
        now_s = self._client.cpu_s
        return None if now_s is None else self._past_cpu_s + now_s

    @property
    def log(self) -> str:
        """The last lines of the program's standard error."""
        return self._client.stderr if self._client else ""

    def new_game(self, setting: GameSetting, seed: int) -> None:
        """Start the program if need be, and set board, komi, rules, clock, seed and handicap."""
        self._setting = setting
        seed %= LARGEST_SEED
        self._ensure_running(seed)
        self._set_board()
        self._try("set_random_seed", str(seed))
        self._set_rules(setting.rules)
        if setting.control is not None:
            self._set_time(setting.control)
        if setting.handicap:
            self._place_handicap(setting.handicap_points)
        self._is_starting = False

    def play(self, colour: Colour, move: int) -> None:
        """Tell the program a move."""
        self._send(f"play {colour.letter.lower()} {vertex(move, self._setting.rows)}")

    def tell_time(self, colour: Colour, clock: Clock) -> None:
        """Send `time_left` if the program knows it."""
        left = clock.gtp if self._knows_periods else clock.gtp_by_moves
        self._try("time_left", f"{colour.letter.lower()} {left}")

    def genmove(self, colour: Colour, limit_s: float) -> int:
        """Ask for a move; raise BadMoveError if the answer is none."""
        text = self._running().send(f"genmove {colour.letter.lower()}", limit_s)
        if text.lower() == "resign":
            return RESIGN
        try:
            return parse_vertex(text, self._setting.rows, self._setting.columns)
        except TengenError as error:
            raise BadMoveError(str(error)) from None

    def final_score(self) -> float | None:
        """Ask for the score; None if the program does not know or cannot tell."""
        if "final_score" not in self._commands:
            return None
        try:
            return parse_score(self._send("final_score"))
        except (GtpError, BadScoreError):
            return None

    def close(self) -> None:
        """End the program."""
        if self._client is not None:
            self._client.close()
            self._past_cpu_s = self.cpu_s or 0.0
            self._client = None

    def kill(self) -> None:
        """End the program without asking; may be called from another thread."""
        if self._client is not None:
            self._client.kill()

    # Inside

    def _ensure_running(self, seed: int) -> None:
        if self._client is not None and self._client.alive and SEED_WORD not in self.command:
            self._client.forget_stderr()
            return
        self.close()
        self._is_starting = True
        words = [word.replace(SEED_WORD, str(seed)) for word in split_command(self.command)]
        self._client = GtpClient(words)
        limit_s = self._setting.start_timeout_s
        self.name = self._client.send("name", limit_s)
        with contextlib.suppress(GtpError):
            self.version = self._client.send("version", limit_s)
        self._commands = frozenset(self._client.send("list_commands", limit_s).split())

    def _set_board(self) -> None:
        setting = self._setting
        square = setting.rows == setting.columns
        size = str(setting.rows) if square else f"{setting.columns} {setting.rows}"
        try:
            self._send(f"boardsize {size}")
        except GtpError as error:
            raise TengenError(f"{self.name} refuses size {setting.size_text}: {error}") from None
        self._send("clear_board")
        self._send(f"komi {setting.rules.komi:g}")

    def _set_rules(self, rules: Rules) -> None:
        """Tell the rules as exactly as the program understands.

        Not by name where that can be helped: KataGo's `chinese` has another ko than ours.
        """
        if "kata-set-rules" not in self._commands:
            self._try("kgs-rules", rules.name.replace("-", "_"))
            return
        try:
            exactly = json.dumps(rules_to_katago(rules), separators=(",", ":"))
            self._send(f"kata-set-rules {exactly}")
        except GtpError:
            self._try("kata-set-rules", rules.name)

    def _set_time(self, control: TimeControl) -> None:
        """Tell the time control as exactly as the program understands."""
        told = next(filter(self._accepts, control.gtp_commands), "")
        self._knows_periods = BYOYOMI in told.split()

    def _place_handicap(self, points: Sequence[int]) -> None:
        """Put the stones on the program's board: all at once, so that it knows what they are.

        A program without a command for that, or that would have other points, is told moves.
        """
        stones = [vertex(point, self._setting.rows) for point in points]
        freely = f"set_free_handicap {' '.join(stones)}"
        if self._has_fixed_handicap(stones) or self._accepts(freely):
            return
        for point in points:
            self.play(BLACK, point)

    def _has_fixed_handicap(self, stones: Sequence[str]) -> bool:
        """Have the program put its own fixed handicap; tell whether it is that of these stones.

        If it is not, its board is empty again.
        """
        if "fixed_handicap" not in self._commands:
            return False
        try:
            placed = self._send(f"fixed_handicap {len(stones)}")
        except GtpError:
            return False
        if sorted(placed.upper().split()) == sorted(stones):
            return True
        self._send("clear_board")
        return False

    def _try(self, command: str, arguments: str) -> None:
        """Send a command that is only a help: nothing if unknown, no matter if refused."""
        self._accepts(f"{command} {arguments}")

    def _accepts(self, command: str) -> bool:
        """Send a command if the program knows it; tell whether it did what was asked."""
        if command.split()[0] not in self._commands:
            return False
        try:
            self._send(command)
        except GtpError:
            return False
        return True

    def _send(self, command: str) -> str:
        """Send a command; a program that has just started may load or compile before any."""
        setting = self._setting
        limit_s = setting.start_timeout_s if self._is_starting else setting.command_timeout_s
        return self._running().send(command, limit_s)

    def _running(self) -> GtpClient:
        if self._client is None:
            raise AssertionError("new_game comes first")
        return self._client


def split_command(command: str) -> list[str]:
    """Split a command line into words as a shell would; raise TengenError if it has none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TengenError(f"cannot read the command line {command!r}: {error}") from None
    if not words:
        raise TengenError("an engine's command line is empty")
    return words


def parse_score(text: str) -> float:
    """Read `B+3.5`, `W+2` or `0` as a margin from Black's side; raise BadScoreError."""
    found = SCORE.match(text)
    if not found:
        raise BadScoreError(f"not a score: {text!r}")
    if found["side"] is None:
        return 0.0
    return float(found["points"]) * (1 if found["side"] in "Bb" else -1)

"""A game against the engine in the terminal."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from tengen.board import (
    LETTERS,
    PASS,
    Color,
    Position,
    column_of,
    parse_vertex,
    point_at,
    row_of,
    star_points,
)
from tengen.engine import (
    AUTO,
    DEAD_OWNERSHIP,
    DEFAULT,
    STRONGEST,
    Engine,
    MoveDecision,
    MoveReason,
    TerritoryEstimate,
    create_engine,
    estimate_territory,
    is_settled,
    rank_name,
    record_result,
    stored_estimate,
)
from tengen.nets import (
    DOWNLOADABLE_NETS,
    INT8_SUFFIX,
    NET_SUFFIX,
    available_nets,
    net_folder,
)
from tengen.playout import ChainStatus, FinalScore, score_position
from tengen.records import EndReason, GameResult
from tengen.search import Candidate
from tengen.util import TengenError
from tengen.web.net_installer import OFFERED_NETS

WOOD = "on #dcb35c"
GRID = f"#8a6d3b {WOOD}"
STONE_STYLES = {1: f"bold black {WOOD}", 2: f"bold bright_white {WOOD}"}
LAST_MOVE_STYLES = {1: "bold black on #f2d58c", 2: "bold bright_white on #a8803a"}
COLOR_SYMBOLS, UNICODE_SYMBOLS, ASCII_SYMBOLS = "·●●+", "·●○+", ".XO+"
"""Empty point, Black, White and star point: with colors, without, and without Unicode."""
SHOWN_OWNERSHIP = 0.5
"""Points with a smaller ownership are shown as undecided."""
HELP = """\
Type a move such as D4, or a command:
  pass      pass; two passes end the game
  undo      undo your last move and the engine's answer
  hint      show the move the engine would play for you
  score     estimate the score; of a finished game, count it
  resign    resign the game
  save FILE save the game as SGF
  get NET   download a stronger network and play with it: {offers}
  help      show this text
  quit      quit
After the end of the game, save, score, undo, help and quit still work."""


class Quit(Exception):  # noqa: N818  (not an error)
    """Ends the game loop."""


@dataclass
class TerminalGame:
    """A game between the user and the engine."""

    position: Position
    person: Color
    engine: Engine
    console: Console
    read: Callable[[str], str] = input
    reply_s: tuple[float, float] = (0.0, 0.0)
    """Range of the minimum time of a move of a level other than the strongest."""
    result: GameResult | None = None
    """None while the game is in progress."""
    _reported: set[str] = field(default_factory=set)
    _is_counted: bool = False
    """Whether the result has changed the estimated rank of the user."""

    def play(self) -> None:
        """Play until the user quits."""
        self.console.print("[bold]Tengen[/bold]: type a move such as D4, or [i]help[/i]")
        uses_net = self._level == STRONGEST and self.engine.settings.play.net == DEFAULT
        if uses_net and not self._has_strong_net():
            name = OFFERED_NETS[0]
            size = DOWNLOADABLE_NETS[name].wheel_bytes / 1e6
            self.console.print(f"Type [i]get {name}[/i] for a stronger network ({size:.0f} MB).")
        if self._level == AUTO:
            rank = rank_name(stored_estimate().playing_rank)
            self.console.print(f"Tengen plays at {rank}; you are {stored_estimate().text}.")
        self._show_board()
        try:
            while True:
                self._step()
                self._count_result()
        except (Quit, EOFError):
            self.console.print("Goodbye.")

    @property
    def _level(self) -> str:
        return self.engine.settings.play.level

    def _count_result(self) -> None:
        """Adjust the level `auto` to the result, once."""
        winner = None if self.result is None else self.result.winner
        if self._level != AUTO or self._is_counted or winner is None:
            return
        self._is_counted = True
        position = self.position
        stones = position.handicap * (1 if self.person is Color.BLACK else -1)
        estimate = record_result(winner is self.person, position.rows, position.columns, stones)
        self.console.print(f"You are {estimate.text}.", highlight=False)

    # Turns

    def _step(self) -> None:
        """Play the engine's move, score the finished game, or read a command."""
        if self.result is not None:
            self._read_command("game over> ")
        elif self.position.is_over:
            self._finish(score_position(self.position))
        elif self.position.to_play is self.person:
            self._read_command(f"{self.person.name.lower()} to play> ")
        else:
            self._play_engine_move()

    def _read_command(self, prompt: str) -> None:
        words = self.read(prompt).split()
        if not words:
            return
        name, arguments = words[0].lower(), words[1:]
        command = COMMANDS.get(name)
        try:
            if self.result is not None and name not in COMMANDS_AFTER_END:
                raise TengenError(f"the game is over; use {', '.join(COMMANDS_AFTER_END)}")
            if command is not None:
                command(self, arguments)
            else:
                rows, columns = self.position.rows, self.position.columns
                self.position.play(parse_vertex(words[0], rows, columns))
        except TengenError as error:
            self.console.print(f"[red]{escape(str(error))}[/red]")

    def _play_engine_move(self) -> None:
        started_s = time.monotonic()
        decision = self._think()
        if self._level != STRONGEST and decision.move != PASS:
            ready_s = started_s + random.uniform(*self.reply_s)
            time.sleep(max(ready_s - time.monotonic(), 0.0))
        if decision.resigns:
            self.result = GameResult.loss(self.person.opponent, EndReason.RESIGN)
            self.console.print(f"Tengen resigns: {self.result}.")
            return
        self.position.play(decision.move)
        self._show_board()
        self.console.print(self._move_text(decision))

    def _think(self) -> MoveDecision:
        with self.console.status("thinking…"):
            decision = self.engine.think(self.position)
        for problem in set(self.engine.problems) - self._reported:
            self._reported.add(problem)
            self.console.print(f"[yellow]{escape(problem)}; the source is disabled[/yellow]")
        return decision

    def _analyze(self) -> MoveDecision:
        """Return the best move of a search, which a level does not weaken."""
        with self.console.status("thinking…"):
            report = self.engine.analyze(self.position, self.engine.settings.play.limit())
        return MoveDecision(report.candidates[0].move, MoveReason.SEARCHED, report)

    def _move_text(self, decision: MoveDecision) -> str:
        """Describe the engine's move and its evaluation."""
        played = f"Tengen plays [bold]{self.position.vertex(decision.move)}[/bold]"
        best = _chosen(decision)
        if decision.reason is MoveReason.BOOK:
            return f"{played} (opening book)."
        if best is None:
            return f"{played} (the game is over)."
        line = " ".join(self.position.vertex(m) for m in best.line[1:5])
        expected = f", expects {line}" if line else ""
        return f"{played} ({_search_text(decision, self.person.opponent)}{expected})."

    def _finish(self, score: FinalScore) -> None:
        self.result = GameResult.from_score(score.score)
        self.console.print("Both players passed.")
        self._show_score(score)

    # Commands

    def pass_turn(self, arguments: list[str]) -> None:
        """Pass."""
        self.position.play(PASS)

    def undo(self, arguments: list[str]) -> None:
        """Undo the user's last move and what followed."""
        count = len(self.position.moves)
        own = [n for n in range(count) if self.position.moves[n].color is self.person]
        if not own:
            raise TengenError("there is no move of yours to undo")
        self.result = None
        self.position.undo(count - own[-1])
        self._show_board()

    def hint(self, arguments: list[str]) -> None:
        """Show the move that the engine would play at full strength."""
        decision = self._think() if self._level == STRONGEST else self._analyze()
        move = self.position.vertex(decision.move)
        action = "resign" if decision.resigns else f"play [bold]{move}[/bold]"
        searched = _search_text(decision, self.position.to_play)
        reason = f" ({searched})" if searched else ""
        self.console.print(f"Tengen would {action}{reason}.", highlight=False)

    def score(self, arguments: list[str]) -> None:
        """Score a settled position; estimate the territory of any other."""
        if is_settled(self.position):
            self._show_score(score_position(self.position))
            return
        with self.console.status("thinking…"):
            estimate = estimate_territory(self.engine, self.position)
        self.console.print(
            territory_text(self.position, estimate, self._symbols() == ASCII_SYMBOLS),
            highlight=False,
        )
        self._show_dead(estimate.dead)
        self.console.print(f"Estimate: [bold]{estimate.text}[/bold]", highlight=False)

    def resign(self, arguments: list[str]) -> None:
        """Resign the game."""
        self.result = GameResult.loss(self.person, EndReason.RESIGN)
        self.console.print(f"You resign: {self.result}.")

    def save(self, arguments: list[str]) -> None:
        """Save the game as SGF."""
        from tengen.records import record_from_position, write_games

        path = " ".join(arguments)
        if not path:
            raise TengenError("file name missing: use save FILE")
        names = {self.person: "You", self.person.opponent: "Tengen"}
        result = "" if self.result is None else str(self.result)
        record = record_from_position(self.position, names[Color.BLACK], names[Color.WHITE], result)
        write_games(path, [record])
        self.console.print(f"Saved to {path}.", markup=False)

    @staticmethod
    def _has_strong_net() -> bool:
        return any(name.startswith(OFFERED_NETS) for name in available_nets())

    def get_net(self, arguments: list[str]) -> None:
        """Install a network, unless it is installed, and play with it; Ctrl-C cancels."""
        name = " ".join(arguments)
        if name not in DOWNLOADABLE_NETS:
            raise TengenError(f"use get NET with one of {', '.join(OFFERED_NETS)}")
        from tengen.nets import install_net  # slow to import

        fast = f"{name}{INT8_SUFFIX}"
        if fast not in available_nets():
            target = net_folder() / f"{name}{NET_SUFFIX}"
            try:
                with self.console.status(f"downloading {name}…") as status:
                    install_net(
                        name,
                        target,
                        lambda stage, share: status.update(f"{stage} {name}: {min(share, 1):.0%}"),
                    )
            except KeyboardInterrupt:
                self.console.print("Canceled.")
                return
        self.engine = create_engine(self.engine.settings.with_overrides([f"net={fast}"]))
        self.console.print(f"Tengen plays with {name} now.")

    def show_help(self, arguments: list[str]) -> None:
        """List the commands."""
        self.console.print(HELP.format(offers=" or ".join(OFFERED_NETS)), markup=False)

    def quit(self, arguments: list[str]) -> None:
        """Quit."""
        raise Quit

    # Output

    def _show_board(self) -> None:
        self.console.print()
        self.console.print(board_text(self.position, self._symbols()))
        black, white = (self.position.prisoners(color) for color in Color)
        self.console.print(f"captures: Black {white}, White {black}", highlight=False)

    def _symbols(self) -> str:
        """Return symbols that the terminal can display."""
        if "utf" not in self.console.encoding.lower():
            return ASCII_SYMBOLS
        return UNICODE_SYMBOLS if self.console.color_system is None else COLOR_SYMBOLS

    def _show_score(self, score: FinalScore) -> None:
        for chain in score.stones(ChainStatus.DEAD):
            self._show_dead(chain)
        black, white = (score.points[color] for color in Color)
        self.console.print(
            f"Black {black} points, White {white} points, "
            f"{self._komi_text()}: [bold]{score.result}[/bold]",
            highlight=False,
        )

    def _show_dead(self, stones: Sequence[int]) -> None:
        if stones:
            names = " ".join(map(self.position.vertex, stones))
            self.console.print(f"dead: {names}", highlight=False)

    def _komi_text(self) -> str:
        rules = self.position.rules
        stones = rules.white_bonus(self.position.handicap) - rules.komi
        return f"komi {rules.komi:g}" + (f" and {stones:g} for handicap stones" if stones else "")


def _chosen(decision: MoveDecision) -> Candidate | None:
    """Return the search results of the chosen move, or None without a search."""
    candidates = [] if decision.report is None else decision.report.candidates
    return next((c for c in candidates if c.move == decision.move), None)


def _search_text(decision: MoveDecision, mover: Color) -> str:
    """Return the win rate of a decision and the visits behind it; empty without a search."""
    best, report = _chosen(decision), decision.report
    if best is None or report is None:
        return ""
    name = mover.name.capitalize()
    return f"{best.value:.0%} win rate for {name}, {report.visits:,} visits"


COMMANDS: dict[str, Callable[[TerminalGame, list[str]], None]] = {
    "pass": TerminalGame.pass_turn,
    "undo": TerminalGame.undo,
    "hint": TerminalGame.hint,
    "score": TerminalGame.score,
    "resign": TerminalGame.resign,
    "save": TerminalGame.save,
    "get": TerminalGame.get_net,
    "help": TerminalGame.show_help,
    "quit": TerminalGame.quit,
    "exit": TerminalGame.quit,
}
COMMANDS_AFTER_END = ("save", "score", "undo", "help", "quit", "exit")


def board_text(position: Position, symbols: str = COLOR_SYMBOLS) -> Text:
    """Return the board with coordinates and the last move in parentheses."""
    letters = "    " + " ".join(LETTERS[: position.columns]) + "\n"
    text = Text(letters)
    for row in range(position.rows):
        number = f"{position.rows - row:2d}"
        text.append(f" {number}")
        for column in range(position.columns):
            _append_point(text, position, point_at(row, column), symbols)
        _append_gap(text, position, point_at(row, position.columns))
        text.append(f" {number}\n")
    text.append(letters.rstrip("\n"))
    return text


def territory_text(position: Position, estimate: TerritoryEstimate, is_ascii: bool) -> Text:
    """Return the board with the probable owner of each point: large if almost sure, else small."""
    sure, likely = (".XO", ".xo") if is_ascii else ("·●○", "·▪▫")
    text = Text("territory: " + f"{sure[1]} {likely[1]} Black, {sure[2]} {likely[2]} White\n")
    for row, values in enumerate(estimate.ownership):
        symbols = []
        for owned in values:
            side = 1 if owned > 0 else 2
            share = abs(owned)
            table = sure if share >= DEAD_OWNERSHIP else likely
            symbols.append(table[side] if share >= SHOWN_OWNERSHIP else table[0])
        text.append(f" {position.rows - row:2d} {' '.join(symbols)}\n")
    text.append("    " + " ".join(LETTERS[: position.columns]))
    return text


def _append_point(text: Text, position: Position, point: int, symbols: str) -> None:
    """Append the gap before a point and its symbol."""
    _append_gap(text, position, point)
    color = position.color(point)
    if color:
        styles = LAST_MOVE_STYLES if point == position.last_move else STONE_STYLES
        text.append(symbols[color], style=styles[color])
    else:
        is_star = (row_of(point), column_of(point)) in star_points(position.rows, position.columns)
        text.append(symbols[3 if is_star else 0], style=GRID)


def _append_gap(text: Text, position: Position, point: int) -> None:
    """Append the gap before a point: a parenthesis next to the last move, else a space."""
    last = position.last_move
    if last in (None, PASS) or last not in (point, point - 1):
        text.append(" ", style=GRID)
    else:
        text.append("(" if point == last else ")", style=f"bold red {WOOD}")

"""A game against the engine, typed into a terminal."""

from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape

from tengen.board.colour import Colour
from tengen.board.points import PASS, parse_vertex
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Decision, Engine, Reason
from tengen.playout.judge import Judgement, Status, judge
from tengen.terminal.board_view import FULL_MARKS, HOLLOW_MARKS, LETTER_MARKS, board_text

HELP = """\
Type a move like D4, or:
  pass      let the other side move; two passes end the game
  undo      take back your last move and the answer to it
  hint      ask the engine what it would play for you
  score     how the game stands: dead stones, territory, result
  resign    give up
  save FILE write the game as SGF
  help      this text
  quit      leave
When the game is over, save, score, undo, help and quit still work."""


class Leave(Exception):  # noqa: N818  (it is no error)
    """Ends the loop."""


@dataclass
class TextGame:
    """One game between a person at the keyboard and the engine."""

    position: Position
    person: Colour
    engine: Engine
    console: Console
    read: Callable[[str], str] = input
    result: str = ""
    """Empty while the game goes on."""
    _told: set[str] = field(default_factory=set)

    def play(self) -> None:
        """Play until the person leaves; a finished game can still be saved."""
        self.console.print("[bold]Tengen[/bold] — type a move like D4; [i]help[/i] lists the rest")
        self._show()
        try:
            while True:
                self._go_on()
        except (Leave, EOFError):
            self.console.print("good-bye")

    # Turns

    def _go_on(self) -> None:
        """Do what comes next: the engine's move, the end, or what the person types."""
        if self.result:
            self._person_types("game over> ")
        elif self.position.is_over:
            self._finish(judge(self.position))
        elif self.position.to_play is self.person:
            self._person_types(f"{self.person.name.lower()} to play> ")
        else:
            self._engine_moves()

    def _person_types(self, prompt: str) -> None:
        words = self.read(prompt).split()
        if not words:
            return
        name, arguments = words[0].lower(), words[1:]
        action = COMMANDS.get(name)
        try:
            if self.result and name not in AFTER_THE_END:
                raise TengenError(f"the game is over: {', '.join(AFTER_THE_END)}")
            if action is not None:
                action(self, arguments)
            else:
                self.position.play(
                    parse_vertex(words[0], self.position.rows, self.position.columns)
                )
        except TengenError as error:
            self.console.print(f"[red]{escape(str(error))}[/red]")

    def _engine_moves(self) -> None:
        with self.console.status("thinking…"):
            decision = self.engine.think(self.position)
        self._tell_problems()
        if decision.resigns:
            self.result = f"{self.person.letter}+R"
            self.console.print(f"The engine resigns: {self.result}. Well played!")
            return
        self.position.play(decision.move)
        self._show()
        self.console.print(self._thought(decision))

    def _tell_problems(self) -> None:
        """Say once what knowledge sources raised."""
        for problem in set(self.engine.problems) - self._told:
            self._told.add(problem)
            self.console.print(f"[yellow]{escape(problem)}; playing on without it[/yellow]")

    def _thought(self, decision: Decision) -> str:
        """Say what the engine played and how it sees the game."""
        move = self.position.vertex(decision.move)
        if decision.reason is Reason.BOOK:
            return f"Tengen plays [bold]{move}[/bold] from the book."
        if decision.report is None:
            return f"Tengen plays [bold]{move}[/bold]: the game is over."
        best = next(c for c in decision.report.candidates if c.move == decision.move)
        line = " ".join(self.position.vertex(m) for m in best.line[1:5])
        chance = f"{100 * best.value:.0f}%"
        expects = f", expects {line}" if line else ""
        return f"Tengen plays [bold]{move}[/bold] and gives itself {chance}{expects}."

    # What a person can type

    def pass_turn(self, arguments: list[str]) -> None:
        """Pass."""
        self.position.play(PASS)

    def undo(self, arguments: list[str]) -> None:
        """Take back the person's last move and what followed."""
        count = len(self.position.moves)
        mine = [n for n in range(count) if self.position.moves[n].colour is self.person]
        if not mine:
            raise TengenError("there is no move of yours to take back")
        self.result = ""
        self.position.undo(count - mine[-1])
        self._show()

    def hint(self, arguments: list[str]) -> None:
        """Say what the engine would play."""
        with self.console.status("thinking…"):
            decision = self.engine.think(self.position)
        self._tell_problems()
        move = self.position.vertex(decision.move)
        does = "resign" if decision.resigns else f"play [bold]{move}[/bold]"
        self.console.print(f"Tengen would {does}.")

    def score(self, arguments: list[str]) -> None:
        """Show how the game stands if it ended now."""
        judgement = judge(self.position)
        self._tell(judgement)
        count, points = int((judgement.owner == 0).sum()), judgement.owner.size
        if count > points // 4:
            self.console.print(f"{count} of {points} points are still open: this says little yet.")

    def resign(self, arguments: list[str]) -> None:
        """Give up."""
        self.result = f"{self.person.opponent.letter}+R"
        self.console.print(f"You resign: {self.result}.")

    def save(self, arguments: list[str]) -> None:
        """Write the game as SGF."""
        from tengen.records.writer import record_from_position, write_games

        path = " ".join(arguments)
        if not path:
            raise TengenError("name a file: save game.sgf")
        names = {self.person: "You", self.person.opponent: "Tengen"}
        record = record_from_position(
            self.position, names[Colour.BLACK], names[Colour.WHITE], self.result
        )
        write_games(path, [record])
        self.console.print(f"saved to {path}", markup=False)

    def show_help(self, arguments: list[str]) -> None:
        """List the commands."""
        self.console.print(HELP, markup=False)

    def leave(self, arguments: list[str]) -> None:
        """End without a result."""
        raise Leave

    # Showing

    def _show(self) -> None:
        self.console.print()
        self.console.print(board_text(self.position, self._marks()))
        black, white = (self.position.prisoners(colour) for colour in Colour)
        self.console.print(f"captured by Black {white}, by White {black}", highlight=False)

    def _marks(self) -> str:
        """Return marks that this terminal can show."""
        if "utf" not in self.console.encoding.lower():
            return LETTER_MARKS
        return HOLLOW_MARKS if self.console.color_system is None else FULL_MARKS

    def _tell(self, judgement: Judgement) -> None:
        for chain in judgement.stones(Status.DEAD):
            stones = " ".join(self.position.vertex(stone) for stone in chain)
            self.console.print(f"dead: {stones}", highlight=False)
        black, white = (judgement.points[colour] for colour in Colour)
        self.console.print(
            f"Black has {black} points, White {white}, "
            f"{self._bonus_text()}: [bold]{judgement.result}[/bold]",
            highlight=False,
        )

    def _bonus_text(self) -> str:
        """Say what White gets beside its points."""
        rules = self.position.rules
        stones = rules.white_bonus(self.position.handicap) - rules.komi
        return f"komi {rules.komi:g}" + (f" and {stones:g} for handicap stones" if stones else "")

    def _finish(self, judgement: Judgement) -> None:
        self.result = judgement.result
        self.console.print("Both passed.")
        self._tell(judgement)


COMMANDS: dict[str, Callable[[TextGame, list[str]], None]] = {
    "pass": TextGame.pass_turn,
    "undo": TextGame.undo,
    "hint": TextGame.hint,
    "score": TextGame.score,
    "resign": TextGame.resign,
    "save": TextGame.save,
    "help": TextGame.show_help,
    "quit": TextGame.leave,
    "exit": TextGame.leave,
}
AFTER_THE_END = ("save", "score", "undo", "help", "quit", "exit")

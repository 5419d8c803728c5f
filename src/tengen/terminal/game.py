"""A game against the engine, typed into a terminal."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console

from tengen.board.colour import Colour
from tengen.board.points import PASS, parse_vertex
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.engine import Decision, Engine
from tengen.playout.judge import Judgement, Status, judge
from tengen.terminal.board_view import board_text

HELP = """\
Type a move like D4, or:
  pass      let the other side move; two passes end the game
  undo      take back your last move and the answer to it
  hint      ask the engine what it would play for you
  score     how the game stands: dead stones, territory, result
  resign    give up
  save FILE write the game as SGF
  help      this text
  quit      leave"""


class GameOver(Exception):  # noqa: N818  (it is no error)
    """Ends the loop; the message is the result."""


@dataclass
class TextGame:
    """One game between a person at the keyboard and the engine."""

    position: Position
    person: Colour
    engine: Engine
    console: Console
    read: Callable[[str], str] = input
    result: str = ""

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        self.console.print("[bold]Tengen[/bold] — type a move like D4; [i]help[/i] lists the rest")
        self._show()
        try:
            while not self.position.is_over:
                if self.position.to_play is self.person:
                    self._person_moves()
                else:
                    self._engine_moves()
            self._finish(judge(self.position))
        except GameOver as over:
            self.console.print(str(over))
        except EOFError:
            self.console.print("\ngood-bye")

    # Turns

    def _person_moves(self) -> None:
        words = self.read(f"{self.person.name.lower()} to play> ").split()
        if not words:
            return
        name, arguments = words[0].lower(), words[1:]
        action = COMMANDS.get(name)
        try:
            if action is not None:
                action(self, arguments)
            else:
                self.position.play(
                    parse_vertex(words[0], self.position.rows, self.position.columns)
                )
        except TengenError as error:
            self.console.print(f"[red]{error}[/red]")

    def _engine_moves(self) -> None:
        with self.console.status("thinking…"):
            decision = self.engine.think(self.position)
        for problem in self.engine.problems:
            self.console.print(f"[yellow]{problem}; playing on without it[/yellow]")
        if decision.resigns:
            self.result = f"{self.person.letter}+R"
            raise GameOver(f"The engine resigns: {self.result}. Well played!")
        self.position.play(decision.move)
        self._show()
        self.console.print(self._thought(decision))

    def _thought(self, decision: Decision) -> str:
        """Say what the engine played and how it sees the game."""
        move = self.position.vertex(decision.move)
        if decision.report is None:
            return f"Tengen plays [bold]{move}[/bold]: the game is over."
        best = decision.report.candidates[0]
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
        self.position.undo(count - mine[-1])
        self._show()

    def hint(self, arguments: list[str]) -> None:
        """Say what the engine would play."""
        with self.console.status("thinking…"):
            decision = self.engine.think(self.position)
        self.console.print(f"Tengen would play [bold]{self.position.vertex(decision.move)}[/bold].")

    def score(self, arguments: list[str]) -> None:
        """Show how the game stands if it ended now."""
        self._tell(judge(self.position))

    def resign(self, arguments: list[str]) -> None:
        """Give up."""
        self.result = f"{self.person.opponent.letter}+R"
        raise GameOver(f"You resign: {self.result}.")

    def save(self, arguments: list[str]) -> None:
        """Write the game as SGF."""
        from tengen.records.writer import record_from_position, write_games

        if len(arguments) != 1:
            raise TengenError("name a file: save game.sgf")
        names = {self.person: "You", self.person.opponent: "Tengen"}
        record = record_from_position(
            self.position, names[Colour.BLACK], names[Colour.WHITE], self.result
        )
        write_games(arguments[0], [record])
        self.console.print(f"saved to {arguments[0]}")

    def show_help(self, arguments: list[str]) -> None:
        """List the commands."""
        self.console.print(HELP, markup=False)

    def leave(self, arguments: list[str]) -> None:
        """End without a result."""
        raise GameOver("good-bye")

    # Showing

    def _show(self) -> None:
        self.console.print()
        self.console.print(board_text(self.position, self.console.color_system is not None))
        black, white = (self.position.prisoners(colour) for colour in Colour)
        self.console.print(f"captured by Black ● {white}, by White ○ {black}", highlight=False)

    def _tell(self, judgement: Judgement) -> None:
        for chain in judgement.stones(Status.DEAD):
            stones = " ".join(self.position.vertex(stone) for stone in chain)
            self.console.print(f"dead: {stones}", highlight=False)
        owned = [int((judgement.owner == colour).sum()) for colour in Colour]
        self.console.print(
            f"Black holds {owned[0]} points, White {owned[1]}, "
            f"komi {self.position.rules.komi:g}: [bold]{judgement.result}[/bold]",
            highlight=False,
        )

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

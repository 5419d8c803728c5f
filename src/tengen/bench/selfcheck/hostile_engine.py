"""A small GTP engine with a fault: `python -m tengen.bench.selfcheck.hostile_engine FAULT`.

Without a fault (`none`), it plays the first empty points of the board and passes after four moves.
"""

import sys
import time

FAULTS = ("crash", "hang", "illegal", "nonsense", "silence", "truncated")
"""Faults that lose the game."""
HARMLESS = ("none", "babble", "stderr", "controls")
"""Behavior that must not lose it."""
COMMANDS = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
]
MOVES = 4
LETTERS = "ABCDEFGHJKLMNOPQRST"


class HostileEngine:
    """The engine; `answer` returns the text to print for a command."""

    def __init__(self, fault: str):
        """Create an engine with a fault."""
        self._fault = fault
        self._size = 9
        self._asked = 0
        self._taken: set[str] = set()

    def answer(self, words: list[str]) -> str:
        """Return a reply, or what the fault makes of it."""
        command, *rest = words
        if command == "boardsize":
            self._size = int(rest[0])
        elif command == "clear_board":
            self._asked, self._taken = 0, set()
        elif command == "play":
            self._taken.add(rest[1].upper())
        elif command == "genmove":
            return self._move()
        replies = {"protocol_version": "2", "name": f"hostile {self._fault}", "version": "1"}
        replies["list_commands"] = "\n".join(COMMANDS)
        if command == "known_command":
            return f"= {'true' if rest[0] in COMMANDS else 'false'}\n\n"
        if command not in COMMANDS:
            return "? unknown command\n\n"
        return f"= {replies.get(command, '')}\n\n"

    def _move(self) -> str:
        self._asked += 1
        if self._asked == 2 and self._fault in FAULTS:
            return self._fail()
        if self._fault == "babble":
            return "thinking hard\n" * 2000 + f"= {self._vertex()}\n\n"
        if self._fault == "stderr":
            sys.stderr.write("x" * 1_000_000 + "\n")
            sys.stderr.flush()
        end = "\r\n\r\n" if self._fault == "controls" else "\n\n"
        return f"= {self._vertex()}{end}"

    def _fail(self) -> str:
        if self._fault == "crash":
            sys.exit(3)
        if self._fault == "hang":
            time.sleep(3600)
        if self._fault == "truncated":
            sys.stdout.write("= A")
            sys.stdout.flush()
            sys.exit(0)
        if self._fault == "silence":
            return ""
        taken = next(iter(sorted(self._taken)), "Z99")
        return f"= {taken if self._fault == 'illegal' else 'banana'}\n\n"

    def _vertex(self) -> str:
        if self._asked > MOVES:
            return "pass"
        names = (f"{LETTERS[c]}{r + 1}" for r in range(self._size) for c in range(self._size))
        found = next((name for name in names if name not in self._taken), "pass")
        self._taken.add(found)
        return found


def main() -> None:
    """Answer commands until the end of the input or `quit`."""
    engine = HostileEngine(sys.argv[1] if len(sys.argv) > 1 else "none")
    for line in sys.stdin:
        words = line.split()
        if words:
            sys.stdout.write(engine.answer(words))
            sys.stdout.flush()
            if words[0] == "quit":
                break


if __name__ == "__main__":
    main()

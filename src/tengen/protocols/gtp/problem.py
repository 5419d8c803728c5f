"""The command `tengen-problem`: solve a life-and-death problem."""

from tengen.board import PASS
from tengen.engine import DEFAULT, NONE
from tengen.protocols.gtp.analysis import COLORS
from tengen.protocols.gtp.protocol import CommandError, parse_number
from tengen.protocols.gtp.session import Session, command


@command("tengen-problem")
def tengen_problem(session: Session, arguments: list[str]) -> str:
    """Solve the position: `tengen-problem [color] [seconds] [stones at stake...]`."""
    from tengen.engine import ProblemSolver  # loads the kernels of the solver

    position = session.position.copy()
    words = list(arguments)
    if words and words[0].lower() in COLORS:
        position.to_play = session.parse_color(words.pop(0))
    seconds = 10.0
    if words and words[0].replace(".", "", 1).isdigit():
        seconds = parse_number(words.pop(0), "tengen-problem [color] [seconds] [stones...]", float)
    marked = frozenset(session.parse_move(word) for word in words)
    if any(position.color(point) == 0 for point in marked) or PASS in marked:
        raise CommandError("name stones at stake: a point without a stone was given")
    net = session.settings.play.net
    answer = ProblemSolver(seconds, DEFAULT if net == NONE else net).solve(position, marked)
    lines = [answer.sentence()]
    label = "moves" if answer.succeeds else "best try"
    lines.append(f"{label} {' '.join(position.vertex(move) for move in answer.moves)}")
    if answer.ko is not None:
        lines.append(answer.ko.sentence(position.to_play))
    return "\n".join([*lines, *(f"note: {note}" for note in answer.notes)])

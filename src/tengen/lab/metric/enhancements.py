"""Nodes saved by search enhancements, for values and for proofs of bounds.

On the optimal 4x4 game (paper 003, table 8 and figure 9), nodes are counted until the value of a
position is proved, each time with an empty table of 2^19 entries as in the paper. Positions that
are not proved within the node limit count as unsolved.

For lower and upper bounds of small boards, nodes are counted until the question about the empty
board is answered, each time with an empty table. Searches that reach the node limit are open.
"""

from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from tengen.board import Position
from tengen.lab.metric.settings import EnhancementsSettings, QuestionsSettings
from tengen.lab.study import CsvTable, Study, track
from tengen.solver import (
    Answer,
    ProofSearcher,
    ProofSettings,
    Question,
    Solver,
    SolverSettings,
    best_line,
)

SIZE = 4
POSITIONS = 17
BITS = 19
REFERENCE = "reference"
POWERS = {"E1": REFERENCE, "E2": "E2", "E3": "E3"}
PAPER = {"no table": "endless", "no deepening": "endless", "no history": "22%"}
PAPER |= {"null move": "10%", "MTD(f)": "6%", "E2": "21%"}


def variants(table_bits: int) -> dict[str, SolverSettings]:
    """Return the paper's reference settings and variants that differ in one setting."""
    reference = SolverSettings(table_bits=table_bits, history=True)
    return {
        REFERENCE: reference,
        "E2": replace(reference, power=2),
        "E3": replace(reference, power=3),
        "no history": replace(reference, history=False),
        "null move": replace(reference, null_move=True),
        "MTD(f)": replace(reference, mtdf=True),
        "no life": replace(reference, life=False),
        "no symmetry": replace(reference, symmetry=False),
        "no table": replace(reference, table=False),
        "no deepening": replace(reference, deepening=False),
    }


class _TooManyNodesError(Exception):
    """The node limit is reached."""


def nodes_to_prove(position: Position, settings: SolverSettings, limit: int) -> tuple[int, bool]:
    """Return the nodes needed to prove the value, and whether it was proved within the limit."""
    solver = Solver(position.rows, position.columns, settings)

    def poll() -> None:
        if solver.solution.nodes > limit:
            raise _TooManyNodesError

    solver.poll = poll
    try:
        solution = solver.solve(position)
    except _TooManyNodesError:
        return limit, False
    return solution.nodes, solution.is_solved


def optimal_line(table: CsvTable) -> list[int]:
    """Return the optimal moves from the empty board, stored in a table."""
    if not table.rows:
        solver = Solver(SIZE, SIZE)
        value = solver.solve(Position(SIZE)).low
        table.add_all(
            {"move": move, "vertex": Position(SIZE).vertex(move), "value": value}
            for move in best_line(solver, Position(SIZE), value)
        )
    return [int(row["move"]) for row in table.rows]


def positions(line: list[int]) -> Iterable[tuple[int, Position]]:
    """Yield the positions of the line with their numbers, starting with the empty board."""
    position = Position(SIZE)
    for number, move in enumerate(line[:POSITIONS]):
        yield number, position.copy()
        position.play(move)


def saving(rows: list[dict[str, str]], better: str, worse: str) -> str:
    """Return the share of nodes that `better` saves over `worse` on positions both have proved."""
    nodes = {(r["variant"], r["position"]): int(r["nodes"]) for r in rows if r["proved"] == "True"}
    both = [n for v, n in nodes if v == better and (worse, n) in nodes]
    if not both:
        return "endless"
    first, second = (sum(nodes[v, n] for n in both) for v in (better, worse))
    return f"{100 * (1 - first / second):.0f}% on {len(both)}"


def run(folder: Path, settings: EnhancementsSettings) -> Path:
    """Run the missing searches and write the report."""
    study = Study(folder, "Enhancements of alpha-beta on 4x4", asdict(settings))
    line = optimal_line(study.table("line", ["move", "vertex", "value"]))
    table = study.table("nodes", ["position", "variant", "nodes", "proved"])
    work = [
        (number, position, name, chosen)
        for number, position in reversed(list(positions(line)))
        if number >= settings.first
        for name, chosen in variants(BITS).items()
        if not table.has(position=number, variant=name)
    ]
    for number, position, name, chosen in track(work, "solving"):
        limit = settings.endless if name in ("no table", "no deepening") else settings.nodes
        nodes, is_proved = nodes_to_prove(position, chosen, limit)
        table.add(position=number, variant=name, nodes=nodes, proved=is_proved)
    _report(study, table, line)
    return study.write_report()


def _report(study: Study, table: CsvTable, line: list[int]) -> None:
    vertices = " ".join(Position(SIZE).vertex(move) for move in line)
    study.add_section("Optimal line", f"Optimal play on 4x4 found by the solver: {vertices}.")
    rows = [
        {
            "enhancement": name,
            "nodes saved": _saving(table.rows, name),
            "paper": PAPER.get(name, ""),
        }
        for name in variants(BITS)
        if name != REFERENCE
    ]
    study.add_table(
        rows,
        "Table 8: nodes saved by each enhancement on positions proved by both.",
        name="enhancements",
    )
    with study.figure("nodes", "Figure 9: nodes to prove each position, by evaluation.") as figure:
        axes = figure.add_subplot()
        for label, name in POWERS.items():
            found = sorted(
                (int(row["position"]), int(row["nodes"]))
                for row in table.rows
                if row["variant"] == name and row["proved"] == "True"
            )
            axes.plot([n for n, _ in found], [nodes for _, nodes in found], "o-", label=label)
        axes.set(yscale="log", xlabel="position in the line", ylabel="nodes")
        axes.legend()
    study.add_table(table, "All counts.", name="nodes")


def _saving(rows: list[dict[str, str]], name: str) -> str:
    """Return the nodes saved by an enhancement, which the reference may or may not include."""
    if name.startswith("no "):
        return saving(rows, REFERENCE, name)
    return saving(rows, name, REFERENCE)


PUBLISHED = {
    "2x4": 8, "2x5": 10, "2x6": 12, "2x7": 14, "2x8": 16, "3x3": 9, "3x4": 4, "3x5": 15, "3x6": 18,
    "3x7": 5, "4x4": 2, "4x5": 20, "4x6": 1, "5x5": 25,
}  # fmt: skip
"""Values by van der Werf and Winands (2009) and Drange (1998)."""
QUESTION_COLUMNS = ["board", "question", "variant", "answer", "nodes", "cpu_s"]


def question_variants(table_bits: int) -> dict[str, ProofSettings]:
    """Return the reference settings and variants with one setting changed."""
    reference = ProofSettings(table_bits=table_bits)
    without = ("ordering", "life", "interior", "symmetry", "refresh", "replacement")
    changed = {f"no {name}": replace(reference, **{name: False}) for name in without}
    changed["no slack"] = replace(reference, slack=0)
    return {REFERENCE: reference, **changed, "weak": replace(reference, weak=True)}


def search(
    board: str, question: Question, settings: ProofSettings, limit: int
) -> tuple[Answer, int, float]:
    """Return the answer for an empty board, the nodes and the CPU seconds."""
    rows, columns = (int(word) for word in board.split("x"))
    searcher = ProofSearcher(rows, columns, settings)

    def poll() -> None:
        if searcher.progress.nodes > limit:
            raise _TooManyNodesError

    searcher.poll = poll
    try:
        answer = searcher.answer(Position(rows, columns), question)
    except _TooManyNodesError:
        answer = Answer.OPEN
    return answer, searcher.progress.nodes, searcher.progress.cpu_s


def run_questions(folder: Path, settings: QuestionsSettings) -> Path:
    """Run the missing searches and write the report."""
    study = Study(folder, "Questions about small boards", asdict(settings))
    table = study.table("searches", QUESTION_COLUMNS)
    search("2x2", Question.at_least(1), ProofSettings(table_bits=4), 10)  # compiles
    chosen = question_variants(settings.table_bits)
    wanted = [(*question, REFERENCE) for question in settings.questions(settings.boards)]
    for board, question in settings.questions(settings.variants):
        wanted.extend((board, question, name) for name in chosen)
    missing = [
        (board, question, name)
        for board, question, name in dict.fromkeys(wanted)
        if not table.has(board=board, question=str(question), variant=name)
    ]
    for board, question, name in track(missing, "searching"):
        answer, nodes, cpu_s = search(board, question, chosen[name], settings.nodes)
        table.add(
            board=board, question=str(question), variant=name, answer=answer.value, nodes=nodes,
            cpu_s=round(cpu_s, 2),
        )  # fmt: skip
    _questions_report(study, table, settings)
    return study.write_report()


def _questions_report(study: Study, table: CsvTable, settings: QuestionsSettings) -> None:
    rows = {(row["board"], row["question"], row["variant"]): row for row in table.rows}
    boards = []
    for board, question in settings.questions(settings.boards):
        row = rows[board, str(question), REFERENCE]
        published = PUBLISHED.get(board, "")
        shown = {name: row[name] for name in ("question", "answer", "nodes", "cpu_s")}
        boards.append({"board": board, "published value": published, **shown})
    study.add_table(boards, "Questions about empty boards.", name="questions")
    questions = settings.questions(settings.variants)
    lines = []
    for name in question_variants(settings.table_bits):
        line = {"variant": name}
        for board, question in questions:
            row = rows[board, str(question), name]
            nodes = f"{int(row['nodes']):,d}"
            line[f"{board} {question}"] = nodes if row["answer"] == "proved" else f"> {nodes}"
        lines.append(line)
    if questions:
        study.add_table(
            lines, "Nodes until the proof; > marks an open search.", name="question-enhancements"
        )

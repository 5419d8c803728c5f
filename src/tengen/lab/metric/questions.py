"""Proofs of lower and upper bounds on small boards, and the nodes that each enhancement saves.

Nodes are counted until the question about the empty board is answered, each time with an empty
table. Searches that reach the node limit are open.
"""

from dataclasses import asdict, replace
from pathlib import Path

from tengen.board import Position
from tengen.lab.metric.settings import QuestionsSettings
from tengen.lab.study import CsvTable, Study, track
from tengen.solver import Answer, ProofSearcher, ProofSettings, Question

REFERENCE = "reference"
PUBLISHED = {
    "2x4": 8, "2x5": 10, "2x6": 12, "2x7": 14, "2x8": 16, "3x3": 9, "3x4": 4, "3x5": 15, "3x6": 18,
    "3x7": 5, "4x4": 2, "4x5": 20, "4x6": 1, "5x5": 25,
}  # fmt: skip
"""Values by van der Werf and Winands (2009) and Drange (1998)."""
COLUMNS = ["board", "question", "variant", "answer", "nodes", "cpu_s"]


def variants(table_bits: int) -> dict[str, ProofSettings]:
    """Return the reference settings and variants with one setting changed."""
    reference = ProofSettings(table_bits=table_bits)
    without = ("ordering", "life", "interior", "symmetry", "refresh", "replacement")
    changed = {f"no {name}": replace(reference, **{name: False}) for name in without}
    changed["no slack"] = replace(reference, slack=0)
    return {REFERENCE: reference, **changed, "weak": replace(reference, weak=True)}


class _TooManyNodesError(Exception):
    """The node limit is reached."""


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


def run(folder: Path, settings: QuestionsSettings) -> Path:
    """Run the missing searches and write the report."""
    study = Study(folder, "Questions about small boards", asdict(settings))
    table = study.table("searches", COLUMNS)
    search("2x2", Question.at_least(1), ProofSettings(table_bits=4), 10)  # compiles
    chosen = variants(settings.table_bits)
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
    _report(study, table, settings)
    return study.write_report()


def _report(study: Study, table: CsvTable, settings: QuestionsSettings) -> None:
    rows = {(row["board"], row["question"], row["variant"]): row for row in table.rows}
    boards = []
    for board, question in settings.questions(settings.boards):
        row = rows[board, str(question), REFERENCE]
        published = PUBLISHED.get(board, "")
        shown = {name: row[name] for name in ("question", "answer", "nodes", "cpu_s")}
        boards.append({"board": board, "published value": published, **shown})
    study.add_table(boards, "Questions about empty boards.", name="questions")
    asked = settings.questions(settings.variants)
    lines = []
    for name in variants(settings.table_bits):
        line = {"variant": name}
        for board, question in asked:
            row = rows[board, str(question), name]
            nodes = f"{int(row['nodes']):,d}"
            line[f"{board} {question}"] = nodes if row["answer"] == "proved" else f"> {nodes}"
        lines.append(line)
    if asked:
        study.add_table(
            lines, "Nodes until the proof; > marks an open search.", name="question-enhancements"
        )

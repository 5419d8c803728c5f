"""The evolving population of paper 003 (sections 5.3 and 6.2): tables 9 to 11.

Eight programs, eras of 400, 200 and 200 tournaments of 56 games. The third era fixes what the
paper fixed before it, so that it can be compared whatever the first two gave.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tengen.knowledge.metric import Phases
from tengen.lab.small_boards import eras
from tengen.lab.small_boards.contest import Standing
from tengen.lab.small_boards.evolve_report import write_report
from tengen.lab.small_boards.game import margin_of, play_out
from tengen.lab.small_boards.influence import Fought
from tengen.lab.small_boards.program import Program, Searcher
from tengen.lab.small_boards.rivals import play_rivals
from tengen.lab.small_boards.settings import EvolveSettings, identity_of
from tengen.lab.study import Study
from tengen.tune.duel import Duel, DuelResult
from tengen.tune.parameter import Values
from tengen.tune.population import Population


class Arena:
    """Has duels fought. Programs are deterministic: what was played once is known."""

    def __init__(self, settings: EvolveSettings):
        self._settings = settings
        self._searcher = Searcher()
        self._known: dict[tuple[Program, Program], float] = {}
        self.games = 0
        """Played here, repetitions not counted."""

    def fight(self, first: Phases, second: Phases) -> DuelResult:
        """Let two programs meet twice, once with each colour."""
        one, other = (Program(phases, self._settings.nodes) for phases in (first, second))
        margins = [self._margin(one, other), -self._margin(other, one)]
        return duel_result(margins)

    def _margin(self, black: Program, white: Program) -> float:
        key = black, white
        if key not in self._known:
            searcher = self._searcher
            end = play_out(black.chooser(searcher), white.chooser(searcher))
            self._known[key] = margin_of(end, searcher, self._settings.referee)
            self.games += 1
        return self._known[key]


def duel_result(margins: list[float]) -> DuelResult:
    """Return the result of games by their margins from the first player's side."""
    points = [0.5 if margin == 0 else float(margin > 0) for margin in margins]
    return DuelResult(sum(points) / len(points), sum(margins) / len(margins), len(margins))


@dataclass
class Life:
    """One population and what makes programs of its values."""

    name: str
    population: Population
    phases_of: Callable[[Values], Phases]
    fought: dict[int, list[Fought]] = field(default_factory=dict)
    """All duels, by the number of the era within this life."""

    def next_duel(self) -> Duel:
        """Return the duel to be fought next."""
        duel = self.population.next_duel()
        if duel is None:
            raise AssertionError("each duel is taken before the next is asked for")
        return duel

    def take(self, duel: Duel, result: DuelResult) -> None:
        """Note a result."""
        era = len(self.population.eras)
        self.fought.setdefault(era, []).append(Fought(duel.first, duel.second, result.score))
        self.population.take(duel.number, result)


def lives(settings: EvolveSettings) -> list[Life]:
    """Return the population of the first two eras and that of the third."""
    first, second, third = settings.lengths
    early = Population([eras.FIRST, eras.SECOND], eras.periods((first, second)), settings.seed)
    late = Population([eras.THIRD], eras.periods((third,)), settings.seed)
    return [Life("early", early, eras.early_phases), Life("late", late, eras.late_phases)]


def run(folder: Path, settings: EvolveSettings) -> Path:
    """Let both populations live, from where they were; return the report's path.

    After Ctrl-C the report tells how far they came.
    """
    study = Study(folder, "An evolving population on 4x4", identity_of(settings))
    both = lives(settings)
    rivals: dict[str, list[Standing]] = {}
    try:
        with _progress() as progress:
            arena = Arena(settings)
            for life in both:
                _live(life, arena, study, progress)
            rivals |= play_rivals(study, settings, both[0].population.recommend(), progress)
    finally:
        lived = [(life.population, life.fought) for life in both]
        report = write_report(study, lived, rivals)
    return report


def _live(life: Life, arena: Arena, study: Study, progress: Progress) -> None:
    """Bring a population to its end, or on from where its log stops."""
    log = study.table(f"duels_{life.name}", ["number", "score", "margin"])
    task = progress.add_task(life.name, total=life.population.progress[1])
    for row in log.rows:
        life.take(life.next_duel(), DuelResult(float(row["score"]), float(row["margin"])))
    while not life.population.done:
        duel = life.next_duel()
        result = arena.fight(life.phases_of(duel.first), life.phases_of(duel.second))
        log.add(number=duel.number, score=result.score, margin=result.margin)
        life.take(duel, result)
        progress.update(task, completed=life.population.progress[0])
    progress.update(task, completed=life.population.progress[0])


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} duels"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )

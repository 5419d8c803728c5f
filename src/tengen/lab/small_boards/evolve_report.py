"""What became of the population, beside the paper's tables 9 to 11."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.lab.small_boards import eras
from tengen.lab.small_boards.contest import Standing
from tengen.lab.small_boards.influence import Fought, influences
from tengen.lab.small_boards.rivals import ranking
from tengen.lab.study import Study
from tengen.tune.population import Fate, Interval, Population

FATES = {Fate.NARROWED: "narrowed", Fate.DOUBLED: "doubled", Fate.NOISY: "noisy"}


def write_report(
    study: Study,
    lived: Sequence[tuple[Population, Mapping[int, list[Fought]]]],
    rivals: Mapping[str, list[Standing]],
) -> Path:
    """Write tables, plots and the page from populations and their duels; return its path."""
    number = 0
    for population, fought in lived:
        tournament = 0
        for era in population.eras:
            number += 1
            tournament += era.tournaments
            title = f"{era.tournaments} tournaments, {era.periods} periods."
            mean = mean_of(population, tournament, era.tournaments)
            _show_era(study, number, title, era.intervals, mean)
        if population.tournaments > tournament:
            title = f"Under way: {population.tournaments - tournament} tournaments so far."
            _show_era(study, number + 1, title, population.intervals, population.means[-1])
        if population.means:
            _plot(study, population)
        for era_number, duels in fought.items():
            _show_influences(study, era_number + 1, duels)
    for group, standings in rivals.items():
        study.text(f"Rivals: {group}", "Everyone meets everyone on the same random openings.")
        study.show(ranking(standings), "Share of the points over all meetings.")
        study.show([standing.row() for standing in standings], "Meeting by meeting.")
    return study.write_report()


def mean_of(population: Population, end: int, length: int) -> dict[str, float]:
    """Return the survivors' mean over the last quarter of an era that ended with `end`."""
    last = population.means[end - max(length // 4, 1) : end]
    return {name: sum(mean[name] for mean in last) / len(last) for name in last[-1]}


def _show_era(
    study: Study,
    number: int,
    title: str,
    intervals: Sequence[Interval],
    mean: Mapping[str, float],
) -> None:
    study.text(f"Era {number}: the paper's table {8 + number}", title)
    rows = [
        {
            "weight": interval.parameter.name,
            "ours": interval.text(),
            "fate": FATES[interval.fate],
            "mean of the survivors": mean[interval.parameter.name],
            "paper": eras.PRINTED[number].get(interval.parameter.name, ""),
        }
        for interval in intervals
    ]
    study.show(
        rows,
        "Where each weight was looked for at the end, ours and the paper's; the mean is over the "
        "last quarter of an era that has ended.",
    )


def _show_influences(study: Study, number: int, duels: list[Fought]) -> None:
    rows = [
        {"weight": name, "score for one more": f"{value.slope:+.5f} ± {value.error:.5f}"}
        for name, value in influences(duels).items()
    ]
    if rows:
        study.show(rows, f"Era {number} of these: what the weights were worth, by all its duels.")


def _plot(study: Study, population: Population) -> None:
    """Draw the mean of the six survivors over all tournaments, one panel a weight."""
    means = population.means
    names = [name for name in means[-1] if len({mean.get(name) for mean in means}) > 1]
    if not names:
        return
    title = "early" if "a1" in means[-1] else "late"
    with study.figure(
        f"means_{title}", "Mean of the six survivors after each tournament.", (8, 1.6 * len(names))
    ) as figure:
        panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
        for panel, name in zip(panels, names, strict=True):
            panel.plot([mean.get(name, float("nan")) for mean in means], linewidth=0.8)
            panel.set_ylabel(name)
            end = 0
            for era in population.eras:
                end += era.tournaments
                panel.axvline(end, color="grey", linewidth=0.5)
        panels[-1].set_xlabel("tournament")

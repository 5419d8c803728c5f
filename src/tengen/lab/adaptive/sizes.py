"""Depth and width of networks trained here (paper 001, table 2.1 and figure 2.8).

All networks train on the same games for the same number of steps. Each predicts the moves of
held-out games (figure 2.8), plays its first choice against another program without search (table
2.1), and plays with search against the previous network of the list at equal time.
"""

import argparse
import threading
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from tengen.lab.adaptive.matches import first_choice, match_options_with_net
from tengen.lab.matches import (
    Comparison,
    MatchOptions,
    check_player,
    comparison_row,
    play_comparison,
    played_comparisons,
    sprt_of,
)
from tengen.lab.study import CsvTable, Study, progress
from tengen.nets import MIN_CHANNELS, Accuracy, RecordExamples, load_net, measure, quantize_net
from tengen.nets.training import TrainSettings, require_torch
from tengen.records import find_documents
from tengen.util import TengenError, stop_on_interrupt

if TYPE_CHECKING:
    from tengen.nets.training import Trainer, TrainingFolder, TrainingProgress

PLACES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
"""Numbers of choices in figure 2.8."""
COLUMNS = (
    *("net", "blocks", "channels", "hours", "steps", "positions", "weights"),
    *(f"top{place}" for place in PLACES),
    *("log_loss", "value_error"),
)
SHOWN = ("net", "weights", "steps", "positions", "top1", "top5", "top10", "log_loss", "value_error")
"""Columns in the report; the plot shows the rest."""
EACH = 5
"""Held-out positions per game."""
CALIBRATION_GAMES = 4
SEARCH = "tengen seconds={seconds:g} stop_early=no threads=1 {net}"
PAPER = (
    ("3 layers of 16", "37.5", "3.4 +- 1.1"),
    ("3 layers of 128", "48.0", "61.8 +- 2.6"),
    ("6 layers of 128", "51.2", "84.4 +- 1.9"),
    ("10 layers of 128", "54.5", "94.7 +- 1.2"),
    ("12 layers of 128", "55.2", "97.2 +- 0.9"),
)
"""Table 2.1 (Maddison et al. 2015, 19x19): network, accuracy in %, games won against GNU Go in %.
"""


def run(arguments: argparse.Namespace) -> int:
    """Train, measure and play, resuming where possible; write the report even if interrupted."""
    settings = nets_of(arguments)
    options = match_options_with_net(arguments)
    require_torch()
    check_games(arguments)
    for player in _known_players(arguments):
        check_player("sizes", player)
    study = Study(arguments.output, "Network size", identity_of(arguments, options))
    table = study.table("nets", COLUMNS)
    comparisons = comparisons_of(arguments, list(settings))
    try:
        for name, wanted in settings.items():
            train_net(study.folder / name, wanted, arguments.learn)
            measure_net(table, study.folder / name, wanted, arguments)
        for comparison in comparisons:
            play_comparison(study.folder, comparison, options)
    finally:
        page = write_report(study, table, comparisons)
    print(page)
    return 0


def check_games(arguments: argparse.Namespace) -> None:
    """Raise TengenError before training if training or held-out data are missing."""
    from tengen.nets.training import is_label_folder, usable_games

    for path in (*arguments.learn, *arguments.held_out):
        find_documents(path)
    archives = [path for path in arguments.learn if not is_label_folder(Path(path))]
    if archives and next(usable_games(archives), None) is None:
        raise TengenError(f"no games to train on in {', '.join(archives)}")
    if next(usable_games(arguments.held_out), None) is None:
        raise TengenError(f"no held-out positions in {', '.join(arguments.held_out)}")


def _known_players(arguments: argparse.Namespace) -> list[str]:
    """Return the players to check before training; the bundled network replaces untrained ones."""
    searching = searching_with("default", arguments.seconds)
    found = [arguments.opponent, searching if arguments.seconds else ""]
    return [player for player in found if player]


def nets_of(arguments: argparse.Namespace) -> dict[str, TrainSettings]:
    """Return the training settings by network name; raise TengenError for an invalid size."""
    found = {}
    for name in arguments.nets.split(","):
        try:
            blocks, channels = (int(number) for number in name.split("x"))
        except ValueError:
            raise TengenError(
                f"network sizes must be BLOCKSxCHANNELS such as 4x32, got {name!r}"
            ) from None
        if channels < MIN_CHANNELS:
            raise TengenError(f"{name}: int8 networks need at least {MIN_CHANNELS} channels")
        found[name] = TrainSettings(
            blocks=blocks, channels=channels, steps=arguments.steps, seed=arguments.seed
        )
    return found


def identity_of(arguments: argparse.Namespace, options: MatchOptions) -> dict[str, object]:
    """Return the settings that cannot change when the study is resumed."""
    names = ("learn", "held_out", "positions", "steps", "opponent", "seconds")
    return {**{name: getattr(arguments, name) for name in names}, **options.identity}


def train_net(folder: Path, settings: TrainSettings, paths: Sequence[str]) -> None:
    """Train a network for the remaining steps and write its int8 version.

    Raise KeyboardInterrupt after an interruption; the checkpoint is kept.
    """
    from tengen.nets.training import Trainer, TrainingFolder

    home = TrainingFolder(folder, settings)
    trainer = Trainer(settings, home.checkpoint)
    home.catch_up(trainer)
    if not trainer.is_over:
        _learn(home, trainer, [Path(path) for path in paths])
    if not int8_path(folder).exists():
        quantize_net(home.net, int8_path(folder), CALIBRATION_GAMES, settings.seed)


def _learn(home: "TrainingFolder", trainer: "Trainer", paths: Sequence[Path]) -> None:
    """Train with a progress bar; an interruption takes effect between steps."""
    from tengen.nets.training import load_dataset, train

    stop = threading.Event()
    name = home.path.name
    with progress() as bar, stop_on_interrupt(stop):
        task = bar.add_task(f"{name}: reading", total=1.0)

        def show(far: "TrainingProgress") -> None:
            text = f"{name}: step {far.steps:,}, loss {far.loss:.3f}"
            bar.update(task, completed=far.steps / trainer.settings.total_steps, description=text)

        material = load_dataset(paths, trainer.settings, _ignore_progress, trainer.data_state)
        train(home, trainer, material, show, stop.is_set)
    if stop.is_set():
        raise KeyboardInterrupt


def _ignore_progress(done: int, planned: int) -> None:
    """Ignore the progress of reading, which takes at most a minute."""


def int8_path(folder: Path) -> Path:
    """Return the path of the int8 network."""
    return folder / "net-int8.onnx"


def measure_net(
    table: CsvTable, folder: Path, settings: TrainSettings, arguments: argparse.Namespace
) -> None:
    """Measure the accuracy of a network on held-out games, unless it is stored."""
    if table.has(net=folder.name):
        return
    net = load_net(folder / "net.onnx")
    source = RecordExamples(arguments.held_out, arguments.seed)
    count = arguments.positions
    drawn = chain.from_iterable(source.drawn(size, count, EACH) for size in source.sizes())
    counts = Accuracy()
    with progress() as bar:
        task = bar.add_task(f"{folder.name}: measuring", total=arguments.positions)
        for batch in measure(net, None, islice(drawn, count)):
            for measured in batch:
                counts.add(measured.example, measured.net)
            bar.update(task, completed=counts.positions)
    table.add(**_row(folder, settings, counts))


def _row(folder: Path, settings: TrainSettings, counts: Accuracy) -> dict[str, object]:
    from tengen.nets.training import TengenModel, read_checkpoint

    far = read_checkpoint(folder / "checkpoint.pt")["progress"]
    model = TengenModel(settings.blocks, settings.channels)
    figures = counts.as_json()
    return {
        "net": folder.name,
        "blocks": settings.blocks,
        "channels": settings.channels,
        "hours": f"{far['elapsed_s'] / 3600:.3f}",
        "steps": far["steps"],
        "positions": far["positions"],
        "weights": sum(weights.numel() for weights in model.parameters()),
        **{f"top{place}": f"{counts.top(place):.4f}" for place in PLACES},
        "log_loss": f"{figures['log_loss']:.4f}",
        "value_error": "" if figures["value_error"] is None else f"{figures['value_error']:.4f}",
    }


def comparisons_of(arguments: argparse.Namespace, names: Sequence[str]) -> list[Comparison]:
    """Return the first choices against the other program, and each network against the previous
    one.
    """
    nets = {name: int8_path(arguments.output / name) for name in names}
    raw = [
        Comparison(
            f"{name}-policy", (first_choice(str(net)), arguments.opponent), f"{name} without search"
        )
        for name, net in nets.items()
        if arguments.opponent
    ]
    players = {name: searching_with(str(net), arguments.seconds) for name, net in nets.items()}
    searched = [
        Comparison(
            f"{name}-{before}",
            (players[name], players[before]),
            f"{name} vs. {before}, {arguments.seconds:g} s per move",
        )
        for before, name in zip(names, names[1:], strict=False)
        if arguments.seconds
    ]
    return raw + searched


def searching_with(net: str, seconds: float) -> str:
    """Return a player that searches with a network for a fixed time."""
    return SEARCH.format(seconds=seconds, net=quote(f"net={net}"))


def write_report(study: Study, table: CsvTable, comparisons: Sequence[Comparison]) -> Path:
    """Write tables, plot and report of the results so far; return the path of the report."""
    study.clear_report()
    study.add_section("Accuracy", "All networks trained on the same games for the same steps.")
    shown = [{name: row[name] for name in SHOWN} for row in table.rows]
    study.add_table(
        shown, "topN: share of moves among the network's first N choices.", name="sizes"
    )
    with study.figure("choices", "Moves among the first n choices (figure 2.8).") as plot:
        plot_choices(plot.add_subplot(), table)
    played = played_comparisons(study.folder, comparisons, sprt_of(study))
    study.add_section("Games", "From the point of view of the network named first.")
    study.add_table([*map(comparison_row, played)], "int8 networks.", name="size-matches")
    theirs = [dict(zip(("net", "accuracy %", "won %"), row, strict=True)) for row in PAPER]
    study.add_table(theirs, "Table 2.1: 19x19, expert moves, games against GNU Go.")
    return study.write_report()


def plot_choices(axes: Axes, table: CsvTable) -> None:
    """Plot the share of moves among the first n choices, one line per network."""
    for row in table.rows:
        shares = [100 * float(row[f"top{place}"]) for place in PLACES]
        axes.plot(PLACES, shares, marker=".", label=row["net"])
    axes.set_xticks(PLACES)
    axes.set_xlabel("n")
    axes.set_ylabel("% of moves")
    axes.grid(alpha=0.3)
    if table.rows:
        axes.legend()

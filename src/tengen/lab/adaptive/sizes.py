"""Table 2.1 and figure 2.8: what the depth and the width of a net are worth, trained here.

All nets learn from the same games for the same time. Each is asked for the moves of games that none
has seen (figure 2.8); its first choice plays another program, without any search (table 2.1); and
with a search it plays the net before it in the list at equal time: a large net knows more, and sees
less.
"""

import argparse
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from tengen.core.errors import TengenError
from tengen.core.interrupt import stopping_at_interrupt
from tengen.lab.adaptive.contests import first_choice, terms_with_net
from tengen.lab.contests import Contest, contest_row, play_contest, played_contests, sprt_of
from tengen.lab.opponents import check_program
from tengen.lab.progress import progress
from tengen.lab.study import Study, Table
from tengen.lab.terms import Terms
from tengen.network.accuracy import Accuracy, examples, measure
from tengen.network.calibration import write_in_eight_bits
from tengen.network.onnx import load_net
from tengen.network.roundings import LEAST_CHANNELS
from tengen.network.training.settings import TrainSettings, require_torch
from tengen.records.source import documents

if TYPE_CHECKING:
    from tengen.network.training.session import TrainingFolder
    from tengen.network.training.trainer import Progress, Trainer

PLACES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)
"""Figure 2.8: how often the move that was played is among so many choices."""
COLUMNS = (
    *("net", "blocks", "channels", "hours", "steps", "positions", "weights"),
    *(f"top{place}" for place in PLACES),
    *("log_loss", "value_error"),
)
SHOWN = ("net", "weights", "steps", "positions", "top1", "top5", "top10", "log_loss", "value_error")
"""What the report shows of these; the plot has the rest."""
EACH = 5
"""Positions of a game that nets are asked about."""
CALIBRATION_GAMES = 4
SEARCH = "tengen seconds={seconds:g} stop_early=no threads=1 {net}"
PAPER = (
    ("3 layers of 16", "37.5", "3.4 +- 1.1"),
    ("3 layers of 128", "48.0", "61.8 +- 2.6"),
    ("6 layers of 128", "51.2", "84.4 +- 1.9"),
    ("10 layers of 128", "54.5", "94.7 +- 1.2"),
    ("12 layers of 128", "55.2", "97.2 +- 0.9"),
)
"""Table 2.1 (Maddison et al. 2015, 19x19): the net, % of moves right, % of games with GNU Go."""


def run(arguments: argparse.Namespace) -> int:
    """Train, measure and play, each from where it was; write the report, after Ctrl-C too."""
    settings = nets_of(arguments)
    terms = terms_with_net(arguments)
    require_torch()
    check_games(arguments)
    for player in _known_players(arguments):
        check_program("sizes", player)
    study = Study(arguments.output, "The size of a net", identity_of(arguments, terms))
    table = study.table("nets", COLUMNS)
    contests = contests_of(arguments, list(settings))
    try:
        for name, wanted in settings.items():
            train_net(study.folder / name, wanted, arguments.learn)
            ask_net(table, study.folder / name, wanted, arguments)
        for contest in contests:
            play_contest(study.folder, contest, terms)
    finally:
        page = write_report(study, table, contests)
    print(page)
    return 0


def check_games(arguments: argparse.Namespace) -> None:
    """Raise TengenError if there is nothing to learn from or to ask about, before all is begun."""
    from tengen.network.training.archives import usable_games
    from tengen.network.training.labels import is_label_folder

    for path in (*arguments.learn, *arguments.unseen):
        documents(path)
    archives = [path for path in arguments.learn if not is_label_folder(Path(path))]
    if archives and next(usable_games(archives), None) is None:
        raise TengenError(f"no game to learn from in {', '.join(archives)}")
    if next(examples(arguments.unseen, EACH, arguments.seed), None) is None:
        raise TengenError(f"no position to ask about in {', '.join(arguments.unseen)}")


def _known_players(arguments: argparse.Namespace) -> list[str]:
    """Return who shall play, with the net of the package for those not trained yet."""
    searching = searching_with("default", arguments.seconds)
    found = [arguments.opponent, searching if arguments.seconds else ""]
    return [player for player in found if player]


def nets_of(arguments: argparse.Namespace) -> dict[str, TrainSettings]:
    """Return how each net is trained, by its name; raise TengenError if it is no size."""
    found = {}
    for name in arguments.nets.split(","):
        try:
            blocks, channels = (int(number) for number in name.split("x"))
        except ValueError:
            raise TengenError(f"write nets as BLOCKSxCHANNELS: 4x32, not {name!r}") from None
        if channels < LEAST_CHANNELS:
            raise TengenError(f"{name}: nets for eight bits have {LEAST_CHANNELS} channels or more")
        found[name] = TrainSettings(
            blocks=blocks,
            channels=channels,
            hours=arguments.hours,
            steps=arguments.steps,
            seed=arguments.seed,
        )
    return found


def identity_of(arguments: argparse.Namespace, terms: Terms) -> dict[str, object]:
    """Return what all nets of a folder share; more nets, and more games, may be added."""
    names = ("learn", "unseen", "positions", "hours", "steps", "opponent", "seconds")
    return {**{name: getattr(arguments, name) for name in names}, **terms.identity}


def train_net(folder: Path, settings: TrainSettings, paths: Sequence[str]) -> None:
    """Train a net to the end of its time, from where it was; write it in eight bits too.

    Raise KeyboardInterrupt after Ctrl-C, with nothing lost.
    """
    from tengen.network.training.session import TrainingFolder
    from tengen.network.training.trainer import Trainer

    home = TrainingFolder(folder, settings)
    trainer = Trainer(settings, home.checkpoint)
    home.catch_up(trainer)
    if not trainer.is_over:
        _learn(home, trainer, [Path(path) for path in paths])
    if not eight_bits(folder).exists():
        write_in_eight_bits(home.net, eight_bits(folder), CALIBRATION_GAMES, settings.seed)


def _learn(home: "TrainingFolder", trainer: "Trainer", paths: Sequence[Path]) -> None:
    """Train, with a bar; Ctrl-C ends it between two steps."""
    from tengen.network.training.session import gather, train

    stop = threading.Event()
    name = home.path.name
    with progress() as bar, stopping_at_interrupt(stop):
        task = bar.add_task(f"{name}: reading", total=1.0)

        def show(far: "Progress") -> None:
            text = f"{name}: step {far.steps:,}, loss {far.loss:.3f}"
            bar.update(task, completed=trainer.done, description=text)

        material = gather(paths, trainer.settings, _say_nothing, trainer.progress.steps)
        train(home, trainer, material, show, stop.is_set)
    if stop.is_set():
        raise KeyboardInterrupt


def _say_nothing(done: int, planned: int) -> None:
    """The bar is for the training: reading takes a minute at the most."""


def eight_bits(folder: Path) -> Path:
    """Return where the net is that plays."""
    return folder / "net-int8.onnx"


def ask_net(
    table: Table, folder: Path, settings: TrainSettings, arguments: argparse.Namespace
) -> None:
    """Ask a net for the moves of games that it has not seen, unless that was done."""
    if table.has(net=folder.name):
        return
    net = load_net(folder / "net.onnx")
    drawn = islice(examples(arguments.unseen, EACH, arguments.seed), arguments.positions)
    counts = Accuracy()
    with progress() as bar:
        task = bar.add_task(f"{folder.name}: asking", total=arguments.positions)
        for counts in measure(net, drawn):
            bar.update(task, completed=counts.positions)
    table.add(**_row(folder, settings, counts))


def _row(folder: Path, settings: TrainSettings, counts: Accuracy) -> dict[str, object]:
    from tengen.network.training.model import OwnModel
    from tengen.network.training.trainer import read_checkpoint

    far = read_checkpoint(folder / "checkpoint.pt")["progress"]
    model = OwnModel(settings.blocks, settings.channels)
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


def contests_of(arguments: argparse.Namespace, names: Sequence[str]) -> list[Contest]:
    """Return the first choice of each net against the other program, and each net against the last.

    The latter play at equal time.
    """
    nets = {name: eight_bits(arguments.output / name) for name in names}
    raw = [
        Contest(f"{name}-policy", (first_choice(str(net)), arguments.opponent), f"{name} alone")
        for name, net in nets.items()
        if arguments.opponent
    ]
    players = {name: searching_with(str(net), arguments.seconds) for name, net in nets.items()}
    searched = [
        Contest(
            f"{name}-{before}",
            (players[name], players[before]),
            f"{name} - {before}, {arguments.seconds:g} s a move each",
        )
        for before, name in zip(names, names[1:], strict=False)
        if arguments.seconds
    ]
    return raw + searched


def searching_with(net: str, seconds: float) -> str:
    """Return who searches with a net, at equal time."""
    return SEARCH.format(seconds=seconds, net=quote(f"net={net}"))


def write_report(study: Study, table: Table, contests: Sequence[Contest]) -> Path:
    """Write tables, plot and page from what there is so far; return the page's path."""
    fresh = Study(study.folder, study.title, study.settings)
    fresh.text("What each net knows", "The same games and hours for all.")
    shown = [{name: row[name] for name in SHOWN} for row in table.rows]
    fresh.show(shown, "topN: the move that was played is among the net's first N choices.")
    with fresh.figure("choices", "The move played among the first n choices (figure 2.8).") as plot:
        plot_choices(plot.add_subplot(), table)
    played = played_contests(study.folder, contests, sprt_of(study))
    fresh.text("What each net wins", "From the side of the net that is named first.")
    fresh.show([*map(contest_row, played)], "Nets in eight bits.")
    theirs = [dict(zip(("net", "% right", "% won"), row, strict=True)) for row in PAPER]
    fresh.show(theirs, "Table 2.1: 19x19, moves of experts, games with GNU Go.")
    return fresh.write_report()


def plot_choices(axes: Axes, table: Table) -> None:
    """Draw how often the move is among the first n choices, a line a net."""
    for row in table.rows:
        shares = [100 * float(row[f"top{place}"]) for place in PLACES]
        axes.plot(PLACES, shares, marker=".", label=row["net"])
    axes.set_xticks(PLACES)
    axes.set_xlabel("n")
    axes.set_ylabel("% of the moves")
    axes.grid(alpha=0.3)
    if table.rows:
        axes.legend()

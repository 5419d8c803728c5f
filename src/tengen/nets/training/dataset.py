"""Training data: sources with mix weights, held-out sets, and the reading of both."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.nets.training.games import StoredGame, sample_stored_games, take_positions, to_samples
from tengen.nets.training.labels import (
    LabeledSamples,
    LabelReader,
    ProgressCallback,
    is_label_folder,
)
from tengen.nets.training.samples import Samples, TrainingBatch, join_samples
from tengen.nets.training.settings import TrainSettings
from tengen.nets.training.sources import (
    POSITIONS_PER_GAME,
    BatchSource,
    GameSource,
    SampleSource,
    size_name,
)
from tengen.util import TengenError

MAX_GAMES = 100_000
"""Games kept in memory per archive; of larger archives, a uniform sample."""
HELD_OUT_POSITIONS = 1_200
"""Maximum number of held-out positions per board size drawn from archives."""

Keys = frozenset[int]
"""Games by `game_key`."""
Weights = Mapping[str, float]


class HeldOutSet(NamedTuple):
    """Held-out positions of one board size, and the name of their games."""

    games: str
    samples: Samples


class Mix(NamedTuple):
    """How often board sizes and sources are drawn.

    The board size is drawn first, then one of its sources, both in proportion to their weights. If
    no weight is given, the weight is the square root of the number of positions; if some are given,
    the others are 1.
    """

    paths: Weights = {}
    """Weights of sources by path."""
    sizes: Weights = {}
    """Weights of board sizes, such as 9x9."""

    def probabilities(self, sources: Sequence[BatchSource]) -> npt.NDArray[np.float64]:
        """Return the probability of each source; raise TengenError if all weights are 0."""
        counts: dict[str, int] = {}
        for source in sources:
            counts[source.size] = counts.get(source.size, 0) + len(source)
        weights = np.zeros(len(sources))
        for size, count in counts.items():
            of_size = [n for n, source in enumerate(sources) if source.size == size]
            shares = np.array(
                [_weight(self.paths, sources[n].name, len(sources[n])) for n in of_size]
            )
            if shares.sum() > 0:
                weights[of_size] = _weight(self.sizes, size, count) * shares / shares.sum()
        if not weights.sum() > 0:
            raise TengenError("all sources have weight 0: give one a positive weight")
        probabilities: npt.NDArray[np.float64] = weights / weights.sum()
        return probabilities


def _weight(weights: Weights, name: str, count: int) -> float:
    return weights.get(name, 1.0) if weights else float(np.sqrt(count))


def parse_size_weights(text: str) -> dict[str, float]:
    """Parse weights of board sizes such as `9=2,13x19=1`; raise TengenError."""
    weights = {}
    for item in filter(None, text.split(",")):
        size, _, number = item.strip().partition("=")
        columns, _, rows = size.partition("x")
        try:
            weight = float(number)
            name = size_name(int(rows or columns), int(columns))
        except ValueError:
            weight = -1.0
        if not 0 <= weight < float("inf"):
            raise TengenError(
                f"size weights must be SIZE=WEIGHT separated by commas, such as 9=2,19=1,"
                f" got {item!r}"
            )
        weights[name] = weight
    return weights


class LabelFeed(NamedTuple):
    """A label folder whose new shards are added to the training data."""

    name: str
    """Its path as given."""
    reader: LabelReader
    one_in: int
    excluded: Keys
    """Games held out elsewhere."""
    by_key: bool
    """Whether games are also left out by their key, as in archives and shards."""

    @property
    def title(self) -> str:
        """Name of the held-out sets; `tengen net distill` calls all its folders `labels`."""
        return "/".join(self.reader.folder.parts[-2:])

    def read_new(self) -> tuple[list[Samples], list[Samples]]:
        """Return the samples of new shards by board size: to learn from, and held out."""
        return self.split_all(self.reader.read_new())

    def split_all(self, labeled: list[LabeledSamples]) -> tuple[list[Samples], list[Samples]]:
        """Split samples as `split` does and join those of each board size.

        The samples are removed from `labeled`, to save memory.
        """
        kinds: tuple[dict[str, list[Samples]], ...] = ({}, {})
        while labeled:
            for kind, samples in zip(kinds, self.split(labeled.pop(0)), strict=True):
                if len(samples):
                    size = size_name(samples.rows, samples.columns)
                    kind.setdefault(size, []).append(samples)
        learned, held_out = ([join_samples(kind[size]) for size in sorted(kind)] for kind in kinds)
        return learned, held_out

    def split(self, labeled: LabeledSamples) -> tuple[Samples, Samples]:
        """Return the samples to learn from and the held-out ones."""
        is_held = labeled.group % self.one_in == 0
        is_known = np.isin(labeled.key, [*self.excluded])
        if self.by_key:
            is_known |= labeled.key % self.one_in == 0
        learned = labeled.samples.chosen(~(is_held | is_known))
        return learned, labeled.samples.chosen(is_held)


@dataclass
class Dataset:
    """Training data and held-out sets."""

    sources: list[BatchSource]
    held_out: list[HeldOutSet]
    mix: Mix = Mix()
    feeds: Sequence[LabelFeed] = ()
    _shares: npt.NDArray[np.float64] | None = field(default=None, repr=False)

    def draw(self, count: int, random: np.random.Generator) -> TrainingBatch:
        """Return random positions of a random source."""
        if self._shares is None:
            self._shares = self.mix.probabilities(self.sources)
        drawn = int(random.choice(len(self._shares), p=self._shares))
        return self.sources[drawn].draw(count, random)

    def shares(self) -> list[tuple[str, str, int, float]]:
        """Return path, board size, positions and probability of each source."""
        shares = self.mix.probabilities(self.sources)
        rows = zip(self.sources, shares.tolist(), strict=True)
        return [(source.name, source.size, len(source), share) for source, share in rows]

    def refresh(self, random: np.random.Generator) -> int:
        """Add the positions of new label shards; return how many they are."""
        count = 0
        for feed in self.feeds:
            learned, held_out = feed.read_new()
            count += sum(map(len, (*learned, *held_out)))
            for samples in learned:
                self._learn(feed.name, samples, random)
            for samples in held_out:
                add_held_out(self.held_out, HeldOutSet(feed.title, samples))
        if count:
            self._shares = None
        return count

    def _learn(self, name: str, samples: Samples, random: np.random.Generator) -> None:
        """Add samples to the source of the same path and size, or as a new source."""
        added = SampleSource(samples, name)
        for source in self.sources:
            is_same = (source.name, source.size) == (name, added.size)
            if is_same and isinstance(source, SampleSource):
                source.extend(samples, random)
                return
        self.sources.append(added)

    def state(self) -> dict[str, Any]:
        """Return the order of the data, for `load_dataset`."""
        return {
            "files": {feed.name: list(feed.reader.names) for feed in self.feeds},
            "sources": {f"{s.name}:{s.size}": dict(s.state()) for s in self.sources},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue the order of the data; sources that have changed start a new one."""
        for source in self.sources:
            known = state["sources"].get(f"{source.name}:{source.size}")
            if known is not None and not source.restore(known):
                logging.getLogger("tengen.nets").warning(
                    "%s: the positions of %s have changed; a new epoch starts",
                    source.name,
                    source.size,
                )


def add_held_out(sets: list[HeldOutSet], added: HeldOutSet) -> None:
    """Add held-out positions to the set of the same name and size, or as a new set."""
    for index, known in enumerate(sets):
        same_size = (known.samples.rows, known.samples.columns) == (
            added.samples.rows,
            added.samples.columns,
        )
        if known.games == added.games and same_size:
            sets[index] = HeldOutSet(known.games, join_samples([known.samples, added.samples]))
            return
    sets.append(added)


def load_dataset(
    paths: Sequence[Path],
    settings: TrainSettings,
    on_progress: ProgressCallback,
    state: Mapping[str, Any] | None = None,
    weights: Weights | None = None,
) -> Dataset:
    """Return the dataset of label folders and game archives.

    With the `state` of a checkpoint, positions follow in the order of the interrupted run.
    `weights` are those of the paths. Raise TengenError if there is nothing to learn from or nothing
    is held out.
    """
    one_in = settings.held_out
    mix = Mix(weights or {}, parse_size_weights(settings.size_weights))
    files = state["files"] if state else {}
    readers = {
        str(path): LabelReader(path, settings.input_playouts, files.get(str(path), ()))
        for path in paths
        if is_label_folder(path)
    }
    labeled = {name: reader.read_new(on_progress) for name, reader in readers.items()}
    # A game may be in several places: if one holds it out, no other may learn from it.
    excluded = held_out_keys([part for parts in labeled.values() for part in parts], one_in)
    feeds = [
        LabelFeed(name, reader, one_in, excluded, len(paths) > 1)
        for name, reader in readers.items()
    ]
    dataset = Dataset([], [], mix, feeds)
    for feed in feeds:
        learned, held_out = feed.split_all(labeled.pop(feed.name))
        dataset.sources += [SampleSource(samples, feed.name) for samples in learned]
        dataset.held_out += [HeldOutSet(feed.title, samples) for samples in held_out]
    for path in paths:
        if str(path) not in readers:
            _add_archive(dataset, str(path), settings, excluded, on_progress)
    if not dataset.sources or not dataset.held_out:
        raise TengenError(
            "too few games: some must be held out"
            if dataset.sources or dataset.held_out
            else f"no labels or games in {', '.join(map(str, paths))}"
        )
    mix.probabilities(dataset.sources)
    if state:
        dataset.restore(state)
    return dataset


def held_out_keys(labeled: Sequence[LabeledSamples], one_in: int) -> Keys:
    """Return the games that are held out."""
    found = [of_file.key[of_file.group % one_in == 0] for of_file in labeled]
    return frozenset(np.concatenate(found).tolist()) if found else frozenset()


def _add_archive(
    dataset: Dataset,
    path: str,
    settings: TrainSettings,
    excluded: Keys,
    on_progress: ProgressCallback,
) -> None:
    """Add the games of an archive; raise TengenError if there are none."""
    games = sample_stored_games([path], MAX_GAMES, settings.seed, lambda n: on_progress(n, 0))
    if not games:
        raise TengenError(f"no usable game in {path}")
    learned: dict[str, list[StoredGame]] = {}
    held_out: dict[str, list[StoredGame]] = {}
    for game in games:
        key = game.key
        if key in excluded:
            continue
        group = held_out if key % settings.held_out == 0 else learned
        group.setdefault(size_name(game.header.rows, game.header.columns), []).append(game)
    dataset.sources += [
        GameSource(of_size, path, settings.input_playouts, settings.seed)
        for of_size in learned.values()
    ]
    for of_size in held_out.values():
        random = np.random.default_rng(settings.seed)
        chosen = of_size[: HELD_OUT_POSITIONS // POSITIONS_PER_GAME]
        positions = [
            position
            for game in chosen
            for position in take_positions(game.record(), POSITIONS_PER_GAME, random)
        ]
        samples = to_samples(positions, settings.input_playouts)
        add_held_out(dataset.held_out, HeldOutSet("records", samples))

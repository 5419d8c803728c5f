"""Accuracy of a network on game records: predicted moves and winners."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.board.rules import Ko
from tengen.nets.evaluation import Evaluation
from tengen.nets.net import MIN_BOARD_SIZE, Net
from tengen.records.game import GameRecord
from tengen.records.reader import read_games
from tengen.records.warning import RecordWarning
from tengen.util.errors import TengenError

LEAST_PROBABILITY = 1e-6
"""Lower bound of a move's probability in the log loss, so that one surprise cannot dominate."""


@dataclass(frozen=True)
class Example:
    """A position of a game, the move played and the result."""

    position: Position
    move: int
    won: bool | None
    """Whether the side to move won the game; None if unknown."""


@dataclass
class Accuracy:
    """Running counts."""

    positions: int = 0
    places: Counter[int] = field(default_factory=Counter)
    """How often the played move was the network's first choice (0), its second, and so on."""
    log_loss_sum: float = 0.0
    decided: int = 0
    """Positions of games with a winner."""
    square_sum: float = 0.0
    right: int = 0
    """Positions in which the network favored the winner."""

    def add(self, example: Example, evaluation: Evaluation) -> None:
        """Count one position."""
        played = probability_of(example.move, evaluation)
        better = int((evaluation.policy > played).sum())
        better += evaluation.pass_probability > played
        self.positions += 1
        self.places[better] += 1
        self.log_loss_sum -= math.log(max(played, LEAST_PROBABILITY))
        if example.won is not None:
            self.decided += 1
            self.square_sum += (evaluation.win_to_play - example.won) ** 2
            self.right += (evaluation.win_to_play > 0.5) == example.won

    def top(self, count: int) -> float | None:
        """Return how often the played move was among the first `count` choices."""
        return _mean(sum(self.places[place] for place in range(count)), self.positions)

    def as_json(self) -> dict[str, float | int | None]:
        """Return shares, means and the number of positions."""
        return {
            "positions": self.positions,
            "top1": self.top(1),
            "top5": self.top(5),
            "log_loss": _mean(self.log_loss_sum, self.positions),
            "decided_positions": self.decided,
            "value_error": _mean(self.square_sum, self.decided),
            "winner_right": _mean(self.right, self.decided),
        }


def _mean(total: float, count: int) -> float | None:
    return total / count if count else None


def probability_of(move: int, evaluation: Evaluation) -> float:
    """Return the probability of a move."""
    if move == PASS:
        return evaluation.pass_probability
    return float(evaluation.policy[row_of(move), column_of(move)])


def examples(paths: Iterable[str], each: int, seed: int) -> Iterator[Example]:
    """Yield up to `each` random positions of every game at the paths.

    Games on boards too small for networks and games with illegal moves are skipped.
    """
    random = np.random.default_rng(seed)
    for path in paths:
        for record in read_games(path, _ignore):
            if record.moves and min(record.rows, record.columns) >= MIN_BOARD_SIZE:
                drawn = random.permutation(len(record.moves))[:each]
                yield from _of_game(record, sorted(drawn.tolist()))


def _of_game(record: GameRecord, numbers: Sequence[int]) -> Iterator[Example]:
    """Yield the positions of a game before some of its moves."""
    rules = replace(record.rules, ko=Ko.SIMPLE)
    try:
        for number in numbers:
            position = record.position(number, rules)
            played = record.moves[number]
            position.to_play = played.color
            winner = record.winner
            yield Example(position, played.move, None if winner is None else winner == played.color)
    except TengenError:
        return


def _ignore(_warning: RecordWarning) -> None:
    """Ignore warnings about records."""


def measure_accuracy(net: Net, found: Iterable[Example]) -> Iterator[Accuracy]:
    """Evaluate batch by batch; yield the running counts, the same object each time."""
    counts = Accuracy()
    for batch in _batches(found, net.settings.batch):
        evaluations = net.evaluate([example.position for example in batch])
        for example, evaluation in zip(batch, evaluations, strict=True):
            counts.add(example, evaluation)
        yield counts


def _batches(found: Iterable[Example], size: int) -> Iterator[list[Example]]:
    batch: list[Example] = []
    for example in found:
        batch.append(example)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch

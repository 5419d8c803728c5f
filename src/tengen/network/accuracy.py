"""How well a net knows games that it has not seen: the moves, and who won."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tengen.board.points import PASS, column_of, row_of
from tengen.board.position import Position
from tengen.board.rules import Ko
from tengen.core.errors import TengenError
from tengen.network.evaluation import Evaluation
from tengen.network.net import SMALLEST_BOARD, Net
from tengen.records.game import GameRecord
from tengen.records.reader import read_games
from tengen.records.warning import RecordWarning

LEAST_PROBABILITY = 1e-6
"""A move's probability counts as at least this: one surprise must not decide a mean."""


@dataclass(frozen=True)
class Example:
    """A position of a game, and what became of it."""

    position: Position
    move: int
    won: bool | None
    """Whether the side to move won in the end; None if that is not known."""


@dataclass
class Accuracy:
    """What was counted; counts add up."""

    positions: int = 0
    places: Counter[int] = field(default_factory=Counter)
    """How often the move played was the net's first choice (0), its second, and so on."""
    log_loss_sum: float = 0.0
    decided: int = 0
    """Positions of games with a winner."""
    square_sum: float = 0.0
    right: int = 0
    """How often the net gave the winner more than one half."""

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
        """Return how often the move played was among the net's first `count` choices."""
        return _mean(sum(self.places[place] for place in range(count)), self.positions)

    def as_json(self) -> dict[str, float | int | None]:
        """Return the figures: shares, means, and from how many positions."""
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
    """Return how probable a net finds a move."""
    if move == PASS:
        return evaluation.pass_probability
    return float(evaluation.policy[row_of(move), column_of(move)])


def examples(paths: Iterable[str], each: int, seed: int) -> Iterator[Example]:
    """Yield up to `each` positions of every game at the paths, drawn without order.

    Games on boards too small for nets are left out, and games with moves that are not legal.
    """
    random = np.random.default_rng(seed)
    for path in paths:
        for record in read_games(path, _say_nothing):
            if record.moves and min(record.rows, record.columns) >= SMALLEST_BOARD:
                drawn = random.permutation(len(record.moves))[:each]
                yield from _of_game(record, sorted(drawn.tolist()))


def _of_game(record: GameRecord, numbers: Sequence[int]) -> Iterator[Example]:
    """Yield the positions of a game before some of its moves."""
    rules = replace(record.rules, ko=Ko.SIMPLE)
    try:
        for number in numbers:
            position = record.position(number, rules)
            played = record.moves[number]
            position.to_play = played.colour
            winner = record.winner
            yield Example(
                position, played.move, None if winner is None else winner == played.colour
            )
    except TengenError:
        return


def _say_nothing(_warning: RecordWarning) -> None:
    """What is wrong with records is the business of `tengen games`."""


def measure(net: Net, found: Iterable[Example]) -> Iterator[Accuracy]:
    """Count batch after batch; yield the counts so far, the same object each time."""
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

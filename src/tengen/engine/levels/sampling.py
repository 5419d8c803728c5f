"""Choosing a move as a player of limited skill would: sampled from the policy, then checked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.board import BLACK, PASS, WHITE, Position, column_of, row_of
from tengen.board.kernels import layout
from tengen.board.kernels.tactics import in_atari, is_eye
from tengen.engine.levels.parameters import LevelParameters
from tengen.nets import Evaluation

Weights = npt.NDArray[np.float64]
Evaluate = Callable[[Sequence[Position]], list[Evaluation]]

MIN_POLICY_SHARE = 0.001
"""Moves with a smaller share of the policy's maximum are not sampled."""
NAIVE_DISTANCE = 3.0
"""Naive moves become rarer by e with this distance to the last move."""
EDGE_WEIGHT = 0.1
"""Weight of naive moves on the first two lines without a stone beside them."""
OVERSIGHT_FACTOR = 4.0
"""Factor of the tolerance in a decision with an oversight."""
AVERAGE_ENTROPY = 0.35
"""Normalized entropy of the policy in which oversights are as frequent as their parameter."""
ATARI_STONES = 3
"""Size of chains in atari that make a decision careful, in stones."""
ATARI_FACTOR = 0.25
"""Factor of the tolerance when such a chain is in atari."""
TRUSTED_POLICY = 0.2
"""A self-atari with at least this share of the policy may be a good move."""


@dataclass(frozen=True)
class SampledMove:
    """A candidate with the network's evaluation."""

    move: int
    win: float
    """Win rate of the side to move after it."""
    policy: float
    visits: int = 1


@dataclass(frozen=True)
class Choice:
    """The candidates of a decision, the chosen one first."""

    moves: list[SampledMove]

    @property
    def move(self) -> int:
        """The chosen move."""
        return self.moves[0].move


class _Checked(NamedTuple):
    """A move with the network's evaluation of the position after it."""

    sampled: SampledMove
    lead: float
    """Lead of the side to move, in points."""
    self_atari: int
    """Stones that it puts into atari, the new one included."""


def choose_move(
    position: Position,
    evaluation: Evaluation,
    parameters: LevelParameters,
    evaluate: Evaluate,
    rng: np.random.Generator,
    allowed: Sequence[int] | None = None,
) -> Choice | None:
    """Sample a move; None if only passing and filling own eyes are left.

    Moves are drawn one after the other and kept by the points that they lose against the position
    or the best evaluated move. If none of `parameters.candidates` is kept, the best one is played.
    """
    moves = _playable(position, allowed)
    if not moves:
        return None
    policy = _policy_of(position, evaluation, moves)
    has_atari = _has_large_atari(position)
    weights = _weights(position, moves, policy, parameters, has_atari)
    tolerance = _tolerance(policy, parameters, has_atari, rng)
    checked: list[_Checked] = []

    def check(index: int) -> _Checked:
        after = position.copy()
        after.play(moves[index])
        found = evaluate([after])[0]
        sampled = SampledMove(moves[index], 1 - found.win_to_play, float(policy[index]))
        checked.append(_Checked(sampled, -found.lead_to_play, _self_atari(after, moves[index])))
        return checked[-1]

    drawn = _draw(weights, max(parameters.candidates, 1), rng)
    for index in drawn:
        one = check(index)
        loss = max(evaluation.lead_to_play, *(other.lead for other in checked)) - one.lead
        is_seen = one.self_atari > parameters.self_atari_stones and policy[index] < TRUSTED_POLICY
        if not is_seen and rng.random() < np.exp(-loss / tolerance):
            return _choice(one, checked)
    best = int(np.argmax(policy))
    if best not in drawn:
        check(best)
    return _choice(max(checked, key=lambda one: one.lead), checked)


def _choice(chosen: _Checked, checked: Sequence[_Checked]) -> Choice:
    return Choice([chosen.sampled, *(one.sampled for one in checked if one is not chosen)])


def entropy(policy: Weights) -> float:
    """Return the normalized entropy of a policy: 0 for a single move, 1 if all are equal."""
    shares = policy[policy > 0] / max(policy.sum(), 1e-12)
    return float(-(shares * np.log(shares)).sum() / np.log(max(len(policy), 2)))


def _playable(position: Position, allowed: Sequence[int] | None) -> list[int]:
    """Return the legal moves that do not fill an own eye."""
    moves = position.legal_moves() if allowed is None else allowed
    block, color = position.block, np.uintp(position.to_play)
    return [m for m in moves if m != PASS and not is_eye(block, np.uintp(m), color)]


def _policy_of(position: Position, evaluation: Evaluation, moves: Sequence[int]) -> Weights:
    shares = np.array([evaluation.policy[row_of(m), column_of(m)] for m in moves], np.float64)
    return shares / max(float(shares.sum()), 1e-9)


def _tolerance(
    policy: Weights, parameters: LevelParameters, has_atari: bool, rng: np.random.Generator
) -> float:
    """Return the tolerance of one decision; oversights are frequent in complicated positions."""
    if has_atari:
        return parameters.tolerance * ATARI_FACTOR
    chance = parameters.oversight * entropy(policy) / AVERAGE_ENTROPY
    return parameters.tolerance * (OVERSIGHT_FACTOR if rng.random() < chance else 1.0)


def _weights(
    position: Position,
    moves: Sequence[int],
    policy: Weights,
    parameters: LevelParameters,
    has_atari: bool,
) -> Weights:
    """Return the sampling weights: the policy with a temperature, mixed with naive moves."""
    temperature = min(parameters.temperature, 1.0) if has_atari else parameters.temperature
    share = policy / policy.max() if policy.max() > 0 else np.ones(len(policy))
    weights = np.where(share >= MIN_POLICY_SHARE, share, 0.0) ** (1 / temperature)
    weights /= weights.sum()
    naive_share = 0.0 if has_atari else parameters.naive_share
    if naive_share > 0:
        naive = _naive_weights(position, moves)
        weights = (1 - naive_share) * weights + naive_share * naive
    return weights


def _naive_weights(position: Position, moves: Sequence[int]) -> Weights:
    """Return weights of moves near the last one and near other stones, away from the edge."""
    rows = np.array([row_of(m) for m in moves])
    columns = np.array([column_of(m) for m in moves])
    stones = np.pad(position.board() > 0, 2)
    beside, near = np.zeros_like(stones), np.zeros_like(stones)
    for row in range(-2, 3):
        for column in range(-2, 3):
            moved = np.roll(stones, (row, column), (0, 1))
            near |= moved
            if abs(row) + abs(column) <= 1:
                beside |= moved
    line = np.minimum.reduce(
        [rows, columns, position.rows - 1 - rows, position.columns - 1 - columns]
    )
    weights = np.where((line < 2) & ~beside[rows + 2, columns + 2], EDGE_WEIGHT, 1.0)
    weights *= np.where(near[rows + 2, columns + 2], 1.0, EDGE_WEIGHT)
    last = position.last_move
    if last not in (None, PASS):
        distance = np.abs(rows - row_of(last)) + np.abs(columns - column_of(last))
        weights *= np.exp(-distance / NAIVE_DISTANCE) + 0.02
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _has_large_atari(position: Position) -> bool:
    """Return whether a chain of `ATARI_STONES` or more stones is in atari."""

    def field(start: np.uintp) -> npt.NDArray[np.uint64]:
        return position.block[int(start) : int(start) + int(layout.POINTS)].astype(np.uint64)

    colors, heads = field(layout.COLOR), field(layout.HEAD).astype(np.intp)
    heads = heads[(colors == BLACK) | (colors == WHITE)]
    sizes = np.bincount(heads)
    count, total, squares = (
        field(start)[heads]
        for start in (layout.LIBERTIES, layout.LIBERTY_SUM, layout.LIBERTY_SQUARES)
    )
    is_atari = count * squares == total * total
    return bool((is_atari & (sizes[heads] >= ATARI_STONES)).any())


def _draw(weights: Weights, count: int, rng: np.random.Generator) -> list[int]:
    """Draw different indices in proportion to their weights."""
    possible = int((weights > 0).sum())
    keys = np.where(weights > 0, np.log(np.maximum(weights, 1e-300)), -np.inf)
    keys = keys + rng.gumbel(size=len(weights))
    return [int(i) for i in np.argsort(-keys)[: min(count, possible)]]


def _self_atari(after: Position, move: int) -> int:
    """Return the size of the chain of the stone just played if it is in atari, else 0."""
    if not after.color(move):
        return 0  # suicide, where the rules allow it
    head = np.uintp(after.block[layout.HEAD + move])
    return len(after.chain(move)) if in_atari(after.block, head) else 0

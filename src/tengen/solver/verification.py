"""Verification of proofs with the rules of the game only.

The prover's moves come from the table; moves, captures, bans and the end of the game come from
`tengen.board`, and scores are counted here. Where the table ends because of unconditional life, the
prover captures what stands on its secure points, so that the claim is played out.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tengen.board import BLACK, EMPTY, PASS, Ko, Position
from tengen.board.kernels import layout
from tengen.solver.boards import board_of
from tengen.solver.kernels import memory
from tengen.solver.kernels.evaluation import alive_chains
from tengen.solver.kernels.proof_moves import secure_points
from tengen.solver.question import Answer, ProofSearcher, Question
from tengen.util import TengenError

LONGEST_GAME = 400
_State = tuple[int, int, int, int]


class ProofError(TengenError):
    """A proof does not hold."""


@dataclass(frozen=True)
class Verification:
    """A verified proof."""

    states: int
    """Different states reached."""
    repeated_boards: int
    """Boards that a move of the prover can repeat. If there are none, superko bans no move of the
    prover, so the proof holds under positional and situational superko too."""


def area_score(position: Position) -> int:
    """Return Black's stones and surrounded empty points minus White's."""
    board = position.board()
    total, seen = 0, np.zeros(board.shape, dtype=bool)
    for start in np.ndindex(board.shape):
        if seen[start]:
            continue
        region, border, waiting = [start], set(), [start]
        seen[start] = True
        while waiting:
            for point in _around(waiting.pop(), board.shape):
                if board[point] != board[start]:
                    border.add(int(board[point]))
                elif not seen[point]:
                    seen[point] = True
                    region.append(point)
                    waiting.append(point)
        color = int(board[start])
        if color == EMPTY:
            color = border.pop() if len(border) == 1 else EMPTY
        if color != EMPTY:
            total += len(region) if color == BLACK else -len(region)
    return total


def _around(point: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    row, column = point
    for near in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= near[0] < shape[0] and 0 <= near[1] < shape[1]:
            yield near


class Prover:
    """Plays the moves of a proof."""

    def __init__(self, searcher: ProofSearcher, question: Question):
        self.searcher, self.question = searcher, question
        searcher.set_question(question)

    def reaches_target(self, position: Position) -> bool:
        """Return whether the score on the board answers the question with yes."""
        score = area_score(position)
        return (score if self.question.prover == BLACK else -score) >= self.question.target

    def moves(self, position: Position) -> Iterator[int]:
        """Yield moves to proved positions; raise ProofError when there are no more."""
        if position.last_move == PASS and self.reaches_target(position):
            yield PASS
        if self.searcher.is_decided(position):
            yield self._conquer(position)
        children = {}
        for move in [*position.legal_moves(), PASS]:
            children[move] = position.copy()
            children[move].play(move)
        work = {move: self._work(child) for move, child in children.items()}
        yield from sorted((move for move in work if work[move] >= 0), key=lambda move: work[move])
        # The entry of the child has been replaced in the table.
        for move, child in children.items():
            if not child.is_over and self.searcher.answer(child, self.question) is Answer.PROVED:
                yield move
        raise ProofError(f"the proof has no move in this position:\n{position}")

    def _work(self, position: Position) -> int:
        """Return the work of a stored proof, or -1; short proofs rarely lead back to the path."""
        work = None if position.is_over else self.searcher.proof_work(position)
        return -1 if work is None else work

    def _conquer(self, position: Position) -> int:
        """Return a move that captures opponent stones on secure points, or a pass.

        First come empty points next to living chains, then the last liberties inside.
        """
        geometry, points = self.searcher.state.geometry[0], position.points()
        board = board_of(position)
        half = memory.HALF_BITS if self.question.prover != BLACK else 0
        low = int(memory.LOW_HALF)
        own, other = board >> half & low, board >> (memory.HALF_BITS - half) & low
        use_interior = self.searcher.settings.interior
        secure = int(secure_points(geometry, np.uint64(own), use_interior))
        if not secure & other:
            return PASS
        alive = int(alive_chains(geometry, np.uint64(own)))
        inner = []
        for region in self._regions(secure & ~alive):
            if not region & other:
                continue
            for point in _members(region & ~(own | other)):
                if self._near(point) & alive and position.is_legal(points[point]):
                    return points[point]
                inner.append(points[point])
        # A single last liberty captures; of two, the one that captures more comes first.
        inner = [move for move in inner if position.is_legal(move)]
        if not inner:
            raise ProofError(f"no capture is possible on secure points:\n{position}")
        return max(inner, key=lambda move: _captures(position, move))

    def _regions(self, points: int) -> Iterator[int]:
        """Yield the connected parts of a set."""
        while points:
            region, wider = 0, points & -points
            while wider != region:
                region = wider
                for point in _members(region):
                    wider |= self._near(point) & points
            points &= ~region
            yield region

    def _near(self, point: int) -> int:
        """Return the set of points adjacent to a point."""
        rows, columns = self.searcher.shape
        around = _around(divmod(point, columns), (rows, columns))
        return sum(1 << row * columns + column for row, column in around)


def _members(points: int) -> Iterator[int]:
    """Yield the numbers of the points of a set."""
    while points:
        yield (points & -points).bit_length() - 1
        points &= points - 1


def _captures(position: Position, move: int) -> int:
    """Return the number of stones on the board that a move captures."""
    child = position.copy()
    child.play(move)
    return int(np.count_nonzero(position.board()) + 1 - np.count_nonzero(child.board()))


def play_games(
    searcher: ProofSearcher,
    position: Position,
    question: Question,
    games: int,
    ko: Ko = Ko.POSITIONAL,
    seed: int = 1,
) -> int:
    """Play random games against a proof under a ko rule; return the number of moves.

    Raise ProofError if a game does not end with the target.
    """
    draw, prover, moves = random.Random(seed), Prover(searcher, question), 0
    start = position.with_rules(replace(position.rules, ko=ko))
    for _ in range(games):
        game, seen = start.copy(), set[_State]()
        while not game.is_over:
            if game.to_play == question.prover:
                game.play(_new_move(prover, game, seen))
                seen.add(_state_of(game))
            else:
                legal = game.legal_moves()
                game.play(draw.choice(legal) if legal and draw.random() < 0.95 else PASS)
            moves += 1
            if len(game.moves) > LONGEST_GAME:
                raise ProofError(f"a game against the proof does not end:\n{game}")
        if not prover.reaches_target(game):
            raise ProofError(f"a game against the proof ends with {area_score(game):+d}:\n{game}")
    return moves


def _new_move(prover: Prover, game: Position, seen: set[_State]) -> int:
    """Return a move of the proof whose state is new in the game."""
    for move in prover.moves(game):
        child = game.copy()
        child.play(move)
        if _state_of(child) not in seen:
            return move
    raise ProofError(f"the proof has no new move in this position:\n{game}")


def verify_proof(searcher: ProofSearcher, position: Position, question: Question) -> Verification:
    """Verify a proof against all moves of the opponent, with simple ko as the only restriction.

    Raise ProofError if a line repeats a state or ends below the target.
    """
    walk = _Walk(Prover(searcher, question))
    walk.visit(position.with_rules(replace(position.rules, ko=Ko.SIMPLE)))
    return Verification(len(walk.verified), walk.repeated_boards())


class _Walk:
    """Depth-first walk through all states of a proof."""

    def __init__(self, prover: Prover):
        self.prover = prover
        self.verified: set[_State] = set()
        self._path: set[_State] = set()
        self._successors: dict[_State, list[tuple[_State, bool]]] = {}

    def visit(self, position: Position) -> None:
        if position.is_over:
            if not self.prover.reaches_target(position):
                score = area_score(position)
                raise ProofError(f"a line of the proof ends with {score:+d}:\n{position}")
            return
        state = _state_of(position)
        if state in self.verified:
            return
        if state in self._path:
            raise ProofError(f"a line of the proof repeats a state:\n{position}")
        self._path.add(state)
        try:
            if position.to_play == self.prover.question.prover:
                self._visit_one(position, state)
            else:
                for move in [*position.legal_moves(), PASS]:
                    self._follow(position, state, move)
        finally:
            self._path.remove(state)
        self.verified.add(state)

    def _visit_one(self, position: Position, state: _State) -> None:
        """Verify the first move of the proof that holds; others may lead back to the path."""
        for move in self.prover.moves(position):
            self._successors[state] = []
            try:
                self._follow(position, state, move)
            except ProofError:
                continue
            return

    def _follow(self, position: Position, state: _State, move: int) -> None:
        """Verify the position after a move."""
        child = position.copy()
        child.play(move)
        is_made = position.to_play == self.prover.question.prover and move != PASS
        self._successors.setdefault(state, []).append((_state_of(child), is_made))
        self.visit(child)

    def repeated_boards(self) -> int:
        """Count the boards that a move of the prover creates in a line that has had them before."""
        cycles = self._board_cycles()
        repeated = set()
        for start in self._successors:
            board = start[0]
            if board not in cycles or board in repeated:
                continue
            seen, waiting = {start}, [start]
            while waiting:
                for state, is_made in self._successors.get(waiting.pop(), []):
                    if state[0] == board and is_made:
                        repeated.add(board)
                    if cycles.get(state[0]) == cycles[board] and state not in seen:
                        seen.add(state)
                        waiting.append(state)
        return len(repeated)

    def _board_cycles(self) -> dict[int, int]:
        """Return the boards on cycles of boards with the number of the component they are in."""
        edges = {(a[0], b[0]) for a, after in self._successors.items() for b, _ in after}
        numbers = {board: number for number, board in enumerate({b for e in edges for b in e})}
        if not numbers:
            return {}
        ends = np.array([(numbers[a], numbers[b]) for a, b in edges])
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(len(numbers),) * 2)
        _, labels = connected_components(graph, connection="strong")
        sizes = np.bincount(labels)
        return {b: int(labels[n]) for b, n in numbers.items() if sizes[labels[n]] > 1}


def _state_of(position: Position) -> _State:
    """Return the board, the side to move, the point banned by ko and the number of passes."""
    block = position.block
    ko, passes = int(block[layout.KO]), int(block[layout.PASSES])
    return board_of(position), int(position.to_play), ko, passes

"""Verification of life-and-death proofs by the rules of the game alone.

The verifier plays with `tengen.board`: legal moves, captures and bans by ko come from there. It
takes only the moves of the prover from the search. A proof holds if every move of the other side in
the region is answered, no line repeats a state, and every line ends with the capture of the stones
at stake, with stones that have no room for two eyes, or with chains that live unconditionally. The
last two are found by a second implementation.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tengen.board import EMPTY, PASS, Position
from tengen.board.kernels import layout
from tengen.solver.kernels.life_memory import ATTACKER, DEFENDER, UNLIMITED
from tengen.solver.life import Claim, Found, LifeSearcher
from tengen.solver.life_region import LifeQuestion, Points, chains_of, neighbors
from tengen.solver.verification import ProofError

SEARCH_NODES = 2_000_000
"""Most nodes for the reconstruction of a part of a proof that the table has dropped."""

_State = tuple[bytes, int, int, int]


def living_chains(question: LifeQuestion, position: Position) -> Points:
    """Return the defender's stones in the region that live unconditionally (Benson 1976)."""
    region, defender = question.region, question.attacker.opponent
    chains = {c for c in chains_of(position, region) if position.color(min(c)) == defender}
    stones = frozenset[int]().union(*chains)
    spaces = []
    left = set(region - stones)
    while left:
        space, todo = set[int](), [min(left)]
        while todo:
            point = todo.pop()
            if point not in space:
                space.add(point)
                todo += [p for p in neighbors(position, point) if p not in stones]
        left -= space
        if space <= region:
            empty = {p for p in space if position.color(p) == EMPTY}
            borders = {
                chain for chain in chains if any(_touches(position, chain, p) for p in space)
            }
            vital = {chain for chain in borders if all(_touches(position, chain, p) for p in empty)}
            spaces.append((borders, vital))
    while True:
        spaces = [(borders, vital) for borders, vital in spaces if borders <= chains]
        alive = {chain for chain in chains if sum(chain in vital for _, vital in spaces) >= 2}
        if alive == chains:
            return frozenset[int]().union(*alive)
        chains = alive


def has_no_room(question: LifeQuestion, position: Position, target: Points, whole: bool) -> bool:
    """Return whether the defender has room for one eye at most (docs/problems.md)."""
    region, attacker = question.region, question.attacker
    outside = {q for p in region for q in neighbors(position, p)} - region
    if any(position.color(q) == attacker.opponent for q in outside):
        return False
    open_eyes = {q for q in outside if position.color(q) == EMPTY}
    if any(q in region for p in open_eyes for q in neighbors(position, p)):
        return False
    left = {p for p in target if position.color(p) == attacker.opponent}
    safe: set[int] = set()
    for chain in chains_of(position, outside):
        if position.color(min(chain)) == attacker:
            safe |= chain
    permanent = left
    if whole:
        permanent = set(position.chain(min(left)))
        if set(target) - permanent - safe:
            return False
    near = {q for p in safe for q in neighbors(position, p)}
    room = set(region) - safe - near - permanent
    if len(room) == 2:
        first, second = room
        return second in neighbors(position, first)
    return len(room) < 2


def _touches(position: Position, chain: Points, point: int) -> bool:
    return any(near in chain for near in neighbors(position, point))


def without_ko(position: Position) -> Position:
    """Return a position in which ko forbids no move."""
    free = position.copy()
    free.to_play = position.to_play.opponent
    free.to_play = position.to_play
    return free


@dataclass
class LifeGame:
    """The game that a claim is about: moves in a region, ko threats, and when it is over."""

    searcher: LifeSearcher
    claim: Claim

    @property
    def question(self) -> LifeQuestion:
        """The question of the claim."""
        return self.searcher.question

    def prover_moves(self, position: Position) -> bool:
        """Return whether the prover is to move."""
        return self.searcher.role(position.to_play) == self.claim.prover

    def winner(self, position: Position) -> int | None:
        """Return ATTACKER if the stones are captured, DEFENDER if they live, else None."""
        question = self.question
        defender = question.attacker.opponent
        target = self.searcher.at_stake(self.claim)
        stones = {p for p in target if position.color(p) == defender}
        if not stones if self.claim.whole else stones != target:
            return ATTACKER
        if has_no_room(question, position, target, self.claim.whole):
            return ATTACKER
        if position.to_play == defender:
            return None
        alive = living_chains(question, position)
        return DEFENDER if (alive & stones if self.claim.whole else stones <= alive) else None

    def children(self, position: Position, threats: int) -> Iterator[tuple[int, Position, int]]:
        """Yield the moves of the side to move, the positions after them and the threats left."""
        banned = int(position.block[layout.KO])
        has_threat = threats > 0
        if not self.prover_moves(position):
            has_threat = self.claim.opponent_threats == UNLIMITED
        free = without_ko(position) if banned and has_threat else position
        for move in sorted(self.question.region):
            if position.color(move) == EMPTY and free.is_legal(move):
                costs = move == banned and self.prover_moves(position) and threats != UNLIMITED
                yield move, _after(free, move), threats - costs
        attacks = self.searcher.role(position.to_play) == ATTACKER
        if not attacks or banned or self.claim.needs_eyes:
            yield PASS, _after(position, PASS), threats

    def proved_moves(self, position: Position, threats: int, nodes: int) -> list[int]:
        """Return moves of the prover that the search has proved; raise ProofError without any."""
        claim = Claim(
            self.claim.prover,
            self.claim.whole,
            threats,
            self.claim.opponent_threats,
            self.claim.needs_eyes,
        )
        if self.searcher.search(position, claim, nodes=nodes) is not Found.PROVED:
            raise ProofError(f"no proof was found for\n{position}")
        numbers = self.searcher.root_numbers()
        wanted = [move for move, (pn, _) in numbers.items() if pn == 0]
        return wanted or [
            move
            for move, after, _ in self.children(position, threats)
            if self.winner(after) == self.claim.prover
        ]


def _after(position: Position, move: int) -> Position:
    after = position.copy()
    after.play(move)
    return after


def state_of(position: Position, threats: int) -> _State:
    """Return what distinguishes a state of the game."""
    board = position.block[layout.COLOR : layout.COLOR + layout.POINTS].astype("u1").tobytes()
    return board, int(position.to_play), int(position.block[layout.KO]), threats


@dataclass
class LifeVerifier:
    """Verifies proofs of one claim; positions that were verified are not verified again."""

    game: LifeGame
    verified: set[_State] = field(default_factory=set)
    _path: set[_State] = field(default_factory=set)

    def verify(self, position: Position) -> int:
        """Verify a proof; return the number of states so far, or raise ProofError."""
        if not self._holds(position, self.game.claim.threats):
            raise ProofError(f"the proof does not hold for\n{position}")
        return len(self.verified)

    def _holds(self, position: Position, threats: int) -> bool:
        state, game = state_of(position, threats), self.game
        if state in self.verified:
            return True
        if state in self._path:
            return False
        winner = game.winner(position)
        if winner is not None:
            return winner == game.claim.prover
        children = list(game.children(position, threats))
        self._path.add(state)
        if game.prover_moves(position):
            moves = game.proved_moves(position, threats, SEARCH_NODES) if children else []
            holds = any(self._holds(after, left) for move, after, left in children if move in moves)
        elif children:
            holds = all(self._holds(after, left) for _, after, left in children)
        else:  # only the attacker can be without a move
            holds = game.claim.prover == DEFENDER
        self._path.remove(state)
        if holds:
            self.verified.add(state)
        return holds


def verify_life(searcher: LifeSearcher, position: Position, claim: Claim) -> int:
    """Verify a proof; return the number of states, or raise ProofError."""
    return LifeVerifier(LifeGame(searcher, claim)).verify(position)

"""Life-and-death problems: the stones at stake, and a proved or estimated answer."""

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tengen.board import PASS, Color, Position
from tengen.engine.nets import NONE
from tengen.engine.problem_net import ProblemNet
from tengen.records import Node
from tengen.solver import (
    ATTACKER,
    DEFENDER,
    UNLIMITED,
    Claim,
    Found,
    Group,
    LifeGame,
    LifeQuestion,
    LifeSearcher,
    add_move,
    group_with,
    groups_at_stake,
    is_enclosed,
    question_about,
    solution_tree,
)
from tengen.util import TengenError, plural

DEFAULT_SECONDS = 10.0
ROUNDS = (0.03, 0.1, 0.25)
"""Share of the budget for each claim that is still open, round by round."""
PROOF_SHARE = 0.6
"""Share of the budget after which the search with the network starts."""
VISITS_PER_S = 40
"""Visits of that search per second of its share."""
LARGEST_THREATS = 3
"""Ko threats beyond this number are not counted."""
GROUPS_TRIED = 4


class LifeStatus(StrEnum):
    """What happens to the stones at stake if the side to move plays first."""

    ALIVE = "alive"
    DEAD = "dead"
    KO = "ko"
    SEKI = "seki"


@dataclass(frozen=True)
class KoThreats:
    """On which ko threats the result depends."""

    threats: int | None
    """Threats that the side to move needs; None if it must win all fights for ko."""

    def sentence(self, mover: Color) -> str:
        """Return on which threats of the side to move the ko depends."""
        name = mover.name.capitalize()
        if self.threats is None:
            return f"{name} must win all fights for ko"
        if self.threats == 0:
            return f"ko: {mover.opponent.name.capitalize()} must find the first threat"
        return f"ko: {name} must find the first threat, and needs {plural(self.threats, 'threat')}"


@dataclass
class ProblemAnswer:
    r"""The answer to a life-and-death problem.

    Examples
    --------
    >>> from tengen.api import WHITE, Position, solve_problem
    >>> rows = "...XO..", "XXXXO..", "OOOOO..", *4 * [7 * "."]
    >>> position = Position.from_diagram("\n".join(rows), WHITE)
    >>> answer = solve_problem(position, net="none")
    >>> answer.succeeds, answer.is_proved, position.vertex(answer.moves[0])
    (True, True, 'B7')
    """

    question: LifeQuestion
    attacks: bool
    """Whether the side to move attacks."""
    status: LifeStatus
    succeeds: bool
    """Whether the side to move reaches its aim, if need be by ko."""
    is_proved: bool
    probability: float
    """Probability of `status`; 1 if it is proved."""
    moves: list[int]
    """First moves that work, the recommended one first; if none works, the best try."""
    failing: list[int] = field(default_factory=list)
    """First moves that are proved to fail."""
    claim: Claim | None = None
    """What is proved about the side to move, or, if that fails, about its opponent."""
    ko: KoThreats | None = None
    notes: list[str] = field(default_factory=list)
    is_complete: bool = False
    """Whether every first move was decided."""
    nodes: int = 0
    cpu_s: float = 0.0
    searcher: LifeSearcher | None = None
    is_settled: bool = False
    """Whether the side to move reaches its aim even if it passes."""
    is_interrupted: bool = False
    """Whether the search was stopped by Ctrl-C."""

    def write_tree(self, root: Node, limit: int) -> bool:
        """Add the refutation tree to a game tree; return whether it is complete.

        Without a proof, the tree has the recommended move only.
        """
        root.set_text("C", self.sentence())
        if self.claim is None or self.searcher is None or not self.succeeds:
            add_move(root, self.position, self.best)
            return False
        game = LifeGame(self.searcher, self.claim)
        tree, is_complete = solution_tree(game, self.position, self.moves, self.failing, limit)
        root.children += tree.children
        return is_complete

    @property
    def best(self) -> int:
        """The recommended move."""
        return self.moves[0] if self.moves else PASS

    @property
    def position(self) -> Position:
        """The position with its frame."""
        return self.question.position

    def sentence(self) -> str:
        """Return the answer in words."""
        mover = self.position.to_play.name.capitalize()
        verb = {
            LifeStatus.ALIVE: "live",
            LifeStatus.DEAD: "are captured",
            LifeStatus.KO: "depend on ko",
            LifeStatus.SEKI: "live in seki",
        }[self.status]
        count = len(self.question.target)
        stones = "the stone" if count == 1 else f"the {count} stones"
        if count == 1:
            verb = {
                "live": "lives",
                "are captured": "is captured",
                "depend on ko": "depends on ko",
                "live in seki": "lives in seki",
            }[verb]
        owner = self.question.attacker.opponent.name.capitalize()
        how = "proved" if self.is_proved else f"estimated, {self.probability:.0%}"
        return f"{mover} to play: {stones} of {owner} {verb} ({how})"


class ProblemSolver:
    """Solves problems within a budget of CPU time."""

    def __init__(
        self, seconds: float = DEFAULT_SECONDS, net: str = "default", table_bits: int = 20
    ):
        if not seconds > 0:
            raise TengenError(f"seconds must be positive, got {seconds}")
        self.seconds = seconds
        self.table_bits = table_bits
        self._net_name = net
        self._net: ProblemNet | None = None
        self.poll: Callable[[], None] = lambda: None
        """Called regularly; may raise an exception to stop the search."""

    @property
    def net(self) -> ProblemNet | None:
        """The network, opened when it is used."""
        if self._net is None and self._net_name != NONE:
            self._net = ProblemNet(self._net_name)
        return self._net

    def solve(self, position: Position, marked: frozenset[int] = frozenset()) -> ProblemAnswer:
        """Answer the question of a position; `marked` are stones at stake, if they are known.

        Raise TengenError if the position has no question.
        """
        started_s = time.thread_time()
        notes: list[str] = []
        if marked:
            groups = [group_with(position, marked)]
        else:
            groups, notes = groups_at_stake(position)
        answers: list[ProblemAnswer] = []
        for number, group in enumerate(groups[:GROUPS_TRIED]):
            left_s = self.seconds - (time.thread_time() - started_s)
            if number and left_s < self.seconds / 4:
                break
            solver = _GroupSolver(self, position, group, left_s)
            answer = solver.answer()
            answers.append(answer)
            is_decided = answer.is_settled or (answer.is_proved and not answer.succeeds)
            if not is_decided or answer.is_interrupted:
                break
        contested = [a for a in answers if a.succeeds and not a.is_settled]
        best = (contested or answers)[0]
        best.notes = notes + best.notes
        best.nodes = sum(a.nodes for a in answers)
        best.cpu_s = time.thread_time() - started_s
        return best


def _questions(position: Position, group: Group) -> list[LifeQuestion]:
    """Return the question about a group in a wide and in a narrow region."""
    found: list[LifeQuestion] = []
    for is_wide in (True, False):
        with contextlib.suppress(TengenError):  # a frame that leaves a chain without liberties
            question = question_about(position, group, is_wide)
            if all(question.region != other.region for other in found):
                found.append(question)
    if not found:
        raise TengenError("the region around the stones is too large: mark the stones at stake")
    return found


class _GroupSolver:
    """The search for the answer about one group."""

    def __init__(self, solver: ProblemSolver, position: Position, group: Group, seconds: float):
        self.solver = solver
        self.position = position
        self.started_s = time.thread_time()
        self.seconds = seconds
        questions = _questions(position, group)
        self.searchers = [LifeSearcher(q, solver.table_bits) for q in questions]
        self.role = self.searchers[0].role(position.to_play)
        self.policy: dict[int, float] = {}
        self.proof: tuple[LifeSearcher, Claim] | None = None
        """The best claim that is proved so far."""
        self.is_interrupted = False

    def answer(self) -> ProblemAnswer:
        """Return the best answer within the budget."""
        try:
            return self._answer_of(self._proof())
        except KeyboardInterrupt:
            self.seconds = 0.0
            self.is_interrupted = True
            self.solver.poll = lambda: None
            for searcher in self.searchers:
                searcher.poll = self.solver.poll
            answer = self._answer_of(self.proof)
            answer.is_interrupted = True
            return answer

    def _answer_of(self, proof: tuple[LifeSearcher, Claim] | None) -> ProblemAnswer:
        if proof is None:
            return self._estimated()
        searcher, claim = proof
        if claim.prover == self.role:
            return self._proved(searcher, claim)
        return self._failed(searcher, claim)

    # Proofs

    def _claims(self) -> tuple[list[Claim], list[Claim]]:
        """Return what the side to move wants to prove, and weaker claims."""
        wanted = self.role == ATTACKER
        strict, weak = (
            [Claim(self.role, whole), Claim(self.role, whole, UNLIMITED, 0)]
            for whole in (wanted, not wanted)
        )
        return strict, weak

    def _proof(self) -> tuple[LifeSearcher, Claim] | None:
        """Return a claim that is proved, of the side to move or, if all fail, of its opponent."""
        limit_s = self.started_s + PROOF_SHARE * self.seconds
        for claims in self._claims():
            refuted: set[tuple[int, Claim]] = set()
            for share in ROUNDS:
                for claim in claims:
                    for number, searcher in enumerate(self.searchers):
                        if (number, claim) in refuted or (0, claim) in refuted:
                            continue
                        if time.thread_time() > limit_s:
                            return self.proof
                        found = self._search(searcher, searcher.question.position, claim, share)
                        if found is Found.REFUTED:
                            refuted.add((number, claim))
                        if found is Found.PROVED:
                            self.proof = searcher, claim
                            if not claim.is_ko or (number, claims[0]) in refuted:
                                return self.proof
                            break
            if self.proof is not None or not all((0, claim) in refuted for claim in claims):
                return self.proof
        return self._opponent_proof()

    def _opponent_proof(self) -> tuple[LifeSearcher, Claim] | None:
        """Return a proof that the side to move fails even if it ignores every ko."""
        searcher = self.searchers[0]
        claim = Claim(1 - self.role, self.role == DEFENDER)
        found = self._search(searcher, searcher.question.position, claim, ROUNDS[-1])
        return (searcher, claim) if found is Found.PROVED else None

    def _search(
        self, searcher: LifeSearcher, position: Position, claim: Claim, share: float
    ) -> Found:
        now_s = time.thread_time()
        end_s = self.started_s + self.seconds
        until_s = min(now_s + share * self.seconds, end_s)
        searcher.poll = self.solver.poll
        return searcher.search(position, claim, until_s=until_s)

    def _proved(self, searcher: LifeSearcher, claim: Claim) -> ProblemAnswer:
        """Return the answer of a claim of the side to move that is proved."""
        position = searcher.question.position
        ko, is_certain = None, True
        if claim.is_ko:
            better = replace(claim, threats=0, opponent_threats=UNLIMITED)
            is_certain = self._search(searcher, position, better, 0.1) is Found.REFUTED
            claim, ko = self._ko(searcher, claim)
        if self._is_settled(searcher, claim):
            status = LifeStatus.DEAD if self.role == ATTACKER else LifeStatus.ALIVE
            answer = self._answer(searcher, status if ko is None else LifeStatus.KO, True, [PASS])
            answer.is_proved, answer.claim, answer.ko, answer.is_settled = True, claim, ko, True
            return answer
        works, fails, is_complete = self._first_moves(searcher, claim)
        status = LifeStatus.DEAD if self.role == ATTACKER else LifeStatus.ALIVE
        if ko is not None:
            status = LifeStatus.KO
        elif self.role == DEFENDER and works and works[0] != PASS:
            eyes = replace(claim, needs_eyes=True)
            after = position.copy()
            after.play(works[0])
            if self._search(searcher, after, eyes, 0.15) is Found.REFUTED:
                status = LifeStatus.SEKI
        answer = self._answer(searcher, status, True, works)
        answer.is_proved, answer.claim, answer.ko = is_certain, claim, ko
        answer.failing, answer.is_complete = fails, is_complete
        if not is_certain:
            answer.probability = 0.5
            answer.notes.append("ko is proved; whether there is a better result was not decided")
        return answer

    def _is_settled(self, searcher: LifeSearcher, claim: Claim) -> bool:
        """Return whether the claim is proved even if the side to move passes."""
        after = self._after(searcher.question.position, claim, PASS)
        return self._search(searcher, *after, 0.1) is Found.PROVED

    def _ko(self, searcher: LifeSearcher, claim: Claim) -> tuple[Claim, KoThreats]:
        """Return the claim with the fewest ko threats that is proved."""
        for threats in range(LARGEST_THREATS + 1):
            fewer = replace(claim, threats=threats)
            found = self._search(searcher, searcher.question.position, fewer, 0.05)
            if found is Found.PROVED:
                return fewer, KoThreats(threats)
        return claim, KoThreats(None)

    def _first_moves(
        self, searcher: LifeSearcher, claim: Claim
    ) -> tuple[list[int], list[int], bool]:
        """Return the first moves that work, those that fail, and whether all are decided."""
        position = searcher.question.position
        searcher.search(position, claim, nodes=100_000)
        numbers = searcher.root_numbers()
        policy = self._policy(searcher.question)
        works = [move for move, (pn, _) in numbers.items() if pn == 0]
        if not works:  # decided without a search: an immediate capture
            works = [m for m in self._legal(searcher) if self._is_proved_after(searcher, claim, m)]
        fails: list[int] = []
        open_moves: list[int] = []
        order = sorted(self._legal(searcher), key=lambda m: -policy.get(m, 0.0))
        for move in order:
            if move in works:
                continue
            found = self._search(searcher, *self._after(position, claim, move), 0.03)
            {Found.PROVED: works, Found.REFUTED: fails, Found.OPEN: open_moves}[found].append(move)
        if PASS in works and len(works) > 1:
            works.remove(PASS)
            works.append(PASS)
        return self._ranked(works, policy), fails, not open_moves

    def _ranked(self, works: list[int], policy: dict[int, float]) -> list[int]:
        return sorted(works, key=lambda move: (move == PASS, -policy.get(move, 0.0), move))

    def _is_proved_after(self, searcher: LifeSearcher, claim: Claim, move: int) -> bool:
        after = self._after(searcher.question.position, claim, move)
        return self._search(searcher, *after, 0.01) is Found.PROVED

    def _after(self, position: Position, claim: Claim, move: int) -> tuple[Position, Claim]:
        after = position.copy()
        after.play(move)
        return after, claim

    def _legal(self, searcher: LifeSearcher) -> list[int]:
        position = searcher.question.position
        return [p for p in sorted(searcher.question.region) if position.is_legal(p)]

    def _failed(self, searcher: LifeSearcher, claim: Claim) -> ProblemAnswer:
        """Return the answer if the opponent is proved to succeed."""
        status = LifeStatus.ALIVE if self.role == ATTACKER else LifeStatus.DEAD
        tries = self._net_moves(searcher, 1) or [PASS]
        answer = self._answer(searcher, status, False, tries)
        answer.is_proved, answer.claim, answer.is_complete = True, claim, True
        answer.failing = self._legal(searcher)
        return answer

    # Estimates

    def _policy(self, question: LifeQuestion) -> dict[int, float]:
        if not self.policy and self.solver.net is not None:
            self.policy = self.solver.net.policy(self.position, question)
        return self.policy

    def _net_moves(self, searcher: LifeSearcher, visits: int) -> list[int]:
        policy = self._policy(searcher.question)
        return sorted(self._legal(searcher), key=lambda move: -policy.get(move, 0.0))[:visits]

    def _estimated(self) -> ProblemAnswer:
        """Return the estimate of the search with the network, without moves that are refuted."""
        searcher = self.searchers[0]
        question, net = searcher.question, self.solver.net
        left_s = self.started_s + self.seconds - time.thread_time()
        if net is not None and not self.is_interrupted:
            visits = max(int(VISITS_PER_S * max(left_s, 0.05 * self.seconds)), 10)
            belief = net.search(self.position, question, visits)
            moves, saved = list(belief.moves), belief.saved
        else:
            moves, saved = self._by_numbers(searcher), 0.5
        moves = moves or self._legal(searcher) or [PASS]
        chance = saved if self.role == DEFENDER else 1 - saved
        succeeds = chance >= 0.5
        is_alive = (self.role == DEFENDER) == succeeds
        answer = self._answer(
            searcher, LifeStatus.ALIVE if is_alive else LifeStatus.DEAD, succeeds, moves
        )
        answer.probability = chance if succeeds else 1 - chance
        answer.moves = moves[:1]
        return answer

    def _by_numbers(self, searcher: LifeSearcher) -> list[int]:
        """Return the moves by their proof numbers after a short search."""
        claim = self._claims()[0][0]
        searcher.search(searcher.question.position, claim, nodes=10_000)
        numbers = searcher.root_numbers()
        return sorted(numbers, key=lambda move: (numbers[move][0], -numbers[move][1]))

    def _answer(
        self, searcher: LifeSearcher, status: LifeStatus, succeeds: bool, moves: list[int]
    ) -> ProblemAnswer:
        notes = []
        question = searcher.question
        if not is_enclosed(self.position, question.region):
            attacker = question.attacker.name.capitalize()
            notes.append(
                f"the region is not enclosed: {attacker} is assumed to hold the points around"
            )
        return ProblemAnswer(
            question=searcher.question,
            attacks=self.role == ATTACKER,
            status=status,
            succeeds=succeeds,
            is_proved=False,
            probability=1.0,
            moves=moves,
            notes=notes,
            nodes=sum(one.nodes for one in self.searchers),
            searcher=searcher,
        )

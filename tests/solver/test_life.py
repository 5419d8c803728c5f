"""Life-and-death proofs: known shapes, static results, and verification by the rules."""

import numpy as np
import pytest

from tengen.board import BLACK, EMPTY, PASS, WHITE, Position, Rules
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
    find_groups,
    group_with,
    groups_at_stake,
    question_about,
    solution_tree,
    verify_life,
)
from tengen.solver.kernels.life_board import is_hopeless, living
from tengen.solver.life_verification import has_no_room, living_chains
from tengen.solver.verification import ProofError
from tengen.util import TengenError

pytestmark = pytest.mark.kernels

KILL, LIVE = Claim(ATTACKER, True), Claim(DEFENDER, False)
LOWER = [7 * "."] * 4
SHAPES = {
    "three in a row": ["...XO..", "XXXXO..", "OOOOO.."],
    "four in a row": ["....XO.", "XXXXXO.", "OOOOOO."],
    "square": ["..XO...", "..XO...", "XXXO..."],
    "two eyes": [".X.XO..", "XXXXO..", "OOOOO.."],
    "bulky five": ["..XO...", "...XO..", "XXXXO.."],
}


def position_of(shape: str, to_play=BLACK) -> Position:
    rows = [*SHAPES[shape], *(["OOOOO.."] if shape in ("square", "bulky five") else [])]
    rows += ["......."] * (7 - len(rows))
    return Position.from_diagram("\n".join(rows), to_play)


def searcher_of(position: Position, is_wide: bool = False) -> LifeSearcher:
    (group,) = [g for g in find_groups(position) if g.color is BLACK]
    return LifeSearcher(question_about(position, group, is_wide), table_bits=16)


def outcome(shape: str, to_play, claim: Claim) -> Found:
    searcher = searcher_of(position_of(shape, to_play))
    found = searcher.search(searcher.question.position, claim, nodes=200_000)
    if found is Found.PROVED:
        assert verify_life(searcher, searcher.question.position, claim) >= 0
    return found


@pytest.mark.parametrize(
    ("shape", "white_first", "black_first"),
    [
        ("three in a row", KILL, LIVE),
        ("four in a row", LIVE, LIVE),
        ("square", KILL, KILL),
        ("two eyes", LIVE, LIVE),
        ("bulky five", KILL, LIVE),
    ],
)
def test_known_shapes(shape, white_first, black_first):
    for to_play, claim in ((WHITE, white_first), (BLACK, black_first)):
        other = LIVE if claim is KILL else KILL
        assert outcome(shape, to_play, claim) is Found.PROVED
        assert outcome(shape, to_play, other) is Found.REFUTED


def test_the_vital_point_is_the_only_first_move():
    searcher = searcher_of(position_of("three in a row", WHITE))
    searcher.search(searcher.question.position, KILL)
    numbers = searcher.root_numbers()
    position = searcher.question.position
    assert [position.vertex(m) for m, (pn, _) in numbers.items() if pn == 0] == ["B7"]


def test_the_tree_answers_every_move():
    searcher = searcher_of(position_of("three in a row", WHITE))
    position = searcher.question.position
    assert searcher.search(position, KILL) is Found.PROVED
    vital = position.parse_move("B7")
    root, is_complete = solution_tree(LifeGame(searcher, KILL), position, [vital], [], 1000)
    (right,) = root.children
    assert is_complete
    assert right.properties["W"] == ["ba"]
    assert all(_ends(node) for node in right.walk())
    tiny, is_complete = solution_tree(LifeGame(searcher, KILL), position, [vital], [], 1)
    assert isinstance(tiny, Node)


def _ends(node: Node) -> bool:
    return bool(node.children) or node.comment in ("right", "captured", "alive", "transposition")


def test_a_wrong_proof_is_rejected(monkeypatch):
    searcher = searcher_of(position_of("four in a row", WHITE))
    monkeypatch.setattr(searcher, "search", lambda *_args, **_named: Found.PROVED)
    monkeypatch.setattr(searcher, "root_numbers", lambda: {PASS: (0, 1)})
    with pytest.raises(ProofError):
        verify_life(searcher, searcher.question.position, KILL)


def test_seki_needs_no_eyes_and_is_no_life():
    rows = [".OOO.XO", "XXXXXXO", "OOOOOOO", *LOWER]
    position = Position.from_diagram("\n".join(rows), WHITE)
    group = next(g for g in find_groups(position) if g.color is BLACK)
    searcher = LifeSearcher(question_about(position, group, False), table_bits=16)
    framed = searcher.question.position
    assert searcher.search(framed, LIVE, nodes=100_000) is Found.PROVED
    verify_life(searcher, framed, LIVE)
    eyes = Claim(DEFENDER, False, needs_eyes=True)
    assert searcher.search(framed, eyes, nodes=100_000) is Found.REFUTED


# Random regions: proofs of both sides exclude each other, and all of them hold


def random_question(seed: int) -> LifeQuestion | None:
    """Return a question about a corner of random stones, inside of a wall."""
    random = np.random.default_rng(seed)
    position = Position(7, rules=Rules(ko=Rules().ko))
    size = 4
    stones = []
    for row in range(7):
        for column in range(7):
            point = position.points()[row * 7 + column]
            if max(row, column) == size:
                stones.append((point, WHITE))
            elif max(row, column) < size and random.random() < (0.7 if seed % 2 else 0.6):
                stones.append(
                    (point, BLACK if random.random() < (0.95 if seed % 2 else 0.6) else WHITE)
                )
    try:
        position.setup(stones, WHITE if random.random() < 0.5 else BLACK)
    except TengenError:
        return None
    groups = [group for group in find_groups(position) if group.color is BLACK]
    if not groups:
        return None
    return question_about(position, groups[0], False)


QUESTIONS = [question for seed in range(60) if (question := random_question(seed)) is not None]


def test_proofs_of_random_regions_hold_and_exclude_each_other():
    proofs = {True: 0, False: 0}
    for question in QUESTIONS[:30]:
        searcher = LifeSearcher(question, table_bits=16)
        for whole in (True, False):
            kill, live = Claim(ATTACKER, whole), Claim(DEFENDER, whole)
            found = [searcher.search(question.position, c, nodes=20_000) for c in (kill, live)]
            assert found != [Found.PROVED, Found.PROVED]
            for claim, one in zip((kill, live), found, strict=True):
                if one is Found.PROVED and searcher.nodes < 50_000:
                    verify_life(searcher, question.position, claim)
                    proofs[claim.prover == ATTACKER] += 1
            ko = Claim(ATTACKER, whole, UNLIMITED, 0)
            if found[0] is Found.PROVED:
                assert searcher.search(question.position, ko, nodes=200_000) is Found.PROVED
    assert min(proofs.values()) >= 3


def test_static_results_agree_with_a_second_implementation():
    hopeless = alive = 0
    for question in QUESTIONS:
        searcher = LifeSearcher(question, table_bits=8)
        searcher.search(question.position, KILL, nodes=1)
        position, region = question.position, searcher.state.region[0]
        stones = searcher.state.frames[0]["stones"]
        expected = has_no_room(question, position, question.target, True)
        registers = searcher.state.question[0]
        assert is_hopeless(region, registers, stones[0], stones[1]) == expected
        bits = int(living(region, stones[0], stones[1]))
        found = {p for n, p in enumerate(searcher.points) if bits >> n & 1}
        assert found == living_chains(question, position)
        hopeless += expected
        alive += bool(found)
    assert hopeless
    assert alive


# Regions


def test_groups_at_stake():
    groups, notes = groups_at_stake(position_of("three in a row"))
    assert groups[0].color is BLACK
    assert not notes


def test_marked_stones_are_the_question():
    position = position_of("square")
    group = group_with(position, frozenset([position.parse_move("C7")]))
    assert isinstance(group, Group)
    assert position.parse_move("A5") in group.stones
    assert group.color is BLACK
    with pytest.raises(TengenError, match="no stone is marked"):
        group_with(position, frozenset([position.parse_move("A7")]))
    both = frozenset(map(position.parse_move, ("C7", "D7")))
    with pytest.raises(TengenError, match="both colors"):
        group_with(position, both)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([9 * "."] * 9, "empty"), (["X" + 8 * ".", *[9 * "."] * 8], "White has no stones")],
)
def test_positions_without_a_problem(rows, message):
    with pytest.raises(TengenError, match=message):
        groups_at_stake(Position.from_diagram("\n".join(rows)))


def test_several_groups_are_reported():
    rows = ["..XO.....", "XXXO.....", "OOOO.....", *[9 * "."] * 3]
    rows += [row[::-1] for row in reversed(rows[:3])]
    rows[-2] = ".....OXXX"
    _, notes = groups_at_stake(Position.from_diagram("\n".join(rows)))
    assert "several groups" in notes[0]


def test_the_frame_leaves_the_region_as_it_is():
    position = position_of("three in a row", WHITE)
    question = searcher_of(position).question
    assert all(position.color(p) == question.position.color(p) for p in question.region)
    outside = set(position.points()) - question.region
    assert sum(question.position.color(p) == EMPTY for p in outside) == 2
    assert all(question.position.color(p) in (EMPTY, WHITE) for p in outside)

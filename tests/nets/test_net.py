"""The network interface with a simple model and features."""

import numpy as np
import pytest
from stones import Stones

from tengen.board import BLACK, PASS, WHITE, Position, Rules, parse_vertex, point_at, rules_named
from tengen.nets import Evaluation, Net, NetSettings
from tengen.nets.evaluation import EvaluationCache, Outputs
from tengen.nets.symmetry import inverse_transform, symmetry_count, transform
from tengen.util import TengenError


class Corner:
    """Prefers points near the top left, so it is not symmetric."""

    def __init__(self):
        self.batches = []

    def run(self, planes, numbers):
        n, _, rows, columns = planes.shape
        self.batches.append((n, rows, columns))
        row, column = np.mgrid[:rows, :columns]
        logits = -(row * 0.5 + column * 0.1)[None] + 0.3 * planes[:, 0]
        policy = np.concatenate([logits.reshape(n, -1), np.full((n, 1), -2.0)], axis=1)
        return Outputs(
            policy=policy.astype(np.float32),
            win=planes[:, 0, 0, 0] * 0.5 + 0.25,
            lead=numbers[:, 0],
            ownership=planes[:, 0] - planes[:, 1],
        )


def make_net(**settings):
    model = Corner()
    return Net("test", Stones(), model, NetSettings(**settings)), model


def position_with(moves, rows=7, columns=None, rules=None):
    position = Position(rows, columns, rules)
    for move in moves.split():
        position.play(parse_vertex(move, position.rows, position.columns))
    return position


def test_policy_covers_legal_moves_and_pass():
    net, _ = make_net()
    position = position_with("A7 B7 pass A6")  # the stone at A7 is captured
    assert not position.is_legal(point_at(0, 0))
    (evaluation,) = net.evaluate([position])
    assert evaluation.policy.sum() + evaluation.pass_probability == pytest.approx(1)
    for point in position.points():
        row, column = point // 20 - 1, point % 20 - 1
        assert (evaluation.policy[row, column] > 0) == position.is_legal(point)
    assert evaluation.policy.argmax() == 2  # C7: the best legal point


def test_outputs_are_for_the_side_to_move():
    net, _ = make_net()
    (evaluation,) = net.evaluate([position_with("A7 B7")])
    assert evaluation.win_to_play == 0.75
    assert evaluation.lead_to_play == 2
    assert evaluation.ownership_to_play[0, :3].tolist() == [1, -1, 0]


def test_batches_have_one_board_size_and_a_limit():
    net, model = make_net(batch=2)
    sizes = [(7, 7), (9, 8), (7, 7), (19, 19), (7, 7)]
    positions = [Position(*size) for size in sizes]
    for number, position in enumerate(positions):
        position.play(point_at(number, number))
    found = net.evaluate(positions)
    assert [evaluation.policy.shape for evaluation in found] == sizes
    assert sorted(model.batches) == [(1, 7, 7), (1, 9, 8), (1, 19, 19), (2, 7, 7)]
    alone = [net.evaluate([position])[0] for position in positions]
    assert all(a is b for a, b in zip(found, alone, strict=True))


def test_caches_evaluations():
    net, model = make_net()
    first, again = position_with("D4"), position_with("D4")
    one, two = net.evaluate([first, again])
    assert one is two
    assert model.batches == [(1, 7, 7)]
    assert net.evaluate([again])[0] is one
    assert (net.cache.hits, len(model.batches)) == (1, 1)


@pytest.mark.parametrize(
    "other",
    [
        position_with("D4 C3"),
        position_with("D4", rules=Rules(komi=0.5)),
        position_with("pass pass D4"),
        position_with("D4", rows=7, columns=8),
    ],
)
def test_cache_key_includes_all_inputs(other):
    net, model = make_net()
    net.evaluate([position_with("D4"), other])
    assert sum(n for n, _, _ in model.batches) == 2


@pytest.mark.parametrize(("rules", "seen"), [("japanese", 2), ("chinese", 1)])
def test_cache_key_includes_stones_paid(rules, seen):
    """The same board and last moves; in one game White has captured a stone."""
    net, model = make_net()
    played = Position(7, rules=rules_named(rules)).after("A1 B1 pass A2")
    given = Position(7, rules=rules_named(rules))
    given.setup([(parse_vertex(vertex, 7, 7), WHITE) for vertex in ("B1", "A2")], BLACK)
    net.evaluate([position.after("C3 E5 C5 E3 B4") for position in (played, given)])
    assert sum(n for n, _, _ in model.batches) == seen


def test_superko_moves_have_probability_zero():
    net, _ = make_net()
    setup = "B7 C7 A6 D6 B5 C5 G1 B6 C6"  # Black captures the ko at B6
    position = position_with(setup)
    (evaluation,) = net.evaluate([position])
    assert not position.is_legal(parse_vertex("B6", 7, 7))
    assert evaluation.policy[1, 1] == 0


def test_transform_and_inverse():
    planes = np.arange(2 * 5 * 7, dtype=np.float32).reshape(2, 5, 7)
    seen = set()
    for symmetry in range(symmetry_count(5, 5)):
        turned = transform(planes, symmetry)
        assert turned.shape == ((2, 7, 5) if symmetry & 4 else (2, 5, 7))
        assert np.array_equal(inverse_transform(turned, symmetry), planes)
        seen.add(turned.tobytes())
    assert len(seen) == 8


def test_inverse_transform_outputs():
    net, _ = make_net()
    position = position_with("A1 B7", rows=7, columns=7)
    for symmetry in range(8):
        outputs = net.outputs([position], symmetry)
        assert np.array_equal(outputs.ownership[0], net.outputs([position], 0).ownership[0])
        best = outputs.policy[0, :-1].reshape(7, 7).argmax()
        corner = inverse_transform(np.eye(49, dtype=np.float32)[0].reshape(7, 7), symmetry).argmax()
        assert best == corner


def test_average_over_symmetries_is_symmetric():
    net, model = make_net(symmetry="average")
    (evaluation,) = net.evaluate([Position(9)])
    assert len(model.batches) == 8
    for symmetry in range(8):
        assert transform(evaluation.policy, symmetry) == pytest.approx(evaluation.policy)
    net, model = make_net(symmetry="average")
    net.evaluate([Position(9, 7)])
    assert len(model.batches) == 4


def test_random_symmetry():
    """The symmetry depends on the board and is always the same for it."""
    boards = [position_with(f"{column}{row}") for column in "CDE" for row in range(2, 7)]
    first, second = (
        [int(evaluation.policy.argmax()) for evaluation in net.evaluate(boards)]
        for net, _ in (make_net(symmetry="random", cache_mib=0) for _ in range(2))
    )
    assert set(first) == {0, 6, 42, 48}
    assert first == second


def test_random_symmetry_of_a_rectangular_board():
    net, _ = make_net(symmetry="random")
    boards = [position_with(f"{column}4", rows=7, columns=9) for column in "BCDEFGH"]
    corners = {int(evaluation.policy.argmax()) for evaluation in net.evaluate(boards)}
    assert len(corners) > 1
    assert corners <= {0, 8, 54, 62}


def test_cache_size_is_bounded():
    cache = EvaluationCache(limit_bytes=10_000)
    planes = np.zeros((9, 9), dtype=np.float32)
    for key in range(100):
        cache.put(key, Evaluation(planes, 1.0, 0.5, 0.0, planes))
        assert cache.get(0) is not None  # recently used
    assert 2 < len(cache) < 10
    assert cache.used_bytes <= cache.limit_bytes
    assert cache.get(50) is None
    cache.clear()
    assert (len(cache), cache.used_bytes) == (0, 0)


def test_rejects_small_boards():
    net, _ = make_net()
    with pytest.raises(TengenError, match="from 7x7 to 19x19, not 6x9"):
        net.evaluate([Position(9, 6)])
    position = Position(7)
    position.play(PASS)
    assert len(net.evaluate([position])) == 1


def test_evaluates_an_empty_list():
    net, _ = make_net()
    assert net.evaluate([]) == []

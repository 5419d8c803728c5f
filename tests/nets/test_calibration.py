"""Agreement and calibration of networks whose errors are known."""

import json

import numpy as np
import pytest
from biased_nets import Biased, opinion

from tengen.board import BLACK, WHITE, Position
from tengen.nets import (
    Case,
    Curve,
    Evaluation,
    LabelExamples,
    RecordExamples,
    agreement_figures,
    compare,
    comparison,
    curve_figures,
    measure,
    position_figures,
    to_case,
    trace,
)
from tengen.nets.examples import Size, swapped
from tengen.util import TengenError

NINE = Size(9, 9)


def by_name(figures, part):
    return {(f.name, f.subset): f.estimate for f in figures if f.part == part}


@pytest.fixture
def source(games):
    """Forty random games of 30 moves on 9x9, won by Black."""
    return RecordExamples([str(games)], seed=1)


# Examples


def test_positions_are_drawn_from_all_games(source):
    found = list(source.drawn(NINE, 60, each=2))
    assert source.sizes() == [NINE]
    assert len(found) == 60
    assert len({example.game for example in found}) == 30
    assert all(example.progress == example.turn / 30 for example in found)
    assert all(example.won == (example.position.to_play is BLACK) for example in found)
    assert all(len(example.position.moves) == example.turn for example in found)


def test_kept_games_are_a_random_sample(games):
    firsts = set()
    for seed in range(40):
        (game,) = RecordExamples([str(games)], seed, games=1).whole_games(NINE, 5)
        firsts.add(game[-1].position.hash)
    assert len(firsts) > 15, "not always the same games"


def test_only_held_out_games_are_used(games):
    parts = RecordExamples([str(games)], seed=1, one_in=2)
    assert 0 < len(list(parts.whole_games(NINE, 100))) < 40
    with pytest.raises(TengenError, match="held out with --held-out 99999"):
        RecordExamples([str(games)], seed=1, one_in=99999)


def test_whole_games_are_in_order(source):
    games = list(source.whole_games(NINE, 3))
    assert [len(game) for game in games] == [30, 30, 30]
    assert [example.turn for example in games[0]] == list(range(30))
    assert {example.game for example in games[1]} == {1}


def test_swapped_position_has_the_same_stones():
    position = Position(9).after("E5 C3 D4")
    other = swapped(position)
    assert (position.to_play, other.to_play) == (WHITE, BLACK)
    assert np.array_equal(position.board(), other.board())
    assert other.moves == []
    assert position.to_play is WHITE, "the position itself is unchanged"


def write_labels(folder, win=0.25):
    """Write two labeled games of four moves; the first choice is A9 with two thirds."""
    folder.mkdir()
    moves = ["E5 C3 D4 F6", "C3 E5 F6 D4"]
    games = [{"size": 9, "komi": 7.0, "moves": text} for text in moves]
    (folder / "games.json").write_text(json.dumps(games))
    rows = 8
    np.savez(
        folder / "labels-9.npz",
        game=np.repeat([0, 1], 4),
        turn=np.tile([3, 2, 1, 0], 2),
        policy_move=np.tile([0, 81], (rows, 1)),
        policy=np.tile([0.5, 0.25], (rows, 1)),
        black_win=np.full(rows, win),
        black_lead=np.full(rows, -3.0),
        ownership=np.full((rows, 81), -127, dtype=np.int8),
    )
    return folder


def test_labels_are_the_teacher(tmp_path):
    source = LabelExamples(write_labels(tmp_path / "labels"), seed=1)
    found = list(source.drawn(NINE, 100, each=3))
    assert len(found) == 6
    for example in found:
        black = example.position.to_play is BLACK
        label = example.label
        assert len(example.position.moves) == example.turn
        assert label.win_to_play == pytest.approx(0.25 if black else 0.75)
        assert label.lead_to_play == (-3 if black else 3)
        assert label.ownership_to_play[0, 0] == (-1 if black else 1)
        assert label.policy[0, 0] == pytest.approx(2 / 3)
        assert label.pass_probability == pytest.approx(1 / 3)
    games = list(source.whole_games(NINE, 10))
    assert [[example.turn for example in game] for game in games] == [[0, 1, 2, 3]] * 2
    assert len(list(LabelExamples(tmp_path / "labels", 1, one_in=2).whole_games(NINE, 10))) == 1


# Agreement


def evaluation(moves, passing, win, lead, owner):
    policy = np.zeros((9, 9), dtype=np.float32)
    policy.reshape(-1)[: len(moves)] = moves
    return Evaluation(policy, passing, win, lead, np.full((9, 9), owner, dtype=np.float32))


def test_agreement_by_hand():
    teacher = evaluation([0.75, 0.25], 0.0, win=0.5, lead=1.0, owner=0.5)
    net = evaluation([0.25, 0.5], 0.25, win=0.75, lead=-2.0, owner=-0.25)
    found = compare(3, net, teacher)
    crossed = -(0.75 * np.log(0.25) + 0.25 * np.log(0.5))
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert found == pytest.approx(
        (3, 0, 0.25, crossed, crossed - entropy, 0.25, -3, 0.75), abs=1e-6
    )
    assert compare(0, teacher, teacher)[1:] == pytest.approx((1, 0.75, entropy, 0, 0, 0, 0))


def test_agreement_figures():
    teacher = evaluation([1.0], 0.0, win=0.5, lead=0.0, owner=0.0)
    nets = [evaluation([1.0], 0.0, 0.5 + error, 10 * error, 0.0) for error in (0.1, -0.3)]
    found = by_name(
        agreement_figures("9x9", [compare(n, net, teacher) for n, net in enumerate(nets)]),
        "agreement",
    )
    values = {name: estimate.value for (name, _), estimate in found.items()}
    assert values["top1"] == 1
    assert values["win_error_mean"] == pytest.approx(-0.1)
    assert values["win_error_abs"] == pytest.approx(0.2)
    assert values["win_error_rms"] == pytest.approx(np.sqrt(0.05))
    assert values["lead_error_rms"] == pytest.approx(10 * np.sqrt(0.05))


# Value errors


def cases_of(source, net, teacher, count=120):
    found = measure(net, teacher, source.drawn(NINE, count, each=3), swaps=True)
    return [to_case(measured) for batch in found for measured in batch]


def test_bias_for_the_side_to_move_is_measured(source):
    net, teacher = Biased(bias=0.07, spread=0.1), Biased(spread=0.1)
    found = by_name(position_figures("9x9", cases_of(source, net, teacher)), "value_error")
    for name in ("played", "swapped", "both"):
        for subset in ("all", "first", "middle", "last"):
            estimate = found[name, subset]
            assert estimate[:3] == pytest.approx((0.07, 0.07, 0.07))
    thirds = [found["played", third].observations for third in ("first", "middle", "last")]
    assert sum(thirds) == found["played", "all"].observations == 120
    assert min(thirds) > 20


def test_bias_for_black_is_no_bias_for_the_side_to_move(source):
    found = by_name(
        position_figures("9x9", cases_of(source, Biased(for_black=0.07), Biased())), "value_error"
    )
    assert found["both", "all"][:3] == pytest.approx((0, 0, 0), abs=1e-9)


def test_error_against_the_result(source):
    figures = position_figures("9x9", cases_of(source, Biased(for_black=0.2), None))
    found = by_name(figures, "value_error")
    assert {name for name, _ in found} == {"result"}
    cases = cases_of(source, Biased(for_black=0.2), None)
    # Black won: 0.7 is 0.3 too low for Black, and 0.3 is 0.3 too high for White.
    expected = np.mean([-0.3 if case.won else 0.3 for case in cases])
    assert found["result", "all"].value == pytest.approx(expected)


def case(game=0, won=1.0, win=0.5, lead=0.0, teacher_win=np.nan, teacher_lead=np.nan):
    return Case(game, 0.5, won, win, lead, teacher_win, teacher_lead, np.nan, np.nan)


def test_sign_errors_of_clear_leads():
    cases = [case(0, lead=2.5, win=0.4), case(1, lead=-8, win=0.1), case(2, lead=1.9, win=0.1)]
    cases += [case(3, lead=-2.1, win=0.6, teacher_lead=5, teacher_win=0.9)]
    found = by_name(position_figures("9x9", cases), "sign_error")
    assert found["net", "all"].value == pytest.approx(2 / 3)
    assert found["net", "all"].observations == 3
    assert found["teacher", "all"].value == 0


# Reliability


def test_reliability_of_a_calibrated_net():
    random = np.random.default_rng(4)
    wins = random.uniform(size=20_000)
    cases = [
        case(game, won=float(random.uniform() < win), win=win) for game, win in enumerate(wins)
    ]
    found = by_name(position_figures("9x9", cases), "reliability")
    assert found["ece", "all"].value < 0.015
    assert found["brier", "all"].value == pytest.approx(1 / 6, abs=0.01)
    for number in range(10):
        subset = f"{number / 10:.1f}-{(number + 1) / 10:.1f}"
        assert found["predicted", subset].value == pytest.approx(number / 10 + 0.05, abs=0.01)
        assert found["won", subset].low - 0.02 <= found["predicted", subset].value
        assert found["won", subset].high + 0.02 >= found["predicted", subset].value


def test_reliability_of_an_overconfident_net():
    cases = [case(game, won=float(game % 10 < 7), win=0.95) for game in range(100)]
    cases += [case(game, won=float(game % 10 < 7), win=1.0) for game in range(100)]
    found = by_name(position_figures("9x9", cases), "reliability")
    assert found["ece", "all"].value == pytest.approx(0.275)
    assert found["won", "0.9-1.0"].value == pytest.approx(0.7)
    assert found["won", "0.9-1.0"].clusters == 100


# Whole games


def curves_of(source, net, teacher):
    return [trace(game, {"net": net, "teacher": teacher}) for game in source.whole_games(NINE, 5)]


def test_sawtooth_is_twice_the_bias(source):
    figures = curve_figures("9x9", curves_of(source, Biased(bias=0.07), Biased()))
    sawtooth = by_name(figures, "sawtooth")
    assert sawtooth["net", "all"][:3] == pytest.approx((0.14, 0.14, 0.14))
    assert sawtooth["teacher", "all"].value == 0
    assert sawtooth["net_excess", "all"].value == pytest.approx(0.14)
    assert by_name(figures, "step")["net", "all"].value == pytest.approx(0.14)
    assert by_name(figures, "autocorrelation")["net", "all"].value == pytest.approx(-1)


def test_steps_relative_to_the_teacher(source):
    net, teacher = Biased(spread=0.15), Biased(spread=0.1)
    figures = curve_figures("9x9", curves_of(source, net, teacher))
    step = by_name(figures, "step")
    assert step["net_ratio", "all"][:3] == pytest.approx((1.5, 1.5, 1.5))
    assert step["net", "all"].value == pytest.approx(1.5 * step["teacher", "all"].value)
    assert by_name(figures, "sawtooth")["net_excess", "all"].value == pytest.approx(0, abs=0.01)


def curve(turns, black_win):
    turns = np.array(turns)
    return Curve(0, turns, turns % 2 == 0, {"net": np.array(black_win)})


def test_gaps_are_no_steps():
    figures = curve_figures("9x9", [curve([0, 1, 5, 6], [0.5, 0.6, 0.1, 0.3])])
    step = by_name(figures, "step")["net", "all"]
    assert (step.value, step.observations) == (pytest.approx(0.15), 2)
    assert curve_figures("9x9", [curve([0, 3], [0.5, 0.6])]) == []
    assert curve_figures("9x9", []) == []


def test_autocorrelation_of_steady_and_alternating_curves():
    rising = curve_figures("9x9", [curve(range(5), [0.1, 0.2, 0.3, 0.4, 0.5])])
    assert by_name(rising, "autocorrelation")["net", "all"].value == pytest.approx(1)
    waves = curve_figures("9x9", [curve(range(5), [0.5, 0.6, 0.5, 0.6, 0.5])])
    assert by_name(waves, "autocorrelation")["net", "all"].value == pytest.approx(-1)


def test_labels_are_the_teacher_of_whole_games(tmp_path):
    source = LabelExamples(write_labels(tmp_path / "labels"), seed=1)
    traces = [trace(game, {"net": Biased(bias=0.1)}) for game in source.whole_games(NINE, 2)]
    sawtooth = by_name(curve_figures("9x9", traces), "sawtooth")
    assert sawtooth["teacher", "all"].value == pytest.approx(0)
    assert sawtooth["net_excess", "all"].value == pytest.approx(0.2)


def test_measure_works_in_batches(source, monkeypatch):
    monkeypatch.setattr(comparison, "POSITIONS_PER_STEP", 7)
    sizes = [len(batch) for batch in measure(Biased(), None, source.drawn(NINE, 20, each=1))]
    assert sizes == [7, 7, 6]


def test_opinion_is_a_distribution():
    found = opinion(Position(9).after("A9"), 0.6, bias=0.1)
    assert found.win_to_play == pytest.approx(0.5)
    assert found.policy.sum() + found.pass_probability == pytest.approx(1)

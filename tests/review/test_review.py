"""Game reviews: losses computed by hand, and unusual records."""

import pytest
from review_helpers import (
    FOUR_MOVES,
    VISITS,
    ScriptedEngine,
    ScriptedReport,
    four_move_engine,
    game_of,
)

from tengen.board import BLACK, PASS, WHITE, parse_vertex
from tengen.engine import EngineSettings, create_engine, evaluate_with_net
from tengen.review import GameReview, MoveReview, PositionEstimate, review_game
from tengen.review.annotation import move_text
from tengen.review.review import MoveValue, positions
from tengen.search import SearchLimit
from tengen.util import TengenError


def reviewed(text=FOUR_MOVES, engine=None, **options):
    return review_game(game_of(text), engine or four_move_engine(), SearchLimit, **options)


def test_losses():
    moves = reviewed().moves
    assert [move.number for move in moves] == [1, 2, 3, 4]
    assert [move.color for move in moves] == [BLACK, WHITE, BLACK, WHITE]
    # Moves 1 and 4 are the engine's choice; move 2 gains win rate and half a point for White.
    assert [round(move.winrate_loss, 6) for move in moves] == [0, 0, 0.2, 0]
    assert [round(move.points_loss, 6) for move in moves] == [0, 0, 4.0, 0]
    assert [move.is_best for move in moves] == [True, False, False, True]


def test_leads_include_komi():
    assert [estimate.lead for estimate in reviewed().estimates] == [0.5, 0.5, 0.0, -4.0, -3.5]


def test_mistakes_and_agreement_by_player():
    review = reviewed()
    assert [move.number for move in review.mistakes(BLACK)] == [3]
    assert review.mistakes(WHITE) == []
    assert review.agreement(BLACK) == 0.5
    assert review.mean_loss(BLACK) == pytest.approx(2.0)
    assert review.mean_loss(WHITE) == 0


def test_mistakes_are_ordered_by_points():
    """Move 1 loses more win rate, move 3 more points."""
    values = ((0.9, 10), (0.6, 7), (0.6, 7), (0.5, 1), (0.5, 1))
    engine = ScriptedEngine([ScriptedReport(rate, lead, "A1") for rate, lead in values])
    review = reviewed("(;SZ[5];B[cc];W[bb];B[bc];W[dd])", engine)
    assert [move.number for move in review.mistakes(BLACK)] == [3, 1]
    assert [move.number for move in review.mistakes(BLACK, most=1)] == [3]


def losing(points, error=0.0):
    """Return a move of White that loses `points`."""
    line = (parse_vertex("A1", 5, 5),)
    values = [MoveValue(0.5, lead, error, 100) for lead in (-3.0, -3.0 + points)]
    return MoveReview(2, WHITE, PASS, PositionEstimate(0.5, -3.0, line, 100, *values), None)


@pytest.mark.parametrize(
    ("points", "error", "is_mistake", "is_uncertain"),
    [
        (1.9, 0.0, False, False),
        (2.0, 0.0, True, False),
        (2.0, 1.0, False, True),  # the standard error of the difference is 1.41
        (2.8, 1.0, True, False),
        (-5.0, 0.0, False, False),
    ],
)
def test_mistakes_are_large_and_significant(points, error, is_mistake, is_uncertain):
    move = losing(points, error)
    assert (move.is_mistake, move.is_uncertain_mistake) == (is_mistake, is_uncertain)


def test_comments_on_uncertain_mistakes():
    text = "May lose (not significant) 2.0 ± 1.4 points and 0.0% win rate for White. Better: A1"
    assert move_text(losing(2.0, 1.0), 5) == text


def test_minimum_loss_of_a_mistake():
    assert reviewed(mistake_points=4.0).mistakes(BLACK)
    assert not reviewed(mistake_points=4.1).mistakes(BLACK)


def test_played_and_best_move_have_equal_visits():
    engine = ScriptedEngine([ScriptedReport(0.5, 0.0, "A1") for _ in range(5)])
    for estimate in reviewed(engine=engine).estimates[:-1]:
        assert estimate.best.visits == estimate.played.visits == VISITS


def test_unfinished_review():
    whole = reviewed()
    part = GameReview(whole.game, whole.estimates[:3])
    assert not part.is_complete
    assert [move.number for move in part.mistakes(BLACK)] == [3]
    assert [move.after for move in part.moves] == [*whole.estimates[1:3], None]


def test_progress():
    calls = []
    review = reviewed(progress=lambda done, total, estimate: calls.append((done, total, estimate)))
    assert [call[:2] for call in calls] == [(number, 5) for number in range(1, 6)]
    assert tuple(estimate for _, _, estimate in calls) == review.estimates


def test_exception_in_progress_stops_the_review():
    engine = four_move_engine()

    def stop_at_two(done, total, estimate):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reviewed(engine=engine, progress=stop_at_two)
    assert engine.searched == [0, 1, 2]


def test_known_estimates_are_not_searched_again():
    whole = reviewed()
    engine = four_move_engine()
    again = reviewed(engine=engine, known=whole.estimates[:3])
    assert engine.searched == [3, 4]
    assert again.estimates == whole.estimates


def test_finished_game_is_scored():
    engine = four_move_engine()
    walls = "(;SZ[5]KM[0.5]AB[ba][bb][bc][bd][be]AW[da][db][dc][dd][de]PL[B];B[];W[])"
    review = review_game(game_of(walls), engine, SearchLimit)
    assert engine.searched == [0, 1, 1]
    assert review.estimates[-1] == PositionEstimate(0.0, -0.5, (), 0)


def test_consecutive_moves_of_one_color():
    game = game_of("(;SZ[5];B[cc];B[bb];W[dd];W[cd])")
    sides = [position.to_play for position in positions(game)]
    assert sides == [BLACK, BLACK, WHITE, WHITE, BLACK]
    boards = [position.diagram() for position in positions(game)]
    assert boards == [game.position(number).diagram() for number in range(5)]


def test_setup_during_the_game():
    game = game_of("(;SZ[5];B[cc];AW[aa][ab];W[dd])")
    last = list(positions(game))[-1]
    assert last.color(parse_vertex("A5", 5, 5)) == WHITE


@pytest.mark.parametrize(
    ("text", "reason"),
    [("(;SZ[5])", "no moves"), ("(;SZ[25];B[cc])", "25x25"), ("(;GM[2];B[cc])", "not a game")],
)
def test_rejects_games_without_moves(text, reason):
    with pytest.raises(TengenError, match=reason):
        reviewed(text)


def test_engine_finds_a_blunder():
    """Black fills its second eye and White captures everything."""
    walls = (
        "(;SZ[5]KM[0.5]AB[ab][bb][cb][db][eb][ba][da]AW[ac][bc][cc][dc][ec]PL[B]"
        ";B[ca];W[ee];B[aa];W[ea])"
    )
    settings = EngineSettings().with_overrides(["threads=1", "seed=1", "memory_mib=16", "net=none"])
    review = review_game(
        game_of(walls), create_engine(settings), lambda: SearchLimit(simulations=400)
    )
    worst = review.mistakes(BLACK)[0]
    assert worst.number in (1, 3)
    assert worst.points_loss > 3
    assert all(0 <= estimate.winrate <= 1 for estimate in review.estimates)
    assert review.estimates[-1].winrate < 0.1


@pytest.mark.kernels
def test_win_rate_and_lead_agree_with_a_net():
    """Both are the network's, adjusted by the search."""
    settings = EngineSettings().with_overrides(
        ["threads=1", "seed=1", "memory_mib=16", "net=default"]
    )
    text = "(;SZ[9]KM[7.5];B[ee];W[cc];B[gc];W[cg];B[gg])"
    review = review_game(
        game_of(text), create_engine(settings), lambda: SearchLimit(simulations=20)
    )
    for position, estimate in zip(positions(game_of(text)), review.estimates, strict=True):
        evaluation = evaluate_with_net("default", position)
        lead = evaluation.lead_to_play if position.to_play is BLACK else -evaluation.lead_to_play
        assert estimate.lead == pytest.approx(lead, abs=8)
        assert (estimate.lead > 2) <= (estimate.winrate > 0.4)

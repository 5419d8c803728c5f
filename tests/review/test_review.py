"""A game looked over: losses by hand, and whatever odd records bring."""

import pytest
from review_helpers import FOUR_MOVES, Said, ScriptedEngine, four_outlooks, game_of

from tengen.board.colour import BLACK, WHITE
from tengen.board.points import PASS, parse_vertex
from tengen.core.errors import TengenError
from tengen.engine.engine import Engine
from tengen.engine.opinion import net_opinion
from tengen.engine.settings import EngineSettings
from tengen.review.annotate import move_text
from tengen.review.outlook import Outlook
from tengen.review.review import MoveReview, positions, review_game
from tengen.search.limit import Limit


def reviewed(text=FOUR_MOVES, engine=None, **options):
    return review_game(game_of(text), engine or four_outlooks(), Limit, **options)


def test_losses_are_those_of_the_mover():
    moves = reviewed().moves
    assert [move.number for move in moves] == [1, 2, 3, 4]
    assert [move.colour for move in moves] == [BLACK, WHITE, BLACK, WHITE]
    # Move 1 and 4 are the engine's own; move 2 gains win rate and half a point for White.
    assert [round(move.winrate_loss, 6) for move in moves] == [0, 0, 0.2, 0]
    assert [round(move.points_loss, 6) for move in moves] == [0, 0, 4.0, 0]
    assert [move.is_best for move in moves] == [True, False, False, True]


def test_leads_count_komi():
    assert [outlook.lead for outlook in reviewed().outlooks] == [0.5, 0.5, 0.0, -4.0, -3.5]


def test_mistakes_and_agreement_by_player():
    review = reviewed()
    assert [move.number for move in review.mistakes(BLACK)] == [3]
    assert review.mistakes(WHITE) == []
    assert review.agreement(BLACK) == 0.5
    assert review.mean_loss(BLACK) == pytest.approx(2.0)
    assert review.mean_loss(WHITE) == 0


def test_the_largest_mistakes_come_first_and_no_more_than_asked():
    engine = ScriptedEngine([Said(rate, 0.0, "A1") for rate in (0.9, 0.8, 0.8, 0.5, 0.5)])
    review = reviewed("(;SZ[5];B[cc];W[bb];B[bc];W[dd])", engine)
    assert [move.number for move in review.mistakes(BLACK)] == [3, 1]
    assert [move.number for move in review.mistakes(BLACK, most=1)] == [3]


@pytest.mark.parametrize(("visits", "is_mistake"), [(10_000, True), (20, False), (0, True)])
def test_a_loss_within_the_noise_is_no_mistake(visits, is_mistake):
    """At 20 visits each, the difference of two win rates is off by 15% easily."""
    outlooks = [Outlook(rate, 0.0, (parse_vertex("A1", 5, 5),), visits) for rate in (0.6, 0.5)]
    move = MoveReview(1, BLACK, PASS, *outlooks)
    assert (move.is_mistake, move.is_doubtful) == (is_mistake, not is_mistake)
    assert (
        move_text(move, 5)
        .split("\n")[1]
        .startswith(
            "Mistake, loses 10.0%" if is_mistake else "May lose (too few playouts to be sure) 10.0%"
        )
    )


def test_progress_is_told_of_every_position():
    told = []
    review = reviewed(progress=lambda done, total, outlook: told.append((done, total, outlook)))
    assert [pair[:2] for pair in told] == [(number, 5) for number in range(1, 6)]
    assert tuple(outlook for _, _, outlook in told) == review.outlooks


def test_what_progress_raises_ends_the_review():
    engine = four_outlooks()

    def stop_at_two(done, total, outlook):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reviewed(engine=engine, progress=stop_at_two)
    assert engine.asked == [0, 1]


def test_known_outlooks_are_not_searched_again():
    whole = reviewed()
    engine = four_outlooks()
    again = reviewed(engine=engine, known=whole.outlooks[:3])
    assert engine.asked == [3, 4]
    assert again.outlooks == whole.outlooks


def test_a_game_that_ended_with_passes_is_judged_not_searched():
    engine = four_outlooks()
    walls = "(;SZ[5]KM[0.5]AB[ba][bb][bc][bd][be]AW[da][db][dc][dd][de]PL[B];B[];W[])"
    review = review_game(game_of(walls), engine, Limit)
    assert engine.asked == [0, 1]
    assert review.outlooks[-1] == Outlook(0.0, -0.5, (), 0)


def test_a_side_that_moves_twice_is_the_one_to_play():
    game = game_of("(;SZ[5];B[cc];B[bb];W[dd];W[cd])")
    sides = [position.to_play for position in positions(game)]
    assert sides == [BLACK, BLACK, WHITE, WHITE, BLACK]
    boards = [position.diagram() for position in positions(game)]
    assert boards == [game.position(number).diagram() for number in range(5)]


def test_setup_in_the_middle_is_followed():
    game = game_of("(;SZ[5];B[cc];AW[aa][ab];W[dd])")
    last = list(positions(game))[-1]
    assert last.colour(parse_vertex("A5", 5, 5)) == WHITE


@pytest.mark.parametrize(
    ("text", "reason"),
    [("(;SZ[5])", "no moves"), ("(;SZ[25];B[cc])", "25x25"), ("(;GM[2];B[cc])", "not a game")],
)
def test_nothing_to_look_at(text, reason):
    with pytest.raises(TengenError, match=reason):
        reviewed(text)


def test_a_real_engine_sees_a_real_blunder():
    """Black fills its second eye; White takes everything."""
    walls = (
        "(;SZ[5]KM[0.5]AB[ab][bb][cb][db][eb][ba][da]AW[ac][bc][cc][dc][ec]PL[B]"
        ";B[ca];W[ee];B[aa];W[ea])"
    )
    settings = EngineSettings().with_words(["threads=1", "seed=1", "memory_mib=16", "net=none"])
    review = review_game(game_of(walls), Engine(settings), lambda: Limit(simulations=400))
    worst = review.mistakes(BLACK)[0]
    assert worst.number in (1, 3)
    assert worst.points_loss > 3
    assert all(0 <= outlook.winrate <= 1 for outlook in review.outlooks)
    assert review.outlooks[-1].winrate < 0.1


@pytest.mark.kernels
def test_with_a_net_win_rate_and_lead_are_of_one_mind():
    """Both are the net's, moved by the search: who is ahead leads."""
    settings = EngineSettings().with_words(["threads=1", "seed=1", "memory_mib=16", "net=default"])
    text = "(;SZ[9]KM[7.5];B[ee];W[cc];B[gc];W[cg];B[gg])"
    review = review_game(game_of(text), Engine(settings), lambda: Limit(simulations=20))
    for position, outlook in zip(positions(game_of(text)), review.outlooks, strict=True):
        said = net_opinion("default", position)
        lead = said.lead_to_play if position.to_play is BLACK else -said.lead_to_play
        assert outlook.lead == pytest.approx(lead, abs=8)
        assert (outlook.lead > 2) <= (outlook.winrate > 0.4)

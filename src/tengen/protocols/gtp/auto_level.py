"""The level `auto` over GTP: it adjusts to the results of games against one opponent."""

from tengen.board import Color
from tengen.engine import AUTO, rank_name, record_result, stored_estimate
from tengen.playout import score_position
from tengen.protocols.gtp.session import Session, command


@command("tengen-level")
def show_level(session: Session, arguments: list[str]) -> str:
    """Return the level and, for `auto`, its rank and the estimated rank of the opponent."""
    level = session.settings.play.level
    if level != AUTO:
        return level
    estimate = stored_estimate()
    return f"{level}: plays at {rank_name(estimate.playing_rank)}, opponent {estimate.text}"


def count_move(session: Session) -> None:
    """Adjust the level `auto` if the last move has ended the game."""
    if session.settings.play.level == AUTO and session.position.is_over and not session.is_counted:
        score = score_position(session.position).score
        if score:
            _count(session, Color.BLACK if score > 0 else Color.WHITE)


def count_resignation(session: Session, loser: Color) -> None:
    """Adjust the level `auto` after a resignation."""
    if session.settings.play.level == AUTO and not session.is_counted:
        _count(session, loser.opponent)


def _count(session: Session, winner: Color) -> None:
    """Count a game in which the engine played one color."""
    if len(session.engine_colors) != 1:
        return
    session.is_counted = True
    engine = next(iter(session.engine_colors))
    position = session.position
    stones = position.handicap * (1 if engine is Color.WHITE else -1)
    record_result(winner is not engine, position.rows, position.columns, stones)

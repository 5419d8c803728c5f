from .policy import (
    HEAVY_POLICY as HEAVY_POLICY,
    PlayoutPolicy as PlayoutPolicy,
    PlayoutRule as PlayoutRule,
)
from .scoring import (
    ChainStatus as ChainStatus,
    FinalScore as FinalScore,
    format_score as format_score,
    ownership as ownership,
    playout_ownership as playout_ownership,
    score_by_playouts as score_by_playouts,
    score_position as score_position,
    score_with_dead_stones as score_with_dead_stones,
)

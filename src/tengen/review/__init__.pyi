from .annotation import annotate_nodes as annotate_nodes, read_review as read_review
from .batch import GameFiles as GameFiles, ReviewBatch as ReviewBatch
from .explanation import Explanation as Explanation, explain as explain
from .folder import ReviewFolder as ReviewFolder
from .review import (
    MISTAKE_POINTS as MISTAKE_POINTS,
    GameReview as GameReview,
    MoveReview as MoveReview,
    PositionAnalyst as PositionAnalyst,
    PositionEstimate as PositionEstimate,
    ReviewStopped as ReviewStopped,
    review_game as review_game,
)
from .serialization import review_dict as review_dict

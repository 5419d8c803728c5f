from .evaluators import (
    EvaluatorSet as EvaluatorSet,
    NetEvaluator as NetEvaluator,
    NetOutputs as NetOutputs,
)
from .flat import FlatSearch as FlatSearch
from .limit import NEVER as NEVER, SearchLimit as SearchLimit
from .report import (
    Candidate as Candidate,
    SearchReport as SearchReport,
    ValueEstimate as ValueEstimate,
)
from .searcher import Searcher as Searcher
from .settings import (
    FLAT as FLAT,
    EvaluatorWeights as EvaluatorWeights,
    SearchSettings as SearchSettings,
)

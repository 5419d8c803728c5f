from .bigmove import (
    THESIS_VARIANTS as THESIS_VARIANTS,
    BigMove as BigMove,
    biggest_points as biggest_points,
)
from .metric import (
    ALL_EVALUATIONS as ALL_EVALUATIONS,
    BoardEvaluations as BoardEvaluations,
    Changes as Changes,
    Map as Map,
    Metric as Metric,
    abstract_colors as abstract_colors,
    changes as changes,
    evaluate as evaluate,
)
from .pattern import (
    EDGE_SYMBOL as EDGE_SYMBOL,
    EMPTY_SYMBOL as EMPTY_SYMBOL,
    ENEMY_SYMBOL as ENEMY_SYMBOL,
    FARTHEST as FARTHEST,
    OWN_SYMBOL as OWN_SYMBOL,
    ShapePattern as ShapePattern,
)
from .potential import (
    FILTERS as FILTERS,
    STENCILS as STENCILS,
    Potential as Potential,
    Survey as Survey,
    survey as survey,
)
from .registry import (
    BUILTIN_SOURCES as BUILTIN_SOURCES,
    CompiledSource as CompiledSource,
    compiled_source as compiled_source,
    deferred_source_table as deferred_source_table,
    evaluate_sources as evaluate_sources,
    parameters_of as parameters_of,
    source_table as source_table,
)
from .shape import (
    BUNDLED_TABLES as BUNDLED_TABLES,
    SIZES as SIZES,
    Shape as Shape,
    ShapeSettings as ShapeSettings,
    ShapeTables as ShapeTables,
    SizeRate as SizeRate,
    answer_odds as answer_odds,
    load_tables as load_tables,
    save_tables as save_tables,
)
from .shape_learning import (
    Learner as Learner,
    digest_of as digest_of,
    learn as learn,
    sample_batches as sample_batches,
)
from .source import (
    NO_LIMIT as NO_LIMIT,
    DeferredSources as DeferredSources,
    PythonSource as PythonSource,
    ValueFunction as ValueFunction,
    Values as Values,
    load_source as load_source,
)

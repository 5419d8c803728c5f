from .dataset import (
    Dataset as Dataset,
    load_dataset as load_dataset,
    parse_size_weights as parse_size_weights,
)
from .distillation import (
    LabelFolder as LabelFolder,
    LabelPlan as LabelPlan,
    Teacher as Teacher,
    label_games as label_games,
    positions_at as positions_at,
)
from .games import plain_games as plain_games, usable_games as usable_games
from .labels import is_label_folder as is_label_folder, read_label_table as read_label_table
from .loss import HeldOutMetrics as HeldOutMetrics
from .model import TengenModel as TengenModel
from .run import (
    PANELS as PANELS,
    TrainingFolder as TrainingFolder,
    metrics_figure as metrics_figure,
    train as train,
)
from .settings import (
    INSTALL as INSTALL,
    TrainSettings as TrainSettings,
    require_torch as require_torch,
)
from .trainer import (
    Trainer as Trainer,
    TrainingProgress as TrainingProgress,
    read_checkpoint as read_checkpoint,
)

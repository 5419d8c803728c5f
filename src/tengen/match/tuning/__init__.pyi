from .config import (
    TuneConfig as TuneConfig,
    read_tune_config as read_tune_config,
    tune_config as tune_config,
)
from .objective import Objective as Objective
from .population import (
    IntervalChange as IntervalChange,
    ParameterInterval as ParameterInterval,
    Population as Population,
    PopulationSettings as PopulationSettings,
)
from .runner import (
    Observer as Observer,
    tune_in_folder as tune_in_folder,
    write_tune_report as write_tune_report,
)
from .tuner import (
    Duel as Duel,
    DuelResult as DuelResult,
    Parameter as Parameter,
    Spsa as Spsa,
    SpsaSettings as SpsaSettings,
    Tuner as Tuner,
    Values as Values,
    fill_template as fill_template,
)

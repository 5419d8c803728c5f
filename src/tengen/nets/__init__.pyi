from .accuracy import Accuracy as Accuracy
from .calibration import Case as Case, position_figures as position_figures, to_case as to_case
from .comparison import (
    Agreement as Agreement,
    Figure as Figure,
    PositionEvaluator as PositionEvaluator,
    agreement_figures as agreement_figures,
    compare as compare,
    measure as measure,
)
from .curves import (
    NET as NET,
    SEARCH as SEARCH,
    TEACHER as TEACHER,
    Curve as Curve,
    curve_figures as curve_figures,
    trace as trace,
)
from .evaluation import (
    Evaluation as Evaluation,
    Floats as Floats,
    NonFiniteOutputsError as NonFiniteOutputsError,
)
from .examples import (
    ExampleSource as ExampleSource,
    LabelExamples as LabelExamples,
    RecordExamples as RecordExamples,
)
from .files import (
    DOWNLOADABLE_NETS as DOWNLOADABLE_NETS,
    INT8_SUFFIX as INT8_SUFFIX,
    NET_SUFFIX as NET_SUFFIX,
    available_nets as available_nets,
    download_net as download_net,
    find_net as find_net,
    is_net_file as is_net_file,
    net_folder as net_folder,
    split_profile as split_profile,
)
from .graph_quantizer import MIN_CHANNELS as MIN_CHANNELS
from .installation import install_net as install_net, int8_path as int8_path
from .net import (
    MIN_BOARD_SIZE as MIN_BOARD_SIZE,
    SYMMETRIES as SYMMETRIES,
    Net as Net,
    NetSettings as NetSettings,
)
from .onnx_model import (
    HUMAN as HUMAN,
    OnnxModel as OnnxModel,
    load_net as load_net,
    load_net_named as load_net_named,
    make_features as make_features,
)
from .position_export import Sampling as Sampling, export_games as export_games
from .position_files import (
    PositionFile as PositionFile,
    create_position_file as create_position_file,
)
from .quantization import (
    quantize_net as quantize_net,
    save_half_precision as save_half_precision,
)
from .self_play import play_out as play_out
from .tengen_net import (
    DEFAULT_NET as DEFAULT_NET,
    TengenFeatures as TengenFeatures,
    TengenNet as TengenNet,
)

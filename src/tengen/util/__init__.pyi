from .console import Console as Console
from .drawing import (
    Drawing as Drawing,
    Ellipse as Ellipse,
    Gradient as Gradient,
    Label as Label,
    Polygon as Polygon,
    Polyline as Polyline,
    Rectangle as Rectangle,
    Shape as Shape,
)
from .errors import (
    TengenError as TengenError,
    did_you_mean as did_you_mean,
    finite_float as finite_float,
    first_difference as first_difference,
    plural as plural,
    positive_float as positive_float,
    positive_int as positive_int,
    sentence as sentence,
)
from .estimates import (
    Estimate as Estimate,
    bootstrap_estimate as bootstrap_estimate,
    mean_estimate as mean_estimate,
    ratio_estimate as ratio_estimate,
    rms_estimate as rms_estimate,
    share_estimate as share_estimate,
)
from .extras import (
    DISTRIBUTION as DISTRIBUTION,
    EXTRA_OF as EXTRA_OF,
    install_command as install_command,
    missing_extra as missing_extra,
)
from .files import (
    atomic_write as atomic_write,
    atomic_write_text as atomic_write_text,
    cache_dir as cache_dir,
    data_dir as data_dir,
    lock_folder as lock_folder,
    read_toml as read_toml,
    transaction as transaction,
    try_lock as try_lock,
)
from .parameters import (
    check as check,
    describe as describe,
    parameter as parameter,
    value_text as value_text,
    with_values as with_values,
)
from .processes import (
    SINGLE_THREAD_ENV as SINGLE_THREAD_ENV,
    StopFlag as StopFlag,
    single_thread_process as single_thread_process,
    stop_on_interrupt as stop_on_interrupt,
)
from .results import (
    Results as Results,
    current_command as current_command,
    read_results as read_results,
    write_results as write_results,
)
from .schema import (
    Json as Json,
    SchemaError as SchemaError,
    convert as convert,
    field_names as field_names,
    parse_object as parse_object,
)
from .terminal import clean_streams as clean_streams, raw_stream as raw_stream

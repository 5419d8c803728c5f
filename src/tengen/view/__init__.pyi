from .animation import animate as animate
from .html import (
    Section as Section,
    figure_svg as figure_svg,
    html_table as html_table,
    inline_svg as inline_svg,
    render as render,
    render_report as render_report,
)
from .layer import Layer as Layer, Scale as Scale
from .layer_info import LayerInfo as LayerInfo, Need as Need, ViewContext as ViewContext
from .picture import check_format as check_format, draw_layers as draw_layers, save as save
from .problem_picture import problem_drawing as problem_drawing
from .registry import (
    LAYERS as LAYERS,
    compute_layer as compute_layer,
    find_layer as find_layer,
    make_layer as make_layer,
    start_warm_up as start_warm_up,
)
from .source_layers import source_layer as source_layer
from .text import text_map as text_map
from .training_page import render_training_page as render_training_page

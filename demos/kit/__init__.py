"""The kit that every demo is made of: controls, what a view shows, and the frame. Standard library only.

What few readers ask for is not imported here, so that Python starts sooner: `kit.source` shows the code
behind a frame, `kit.edited` runs changed code; and `kit.shipped` is for the build.
"""

from .controls import StateError, answers, index, matrix, pick, slider, spot, stepper, toggle
from .demo import DemoError, Frame, View, frame, frame_json, key, load, names
from .diagram import Box, Link, diagram
from .formula import formula, frac, root, row, sub, sup
from .heatmap import heat_map
from .markup import Element, Node, el, render
from .numbers import fmt, grouped, percent, power_of_ten, scientific, short
from .page import CAPTION, demo_html
from .plots import Axis, Line, chart, plane
from .strips import Strip, strips
from .sums import entry, equals, operand, products, total
from .text import LANGUAGES, Text, Words, join, text
from .trails import Trail, trails
from .typed import typed
from .views import (
    bars,
    beside,
    flow,
    heat,
    matrix_table,
    note,
    panel,
    presets,
    setter,
    table,
    token_row,
    working,
)

__all__ = [
    "CAPTION",
    "LANGUAGES",
    "Axis",
    "Box",
    "DemoError",
    "Element",
    "Frame",
    "Line",
    "Link",
    "Node",
    "StateError",
    "Strip",
    "Text",
    "Trail",
    "View",
    "Words",
    "answers",
    "bars",
    "beside",
    "chart",
    "demo_html",
    "diagram",
    "el",
    "entry",
    "equals",
    "flow",
    "fmt",
    "formula",
    "frac",
    "frame",
    "frame_json",
    "grouped",
    "heat",
    "heat_map",
    "index",
    "join",
    "key",
    "load",
    "matrix",
    "matrix_table",
    "names",
    "note",
    "operand",
    "panel",
    "percent",
    "pick",
    "plane",
    "power_of_ten",
    "presets",
    "products",
    "render",
    "root",
    "row",
    "scientific",
    "setter",
    "short",
    "slider",
    "spot",
    "stepper",
    "strips",
    "sub",
    "sup",
    "table",
    "text",
    "toggle",
    "token_row",
    "total",
    "trails",
    "typed",
    "working",
]

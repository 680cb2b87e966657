"""Wrong layers: the check that rejects each, what stands in sequence_layers.py, what stands there instead."""

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

OVERTAKES = "return max(0, fixed + per_key * width - own) // own_per_key + 1"

MUTANTS = mutants("sequence_layers", {
    "the width is the step": ("check_path_lengths", ".get(kind, (width - 1) // 2)", ".get(kind, width)"),
    "rounded down": ("check_path_lengths", "return -(-distance // move)", "return distance // move"),
    "a token takes a move to itself": ("check_path_lengths", "min(distance, 1)", "1"),
    "reads backwards": ("check_paths", "and start > end", "and False"),
    "always forwards": ("check_paths", "move if start < end else -move", "move"),
    "stands still for two": ("check_paths", "return [start] if start == end else [start, end]",
                             "return [start, end]"),
    "all in parallel": ("check_serial", 'return S if kind == "recurrent" else 1', "return 1"),
    "one product a step": ("check_products", "1 if leading else 2", "1"),
    "convolution of width one": ("check_products", "return width * d_model**2, 0", "return d_model**2, 0"),
    "no projection of the output": ("check_products", "(4 * d_model**2, 2 * d_model)",
                                    "(3 * d_model**2, 2 * d_model)"),
    "scores alone": ("check_products", "(4 * d_model**2, 2 * d_model)", "(4 * d_model**2, d_model)"),
    "window as wide as the sequence": ("check_products", 'min(width, S) if kind == "window" else S', "S"),
    "window beyond the sequence": ("check_products", "min(width, S)", "width"),
    "equal counts as more": ("check_overtaking", OVERTAKES, OVERTAKES.removesuffix(" + 1")),
    "width forgotten": ("check_overtaking", OVERTAKES, OVERTAKES.replace(" * width", "")),
    "own products forgotten": ("check_overtaking", OVERTAKES, OVERTAKES.replace(" - own)", ")")),
    "before the first token": ("check_overtaking", OVERTAKES, OVERTAKES.replace("max(0, ", "(")),
})  # fmt: skip

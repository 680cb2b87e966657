"""Wrong optimisers: the check that rejects each, what stands in optimizer.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

MEAN = "lambda m, g: beta_1 * m + (1 - beta_1) * g, state.mean, gradients"
SQUARE = "lambda s, g: beta_2 * s + (1 - beta_2) * g * g, state.mean_square, gradients"
CORRECT_MEAN = "means[path] / (1 - beta_1**step)"
CORRECT_SQUARE = "mean_squares[path] / (1 - beta_2**step)"
DIRECTION = "cast(parameter * decay - learning_rate * direction, parameter.dtype)"
DECAY = "1 - learning_rate * weight_decay if decays(path, parameter) else 1.0"

MUTANTS = mutants("optimizer", {
    "no bias correction of the mean": ("check_first_step", CORRECT_MEAN, "means[path]"),
    "no bias correction of the square": ("check_first_step", CORRECT_SQUARE, "mean_squares[path]"),
    "bias correction by the step before": (
        "check_many_steps", CORRECT_MEAN,
        "means[path] / (1 - beta_1 ** max(step - 1, 1))",
    ),
    "betas exchanged": ("check_many_steps", MEAN, MEAN.replace("beta_1", "beta_2")),
    "L2 inside the moments": (
        "check_decay_is_decoupled", "    step = state.step + 1\n",
        "    step = state.step + 1\n"
        "    gradients = map_arrays(lambda g, p: g + weight_decay * p, gradients, parameters)\n",
    ),
    "decay not scaled by the learning rate": ("check_decay_is_decoupled", DECAY, "1 - weight_decay"),
    "no decay": ("check_decay_is_decoupled", DECAY, "1.0"),
    "everything decays": ("check_decays_chooses", DECAY, "1 - learning_rate * weight_decay"),
    "square not squared": ("check_first_step", "* g * g,", "* abs(g),"),
    "no square root": ("check_first_step", "np.sqrt(unbiased_square)", "unbiased_square"),
    "eps inside the root": (
        "check_many_steps", "(np.sqrt(unbiased_square) + eps)", "np.sqrt(unbiased_square + eps)",
    ),
    "uphill": ("check_first_step", DIRECTION, DIRECTION.replace(" - ", " + ")),
    "mean forgotten": ("check_many_steps", MEAN, MEAN.replace("beta_1 * m + ", "")),
    "square forgotten": ("check_many_steps", SQUARE, SQUARE.replace("beta_2 * s + ", "")),
    "steps not counted": ("check_many_steps", "AdamWState(step, mean,", "AdamWState(0, mean,"),
    "other default of beta_2": ("check_defaults", "beta_2: float = 0.999", "beta_2: float = 0.99"),
    "no decay by default": ("check_defaults", "weight_decay: float = 0.01", "weight_decay: float = 0.0"),
    "one state for all arrays": (
        "check_tree", "means, mean_squares = named_arrays(mean), named_arrays(mean_square)",
        "means, mean_squares = named_arrays(mean), named_arrays(mean_square); first = next(iter(mean_squares));"
        " mean_squares = dict.fromkeys(means, mean_squares[first].mean())",
    ),
    "float64 out for float32": ("check_dtype", DIRECTION, "(parameter * decay - learning_rate * direction)"),
    "writes into the parameters": (
        "check_pure", DIRECTION, "np.subtract(parameter * decay, learning_rate * direction, out=parameter)",
    ),
    "clips each array on its own": (
        "check_clipping", "lambda gradient: gradient * gradient.dtype.type(maximum / norm)",
        "lambda gradient: gradient * min(1.0, maximum / global_norm((gradient,)))",
    ),
    "always brought to the maximum": ("check_clipping", "if norm <= maximum:", "if norm == maximum:"),
    "norm without the root": ("check_clipping", "return math.sqrt(\n", "return float(\n"),
})  # fmt: skip

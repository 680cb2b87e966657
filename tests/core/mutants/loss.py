"""Wrong losses: the check that rejects each, what stands in loss.py, what stands there instead."""

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

LOG = "log_softmax(scores.astype(working_dtype(scores), copy=False))"
MEAN = "losses.sum() / max(n_counted, 1)"
IGNORE = "losses = np.where(counted, losses, 0)"
GRADIENT = "np.where(trace.counted[..., None], gradient, 0) / max(trace.n_counted, 1)"

MUTANTS = mutants("loss", {
    "sign forgotten": ("check_exact", "losses = -np.take_along_axis", "losses = np.take_along_axis"),
    "softmax after the logarithm": (
        "check_stable", LOG,
        "np.log(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))",
    ),
    "no softmax": ("check_loops", LOG, "scores.astype(float)"),
    "ignored labels counted in the mean": ("check_ignored_labels_do_not_count", MEAN, "losses.mean()"),
    "sum for mean": ("check_loops", MEAN, "losses.sum()"),
    "ignored labels read as label 0": ("check_ignored_labels_do_not_count", IGNORE, "pass"),
    "ignored losses multiplied by 0": (
        "check_ignored_labels_do_not_count", IGNORE, "losses = losses * counted",
    ),
    "always -100": ("check_other_ignored_label", "targets != ignore_label", "targets != IGNORED"),
    "NaN where nothing counts": (
        "check_nothing_counts", MEAN, "losses.sum() / np.float64(n_counted)",
    ),
    "worked in float16": ("check_dtypes", LOG, "log_softmax(scores)"),
    "smoothing on the label alone": (
        "check_smoothing", "* losses - label_smoothing * log_probabilities.mean(axis=-1)", "* losses",
    ),
    "smoothing spread by sum": (
        "check_smoothing", "* log_probabilities.mean(", "* log_probabilities.sum(",
    ),
    "gradient without the one-hot": ("check_gradient_exact", " - (1 - label_smoothing)\n", "\n"),
    "gradient of the sum": (
        "check_gradient_exact", GRADIENT, "np.where(trace.counted[..., None], gradient, 0)",
    ),
    "gradient divided by all rows": (
        "check_gradient_by_finite_differences", GRADIENT,
        "np.where(trace.counted[..., None], gradient, 0) / trace.counted.size",
    ),
    "gradient of ignored rows": (
        "check_ignored_labels_do_not_count", GRADIENT, "gradient / max(trace.n_counted, 1)",
    ),
    "gradient without smoothing": (
        "check_gradient_by_finite_differences", " - label_smoothing / trace.log_probabilities.shape[-1]", "",
    ),
    "labels shifted the wrong way": (
        "check_next_token", "labels[..., :-1] = ids[..., 1:]", "labels[..., 1:] = ids[..., :-1]",
    ),
    "labels shifted by two": (
        "check_next_token", "labels[..., :-1] = ids[..., 1:]", "labels[..., :-2] = ids[..., 2:]",
    ),
    "labels not shifted": (
        "check_next_token", "labels[..., :-1] = ids[..., 1:]", "labels[..., :-1] = ids[..., :-1]",
    ),
    "first token for the last label": (
        "check_next_token", "labels[..., :-1] = ids[..., 1:]", "labels = np.roll(ids, -1, axis=-1)",
    ),
    "gradient written into the trace": (
        "check_inputs_untouched", "gradient = np.exp(trace.log_probabilities) -",
        "gradient = np.exp(trace.log_probabilities, out=trace.log_probabilities) -",
    ),
})  # fmt: skip

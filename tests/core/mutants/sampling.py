"""Wrong sampling: the check that rejects each, what stands in sampling.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

ORDER = 'order = np.argsort(-scaled, axis=-1, kind="stable")'
BETTER = "better = np.cumsum(ranked, axis=-1) - ranked"
KEPT = "kept &= np.take_along_axis(better < top_p, rank, axis=-1)"
DRAW = "(cumulative / total <= uniform).sum(axis=-1)"

MUTANTS = mutants("sampling", {
    "the smallest logit": ("check_greedy", "np.argmax(as_float", "np.argmin(as_float"),
    "the last of equals": ("check_greedy", 'np.argmax(as_float("logits", logits), axis=-1)', 'np.shape(logits)[-1] - 1 - np.argmax(as_float("logits", logits)[..., ::-1], axis=-1)'),
    "multiplied by the temperature": ("check_temperature", "working_dtype(scores)) / temperature", "working_dtype(scores)) * temperature"),
    "temperature ignored": ("check_temperature", "working_dtype(scores)) / temperature", "working_dtype(scores))"),
    "the k worst": ("check_top_k", ORDER, ORDER.replace("-scaled", "scaled")),
    "one too many": ("check_top_k", "rank < top_k", "rank <= top_k"),
    "everything that equals the k-th": ("check_top_k_of_equals", "kept &= rank < top_k", "kept &= scaled >= np.sort(scaled, axis=-1)[..., ::-1][..., min(top_k, scaled.shape[-1]) - 1, None]"),
    "order for rank": ("check_top_k", "rank < top_k", "order < top_k"),
    "without the token that crosses p": ("check_top_p", BETTER, "better = np.cumsum(ranked, axis=-1)"),
    "one more where p is just reached": ("check_top_p", "better < top_p", "better <= top_p"),
    "p not sorted": ("check_top_p", KEPT, "kept &= better < top_p"),
    "order for rank in top_p": ("check_top_p", KEPT, KEPT.replace("rank, axis", "order, axis")),
    "each token above 1 - p": ("check_top_p", KEPT, "kept &= np.take_along_axis(ranked, rank, axis=-1) > 1 - top_p"),
    "top_p before the temperature": ("check_order", "softmax(np.where(kept, scaled, -np.inf)), order", "softmax(np.where(kept, scores, -np.inf)), order"),
    "top_p of all tokens": ("check_order", "softmax(np.where(kept, scaled, -np.inf)), order", "softmax(scaled), order"),
    "top_p after a cap on the sum over rows": ("check_rows_are_apart", BETTER, "better = (np.cumsum(ranked) - ranked.ravel()).reshape(ranked.shape)"),
    "not normalised again": ("check_top_k", "SamplingTrace(scaled, kept, softmax(np.where(kept, scaled, -np.inf)))", "SamplingTrace(scaled, kept, np.where(kept, softmax(scaled), 0))"),
    "hidden tokens kept": ("check_hidden_tokens", "kept = ~np.isneginf(scaled)", "kept = np.ones(scaled.shape, bool); scaled = np.maximum(scaled, -1)"),
    "the most likely, always": ("check_draw_follows_the_probabilities", DRAW, "array.argmax(axis=-1)"),
    "all tokens alike": ("check_draw_follows_the_probabilities", DRAW, "(uniform[..., 0] * array.shape[-1]).astype(int)"),
    "a token of probability 0 at the start": ("check_draw_at_the_ends", DRAW, DRAW.replace("<=", "<")),
    "beyond the end": ("check_draw_at_the_ends", DRAW, DRAW.replace(" / total", "")),
    "one draw for all rows": ("check_each_row_has_its_own_draw", "rng.random(array.shape[:-1])[..., None]", "np.broadcast_to(rng.random(array.shape[1:-1]), array.shape[:-1])[..., None]"),
    "a generator of its own": ("check_seeded", "uniform = rng.random(", "uniform = np.random.default_rng(0).random("),
})  # fmt: skip

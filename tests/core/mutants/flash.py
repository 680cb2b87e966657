"""Wrong tiled attentions: the check that rejects each, what stands in flash.py, what stands there instead."""

import runpy
from pathlib import Path

source_mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))
mutate, mutants = source_mutants["mutate"], source_mutants["mutants"]

RESCALE = "rescale = np.exp(before.row_max - finite_shift(row_max))"
MAXIMUM = "row_max = np.maximum(before.row_max, row_maximum(scores))"
DIAGONAL = "diagonal = first_query + queries[0] - tile.keys[0]"
DIVIDE = "running.output / divisor(running.row_sum)"
SCALE = "scale = 1 / math.sqrt(d_k) if scale is None else scale"
DTYPES = "np.result_type(q, k, v), working_dtype(q, k, v)"


def masking_wrongly(old, new):
    """flash.py as it is, with another mask_in_place."""
    flash = mutate("flash", "import math\n", "import math\n")
    flash.mask_in_place = mutate("attn_mask", old, new).mask_in_place
    return flash, "check_masks"


MUTANTS = mutants("flash", {
    "output not rescaled": ("check_rising_scores", "before.output * rescale", "before.output"),
    "sum not rescaled": ("check_rising_scores", "before.row_sum * rescale", "before.row_sum"),
    "rescaled by the root": ("check_loops", RESCALE, RESCALE + " ** 0.5"),
    "rescaled the wrong way round": (
        "check_rising_scores", RESCALE,
        "rescale = np.exp(np.minimum(finite_shift(row_max) - before.row_max, 9))",
    ),
    "rescaled by the new tile's maximum": (
        "check_falling_scores", RESCALE, "rescale = np.exp(before.row_max - row_maximum(scores))",
    ),
    "maximum of the last tile alone": ("check_trace", MAXIMUM, "row_max = row_maximum(scores)"),
    "running maximum not remembered": (
        "check_loops", "RunningSoftmax(row_max, row_sum,", "RunningSoftmax(0 * row_max, row_sum,",
    ),
    "running maximum never moves after the first tile": (
        "check_trace", MAXIMUM,
        MAXIMUM + "; row_max = np.where(np.isfinite(before.row_max), before.row_max, row_max)",
    ),
    "no maximum at all": ("check_large_scores", MAXIMUM, "row_max = np.zeros_like(before.row_max)"),
    "sum of the last tile alone": ("check_loops", "before.row_sum * rescale + ", ""),
    "output of the last tile alone": ("check_loops", "before.output * rescale + ", ""),
    "divided in every tile": (
        "check_loops", "+ matmul(exponentials, value)", "+ matmul(exponentials, value) / divisor(row_sum)",
    ),
    "never divided": ("check_loops", DIVIDE, "running.output"),
    "divided by zero": ("check_nothing_visible", DIVIDE, "running.output / running.row_sum"),
    "state carried to the next queries": (
        "check_trace", "running = nothing_seen(",
        "running = running._replace(output=0 * running.output) if 'running' in dir() "
        "and running.output.shape == work.output[..., rows, :].shape else nothing_seen(",
    ),
    "last key left out": ("check_plain", "min(k_start + tile_k, S_k)", "min(k_start + tile_k, S_k - 1)"),
    "no causal mask in cut tiles": ("check_causal", 'if tile.visible == "part":', "if False:"),
    "causal mask as though each tile stood at the corner": ("check_causal", DIAGONAL, "diagonal = 0"),
    "strict causal mask": ("check_causal", DIAGONAL, DIAGONAL + " - 1"),
    "one key ahead": ("check_later_keys_do_not_matter", DIAGONAL, DIAGONAL + " + 1"),
    "alignment ignored": ("check_causal", DIAGONAL, "diagonal = queries[0] - tile.keys[0]"),
    "too much skipped": (
        "check_causal", "if k_start > first_query + q_end - 1", "if k_end - 1 > first_query + q_start",
    ),
    "nothing skipped": (
        "check_hidden_tiles_are_skipped", '"none" if k_start > first_query + q_end - 1 else "part"', '"part"',
    ),
    "mask of the first tile for all": (
        "check_masks", "work.mask[..., rows, keys]", "work.mask[..., : scores.shape[-2], : scores.shape[-1]]",
    ),
    "scale ignored": ("check_scale", SCALE, "scale = 1 / math.sqrt(d_k)"),
    "no scale": ("check_loops", SCALE, "scale = 1.0"),
    "worked in float16": ("check_float16", DTYPES, "np.result_type(q, k, v), np.result_type(q, k, v)"),
    "float32 out for float16": ("check_float16", DTYPES, "working_dtype(q, k, v), working_dtype(q, k, v)"),
    "scaling its input": (
        "check_inputs_untouched", "q = q.astype(work) * work.type(scale)", "q *= scale",
    ),
    "trace written over": ("check_trace", "out=None if keep else scores", "out=scores"),
}) | {
    "mask inverted": masking_wrongly("hidden = ~mask", "hidden = mask"),
    "float mask as bool": masking_wrongly("scores += bias", "pass"),
}  # fmt: skip

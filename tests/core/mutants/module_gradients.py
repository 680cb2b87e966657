"""Wrong gradients: the check that rejects each, what stands in module_gradients.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

D_VALUE = "d_value = trace.weights.swapaxes(-1, -2) @ gradient"
CAP = "d_scores = d_scores * (1 - np.square(trace.capped / soft_cap))"
GATE = "down.x * trace.up * SLOPES[activation](trace.gate)"

MUTANTS = mutants("module_gradients", {
    "softmax without its Jacobian": ("check_attention", "d_masked = softmax_backward(d_weights, trace.weights)", "d_masked = d_weights"),
    "softmax on the scores": ("check_attention", "softmax_backward(d_weights, trace.weights)", "softmax_backward(d_weights, trace.exponentials)"),
    "scale forgotten": ("check_attention", "d_scores = d_masked * scale", "d_scores = d_masked"),
    "scale divided out": ("check_attention", "d_scores = d_masked * scale", "d_scores = d_masked / scale"),
    "given scale ignored": ("check_attention_options", "scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale", "scale = 1 / math.sqrt(query.shape[-1])"),
    "cap forgotten": ("check_attention_options", CAP, "pass"),
    "cap of the scaled scores": ("check_attention_options", CAP, CAP.replace("trace.capped", "trace.scaled")),
    "cap not divided": ("check_attention_options", CAP, CAP.replace(" / soft_cap", "")),
    "weights by the value untransposed": ("check_attention", D_VALUE, "d_value = trace.exponentials.swapaxes(-1, -2) @ gradient"),
    "query and key exchanged": ("check_rotated", "heads.query, heads.key\n", "heads.query, heads.key + 0 * heads.key\n    d_key = d_key[..., ::-1, :]\n"),
    "hidden keys get the mean": ("check_attention_masks", "d_scores = d_masked * scale", "d_scores = (d_masked + (trace.weights == 0)) * scale"),
    "groups by tile": ("check_grouped", "*gradient.shape[:-3], n_kv_heads, n_heads // n_kv_heads, S, d)\n    total: FloatArray = grouped.sum(axis=-3)", "*gradient.shape[:-3], n_heads // n_kv_heads, n_kv_heads, S, d)\n    total: FloatArray = grouped.sum(axis=-4)"),
    "mean of the group": ("check_grouped", "grouped.sum(axis=-3)", "grouped.mean(axis=-3)"),
    "first of the group": ("check_grouped", "grouped.sum(axis=-3)", "grouped[..., 0, :, :]"),
    "mean over what was broadcast": ("check_broadcast", "gradient.sum(axis=spread, keepdims=True)", "gradient.mean(axis=spread, keepdims=True)"),
    "bias after the scale": ("check_float_mask", "sum_to(d_value, value.shape), d_masked", "sum_to(d_value, value.shape), d_scores"),
    "heads merged without transposing": ("check_multi_head", "linear_backward(merge_heads(d_query), x, params.W_Q)", "linear_backward(d_query.reshape(*x.shape[:-1], -1), x, params.W_Q)"),
    "W_O from the heads' mean": ("check_multi_head", "linear_backward(gradient, trace.concat, params.W_O)", "linear_backward(gradient, trace.concat * 0 + trace.concat.mean(), params.W_O)"),
    "value forgotten in the context": ("check_multi_head", "MultiHeadGradients(query.x, key.x + value.x, d_params)", "MultiHeadGradients(query.x, key.x, d_params)"),
    "value bias by one sequence": ("check_multi_head", "None if params.b_V is None else value.b", "None if params.b_V is None else value.b / len(x)"),
    "turned on, not back": ("check_rotated", "rotate_back(d_query), rotate_back(d_key)", "d_query, d_key"),
    "query alone turned back": ("check_rotated", "rotate_back(d_query), rotate_back(d_key)", "rotate_back(d_query), d_key"),
    "scale not passed on": ("check_multi_head_options", "scale=scale, soft_cap=soft_cap, enable_gqa=True", "soft_cap=soft_cap, enable_gqa=True"),
    "cap not passed on": ("check_multi_head_options", "scale=scale, soft_cap=soft_cap, enable_gqa=True", "scale=scale, enable_gqa=True"),
    "slope at the activated value": ("check_feed_forward", "SLOPES[activation](trace.hidden)", "SLOPES[activation](trace.activated)"),
    "always ReLU": ("check_feed_forward", "second.x * SLOPES[activation]", "second.x * SLOPES['relu']"),
    "W_2 from the hidden value": ("check_feed_forward", "linear_backward(gradient, trace.activated, params.W_2)", "linear_backward(gradient, trace.hidden, params.W_2)"),
    "no slope": ("check_feed_forward", "second.x * SLOPES[activation](trace.hidden)", "second.x"),
    "gate without its slope": ("check_gated", GATE, "down.x * trace.up"),
    "gate without the other branch": ("check_gated", GATE, "down.x * SLOPES[activation](trace.gate)"),
    "up branch by the raw gate": ("check_gated", "down.x * trace.activated", "down.x * trace.gate"),
    "one branch alone": ("check_gated", "gate.x + up.x", "gate.x"),
    "W_down from the up branch": ("check_gated", "linear_backward(gradient, trace.gated, params.W_down)", "linear_backward(gradient, trace.up, params.W_down)"),
})  # fmt: skip

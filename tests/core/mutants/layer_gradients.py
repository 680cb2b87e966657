"""Wrong gradients: the check that rejects each, what stands in layer_gradients.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

SUM = "return d_added + d_branch, d_norm, d_module"
PRE = "d_branch, d_norm = norm_backward(d_inner, trace.norm, norm_params)"
POST = "d_added, d_norm = norm_backward(gradient, trace.norm, norm_params)"

MUTANTS = mutants("layer_gradients", {
    "no residual": ("check_modules_that_give_nothing_pass_the_gradient", SUM, "return d_branch, d_norm, d_module"),
    "no branch": ("check_pre_norm", SUM, "return d_added, d_norm, d_module"),
    "pre-norm and post-norm exchanged": ("check_pre_norm", "if config.norm_first:", "if not config.norm_first:"),
    "pre-norm's norm left out": ("check_pre_norm", PRE, "d_branch, d_norm = d_inner, norm_backward(d_inner, trace.norm, norm_params)[1]"),
    "post-norm's norm left out": ("check_post_norm", POST, "d_added, d_norm = gradient, norm_backward(gradient, trace.norm, norm_params)[1]"),
    "post-norm's residual from behind the norm": ("check_post_norm", POST, POST + "; d_added = (d_added + gradient) / 2"),
    "query alone in self-attention": ("check_pre_norm", "gradients.x + gradients.context, gradients.params", "gradients.x, gradients.params"),
    "keys and values alone": ("check_pre_norm", "gradients.x + gradients.context, gradients.params", "gradients.context, gradients.params"),
    "rotation not undone": ("check_rope", 'rotate_back=rotate_back if config.positions == "rope" else None', "rotate_back=None"),
    "rotated further": ("check_rope", "rope(heads, -np.arange", "rope(heads, np.arange"),
    "rotated back by another base": ("check_rope", "-np.arange(heads.shape[-2]), base=config.rope_base)", "-np.arange(heads.shape[-2]))"),
    "memory's gradient for the stream's": ("check_cross_attention", "return gradients.x, (gradients.context, gradients.params)", "return gradients.x + gradients.context.sum(axis=-2, keepdims=True), (gradients.context, gradients.params)"),
    "cross-attention's norm forgotten": ("check_cross_attention", "            cross_norm,\n            config", "            params.attention_norm,\n            config"),
    "cross-attention skipped": ("check_cross_attention", "        d_stream, d_cross_norm, crossed = ", "        _, d_cross_norm, crossed = "),
    "feed-forward's gradient for attention": ("check_pre_norm", "    d_stream, d_attention_norm, d_attention = sub_layer_backward(\n        d_stream,", "    d_stream, d_attention_norm, d_attention = sub_layer_backward(\n        gradient,"),
    "dropout forgotten": ("check_dropout", "gradient if trace.dropout is None else apply_dropout(gradient, trace.dropout)", "gradient"),
    "dropped, not grown": ("check_dropout", "apply_dropout(gradient, trace.dropout)", "gradient * (trace.dropout > 0)"),
    "always ReLU": ("check_tanh", "ACTIVATION_OF[config.feed_forward], sub.module", '"relu", sub.module'),
    "layer norm for RMS norm": ("check_rms_and_gated", "by_rms.x, NormParams(by_rms.gamma, None)", "by_rms.x - by_rms.x.mean(axis=-1, keepdims=True), NormParams(by_rms.gamma, None)"),
    "norms exchanged": ("check_pre_norm", "LayerParams(d_attention, d_attention_norm, d_feed_forward, d_ff_norm,", "LayerParams(d_attention, d_ff_norm, d_feed_forward, d_attention_norm,"),
})  # fmt: skip

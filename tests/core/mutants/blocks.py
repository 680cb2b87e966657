"""Wrong layers: the check that rejects each, what stands in blocks.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

PRE = """        norm = norm_module(before, norm_params, config)
        module_input = norm.output
"""
ADD = "return stream + branch, None"
POST = "norm = norm_module(added, norm_params, config)"

MUTANTS = mutants("blocks", {
    "pre-norm and post-norm exchanged": ("check_pre_norm", "if config.norm_first:", "if not config.norm_first:"),
    "always pre-norm": ("check_post_norm", "if config.norm_first:", "if True:"),
    "always post-norm": ("check_pre_norm", "if config.norm_first:", "if False:"),
    "no residual": ("check_modules_that_give_nothing_leave_the_stream", ADD, "return branch + 0 * stream, None"),
    "residual twice": ("check_modules_that_give_nothing_leave_the_stream", ADD, "return 2 * stream + branch, None"),
    "residual of the normalised stream": ("check_pre_norm", "added, factors = _add(before, module.output, dropout)\n        return", "added, factors = _add(norm.output, module.output, dropout)\n        return"),
    "residual averaged": ("check_pre_norm", ADD, "return (stream + branch) / 2, None"),
    "pre-norm without the norm": ("check_pre_norm", "module_input = norm.output", "module_input = before"),
    "post-norm of the branch alone": ("check_post_norm", POST, "norm = norm_module(module.output, norm_params, config)"),
    "both norms": ("check_pre_norm", "return SubLayerTrace(before, module_input, module, factors, added, norm, added)", "return SubLayerTrace(before, module_input, module, factors, added, norm, norm_module(added, norm_params, config).output)"),
    "one norm for both sub-layers": ("check_pre_norm", "params.feed_forward_norm,", "params.attention_norm,"),
    "cross-attention with attention's norm": ("check_cross_attention", "            params.cross_attention_norm,\n", "            params.attention_norm,\n"),
    "cross-attention with attention's parameters": ("check_cross_attention", "cross_params = params.cross_attention\n", "cross_params = params.attention\n"),
    "cross-attention left out": ("check_cross_attention", "stream = cross.after", "pass"),
    "feed-forward beside attention": ("check_pre_norm", "stream, cross = attention.after, None", "stream, cross = stream, None"),
    "decoder not causal": ("check_causal", "        is_causal=True,\n        memory=memory,", "        is_causal=False,\n        memory=memory,"),
    "mask not passed on": ("check_batch", "            attn_mask=attn_mask,\n            first_position", "            attn_mask=None,\n            first_position"),
    "memory mask not passed on": ("check_cross_attention", "config, memory_mask=memory_mask, keep=keep", "config, memory_mask=None, keep=keep"),
    "position not passed on": ("check_cache", "first_position=first_position,", "first_position=0,"),
    "cache not passed on": ("check_cache", "            cache=cache,\n", "            cache=None,\n"),
    "dropout on the stream": ("check_dropout", "stream + apply_dropout(branch, factors)", "apply_dropout(stream + branch, factors)"),
    "dropout not applied": ("check_dropout", "stream + apply_dropout(branch, factors)", "stream + branch"),
    "one mask for the whole batch": ("check_dropout", "dropout_factors(dropout.rng, branch.shape, dropout.rate)", "dropout_factors(np.random.default_rng(1), branch.shape, dropout.rate)"),
    "stream written over": ("check_inputs_untouched", ADD, "stream += branch\n        return stream, None"),
    "trace without the stream": ("check_trace", "return SubLayerTrace(before, before, module,", "return SubLayerTrace(added, before, module,"),
})  # fmt: skip

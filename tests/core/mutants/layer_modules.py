"""Wrong modules: the check that rejects each, what stands in layer_modules.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

ROPE = "query, key = (rope(heads, positions, base=config.rope_base) for heads in (query, key))"
POSITIONS = "positions = first_position + np.arange(S)"
EXTEND = "key, value = extend_cache(cache, key, value)"

MUTANTS = mutants("layer_modules", {
    "always layer norm": ("check_norms", 'if config.norm == "layer":', "if True:"),
    "eps of its own": ("check_norms", "rms_norm_trace(x, params.gamma, eps=config.eps)", "rms_norm_trace(x, params.gamma)"),
    "beta forgotten": ("check_norms", "layer_norm_trace(x, params.gamma, params.beta, eps", "layer_norm_trace(x, params.gamma, eps"),
    "swiglu by gelu": ("check_feed_forward", '"swiglu": "silu"', '"swiglu": "gelu"'),
    "geglu by silu": ("check_feed_forward", '"geglu": "gelu"', '"geglu": "silu"'),
    "exact gelu for tanh": ("check_feed_forward", '"gelu-tanh": "gelu-tanh"', '"gelu-tanh": "gelu"'),
    "values turned too": ("check_rope", ROPE, ROPE + "; value = rope(value, positions, base=config.rope_base)"),
    "query alone turned": ("check_rope", ROPE, "query = rope(query, positions, base=config.rope_base)"),
    "base of its own": ("check_rope", ", base=config.rope_base", ""),
    "every position turned": ("check_rope", 'if config.positions == "rope":', "if True:"),
    "positions from 0": ("check_cache", POSITIONS, "positions = np.arange(S)"),
    "positions one late": ("check_rope", POSITIONS, "positions = first_position + 1 + np.arange(S)"),
    "turned again with the cache": ("check_cache", EXTEND, EXTEND + "; key = key if config.positions != 'rope' else rope(key, base=config.rope_base)"),
    "new tokens before the old": ("check_cache", EXTEND, "new = KVCache(key, value); key, value = extend_cache(new, *cache)"),
    "cache of keys alone": ("check_cache", EXTEND, "key, _ = extend_cache(cache, key, value); value = np.concatenate([value[..., :1, :]] * (key.shape[-2] - S) + [value], axis=-2)"),
    "window ignored": ("check_window", "if config.window is not None:", "if False:"),
    "window one too wide": ("check_window", "window=config.window, is_causal", "window=config.window + 1, is_causal"),
    "window always causal": ("check_window", "window=config.window, is_causal=is_causal,", "window=config.window, is_causal=True,"),
    "window from the top left": ("check_cache", 'is_causal=is_causal, alignment="bottom-right"\n        )\n        mask = ', 'is_causal=is_causal, alignment="top-left"\n        )\n        mask = '),
    "window in place of the mask": ("check_window_and_mask", "mask = combine_masks(attn_mask, near)", "mask = near"),
    "causal from the top left, plain": ("check_cache_plain", 'heads = scaled_dot_product_attention(\n            query, key, value, attn_mask, is_causal=is_causal, alignment="bottom-right"', 'heads = scaled_dot_product_attention(\n            query, key, value, attn_mask, is_causal=is_causal, alignment="top-left"'),
    "causal from the top left, traced": ("check_cache", 'attention = attention_trace(\n            query, key, value, attn_mask, is_causal=is_causal, alignment="bottom-right"', 'attention = attention_trace(\n            query, key, value, attn_mask, is_causal=is_causal, alignment="top-left"'),
    "causal forgotten": ("check_self_attention", "attn_mask=mask, is_causal=is_causal, keep=keep", "attn_mask=mask, is_causal=False, keep=keep"),
    "cross-attention causal": ("check_cross_attention", "attn_mask=memory_mask, is_causal=False", "attn_mask=memory_mask, is_causal=True"),
    "memory mask ignored": ("check_cross_attention", "attn_mask=memory_mask, is", "attn_mask=None, is"),
    "memory's queries": ("check_cross_attention", "project_heads(x, memory, params", "project_heads(memory[..., : x.shape[-2], :], memory, params"),
    "bias of the query forgotten": ("check_cross_attention", 'linear(x, params.W_Q, params.b_Q, name="W_Q", bias_name="b_Q")', 'linear(x, params.W_Q, name="W_Q")'),
    "always traced": ("check_plain_and_traced", "    if keep:\n", "    if True:\n"),
    "never traced": ("check_plain_and_traced", "    if keep:\n", "    if False:\n"),
    "bias of W_O forgotten": ("check_output_bias", 'linear(concat, params.W_O, params.b_O, name="W_O", bias_name="b_O")', 'linear(concat, params.W_O, name="W_O")'),
})  # fmt: skip

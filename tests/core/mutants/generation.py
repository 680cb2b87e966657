"""Wrong generation: the check that rejects each, what stands in generation.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

FED = "fed = ids if not use_cache or not steps else ids[..., -1:]"
APPEND = "ids = np.concatenate([ids, chosen[..., None]], axis=-1)"
AFTER = "cache._replace(layers=layers, seen=cache.seen + fed.shape[-1])"

MUTANTS = mutants("generation", {
    "logits of the first position": ("check_greedy", "last = logits[..., -1, :]", "last = logits[..., 0, :]"),
    "logits of the position before": ("check_greedy", "last = logits[..., -1, :]", "last = logits[..., -2, :] if logits.shape[-2] > 1 else logits[..., -1, :]"),
    "position always 0": ("check_greedy", "embed(token_ids, params, config, first_position=cache.seen)", "embed(token_ids, params, config)"),
    "position of the layers always 0": ("check_logits_with_and_without_cache", "        first_position=cache.seen,\n        caches", "        first_position=0,\n        caches"),
    "cache not updated": ("check_logits_with_and_without_cache", AFTER, "cache._replace(seen=cache.seen + fed.shape[-1])"),
    "tokens not counted": ("check_logits_with_and_without_cache", AFTER, "cache._replace(layers=layers)"),
    "counted one too many": ("check_logits_with_and_without_cache", AFTER, "cache._replace(layers=layers, seen=cache.seen + fed.shape[-1] + 1)"),
    "first layer's cache for all": ("check_logits_with_and_without_cache", AFTER, "cache._replace(layers=(layers[0],) * len(layers), seen=cache.seen + fed.shape[-1])"),
    "everything fed again into the cache": ("check_logits_with_and_without_cache", FED, "fed = ids"),
    "newest token alone, without a cache": ("check_greedy", FED, "fed = ids if not steps else ids[..., -1:]"),
    "not causal": ("check_greedy", "is_causal=True,", "is_causal=False,"),
    "memory of the first layer for all": ("check_encoder_decoder", "memory_heads(source.output, params.decoder, config)", "memory_heads(source.output, (params.decoder[0],) * 2, config)"),
    "memory mask forgotten": ("check_encoder_decoder", "memory_mask=cache.memory_mask,", "memory_mask=None,"),
    "encoder not masked": ("check_encoder_decoder", "encode(source_ids, params, config, source_mask=source_mask, keep=False)", "encode(source_ids, params, config, keep=False)"),
    "always greedy": ("check_sampled", "chosen = sample_token(probabilities, rng)", "chosen = greedy_token(last)"),
    "temperature not passed on": ("check_sampled", "sampling_probabilities(last, temperature=temperature, top_k=top_k, top_p=top_p)", "sampling_probabilities(last, top_k=top_k, top_p=top_p)"),
    "top_k not passed on": ("check_sampled", "sampling_probabilities(last, temperature=temperature, top_k=top_k, top_p=top_p)", "sampling_probabilities(last, temperature=temperature, top_p=top_p)"),
    "put in front": ("check_steps_make_the_text", APPEND, "ids = np.concatenate([chosen[..., None], ids], axis=-1)"),
    "last token written over": ("check_steps_make_the_text", APPEND, "ids = np.concatenate([ids[..., :-1], chosen[..., None], chosen[..., None]], axis=-1)"),
    "work of one sequence": ("check_work", "sum(fed.size for _", "sum(fed.shape[-1] for _"),
    "work of the key heads": ("check_work", "config.n_heads * fed.size", "config.kv_heads * fed.size"),
    "window not trimmed": ("check_window_bounds_the_cache", "trim_cache(layer, config.window)", "layer"),
    "goes on after the stop": ("check_stop", "chosen = np.where(finished, stop_id, chosen)", "pass"),
    "stops when the first is done": ("check_stop", "if stop_id is not None and finished.all():", "if stop_id is not None and finished.any():"),
    "never ends early": ("check_stop", "            break\n", "            pass\n"),
    "forgets who has finished": ("check_stop", "finished |= chosen == stop_id", "finished = np.zeros_like(finished)"),
    "cache of the call before": ("check_old_cache_stays", "    fed = embedding.token_ids\n", "    fed = embedding.token_ids\n    for layer in cache.layers:\n        layer.key[...] = 0\n"),
})  # fmt: skip

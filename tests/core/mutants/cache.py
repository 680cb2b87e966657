"""Wrong caches: the check that rejects each, what stands in cache.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

KEY, VALUE = "np.concatenate([cache.key, key], axis=-2)", "np.concatenate([cache.value, value], axis=-2)"

MUTANTS = mutants("cache", {
    "new keys in front": ("check_appended_behind", KEY, "np.concatenate([key, cache.key], axis=-2)"),
    "new values in front": ("check_appended_behind", VALUE, "np.concatenate([value, cache.value], axis=-2)"),
    "last key written over": ("check_appended_behind", KEY, "np.concatenate([cache.key[..., : cache.key.shape[-2] - 1, :], key, key[..., :1, :]], axis=-2)[..., : cache.key.shape[-2] + S_new, :]"),
    "first key dropped each time": ("check_appended_behind", KEY, "np.concatenate([cache.key, key], axis=-2)[..., 1:, :]"),
    "new tokens forgotten": ("check_appended_behind", KEY, "cache.key"),
    "appended to the width": ("check_appended_behind", VALUE, "np.concatenate([cache.value, np.zeros_like(value)], axis=-2)"),
    "keeps the oldest": ("check_trimmed_to_the_newest", "cache.key[..., -window:, :].copy(), cache.value[..., -window:, :]", "cache.key[..., :window, :].copy(), cache.value[..., :window, :]"),
    "keeps the oldest values": ("check_trimmed_to_the_newest", "cache.value[..., -window:, :]", "cache.value[..., :window, :]"),
    "one token too many": ("check_trimmed_to_the_newest", "cache.key[..., -window:, :]", "cache.key[..., -window - 1 :, :]"),
    "never forgets": ("check_trimmed_to_the_newest", "if window is None or cache.key.shape[-2] <= window:", "if True:"),
    "a view of the whole": ("check_forgotten_memory_is_free", "cache.key[..., -window:, :].copy()", "cache.key[..., -window:, :]"),
    "written in place": ("check_old_cache_stays", KEY, "(cache.key.__setitem__(..., 9), np.concatenate([cache.key, key], axis=-2))[1]"),
    "counts the heads": ("check_counts", "return cache.key.shape[-2]", "return cache.key.shape[-3]"),
    "always float64": ("check_dtype", "np.zeros((*leading, n_kv_heads, 0, d_k), dtype)", "np.zeros((*leading, n_kv_heads, 0, d_k))"),
})  # fmt: skip

"""Wrong formulas: the check that rejects each, what stands in memory_cost.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

KEPT = "kept = n_tokens if window is None else min(n_tokens, window)"

MUTANTS = mutants("memory_cost", {
    "four bytes for two": ("check_weights", "def weight_bytes(config: ModelConfig, bytes_per_number: int = 2)", "def weight_bytes(config: ModelConfig, bytes_per_number: int = 4)"),
    "keys alone": ("check_kv_by_hand", "(d_k + (d_k if d_v is None else d_v))", "d_k"),
    "values as wide as keys": ("check_kv_by_hand", "(d_k if d_v is None else d_v)", "d_k"),
    "one layer": ("check_kv_by_hand", "return n_layers * n_kv_heads *", "return n_kv_heads *"),
    "query heads": ("check_kv_by_hand", "config.n_layers, config.kv_heads, config.head_width)", "config.n_layers, config.n_heads, config.head_width)"),
    "batch left out": ("check_filled_caches", "numbers_per_token * kept * batch * bytes", "numbers_per_token * kept * bytes"),
    "window ignored": ("check_window", KEPT, "kept = n_tokens"),
    "window always full": ("check_window", KEPT, "kept = n_tokens if window is None else window"),
    "latent for keys and for values": ("check_latent", "(d_latent + d_rope)", "(2 * d_latent + d_rope)"),
    "shared key forgotten": ("check_latent", "(d_latent + d_rope)", "d_latent"),
    "equal counts as more": ("check_outgrow", "memory // per_token + 1", "-(-memory // per_token)"),
    "outgrows with any window": ("check_outgrow", "return n_tokens if window is None or n_tokens <= window else None", "return n_tokens"),
    "weights left out": ("check_activations_by_hand", "weights=config.n_heads * S", "weights=0"),
    "keys as many as queries": ("check_activations_by_hand", "heads=2 * query + 2 * kv", "heads=4 * query"),
    "gate kept once": ("check_activations_by_hand", "(4 if config.is_gated else 2)", "2"),
    "final norm forgotten": ("check_all_activations", "per_token += config.d_model + 1\n", "pass\n"),
    "probabilities forgotten": ("check_all_activations", "per_token += config.d_model + config.vocab_size", "per_token += config.d_model"),
    "one sequence": ("check_all_activations", "per_token * batch * S", "per_token * S"),
    "scores never read again": ("check_plain_traffic", "+ scores + (scores + S_k * d_v)", "+ (scores + S_k * d_v)"),
    "weights never written": ("check_plain_traffic", "Traffic(read, scores + scores + S_q * d_v)", "Traffic(read, scores + S_q * d_v)"),
    "hidden tiles are read": ("check_tiled_traffic", 'if tile.visible != "none"', "if True"),
    "queries read for every tile": ("check_tiled_traffic", "in {tile.queries for tile in visited}", "in [tile.queries for tile in visited]"),
    "values not read": ("check_tiled_traffic", "keys * (d_k + d_v)", "keys * d_k"),
    "scores written": ("check_tiled_traffic", ", rows * d_v)", ", rows * d_v + keys)"),
})  # fmt: skip

"""Wrong ends of a model: the check that rejects each, what stands in embedding.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

WAVES = "sinusoidal_positions(first_position + S, config.d_model)[first_position:]"

MUTANTS = mutants("embedding", {
    "row beside the token's": ("check_rows", "tokens = params.token_embedding[ids]", "tokens = params.token_embedding[ids - 1]"),
    "not scaled": ("check_scale", "if config.scale_embedding:", "if False:"),
    "always scaled": ("check_rows", "if config.scale_embedding:", "if True:"),
    "scaled by the width": ("check_scale", "tokens * math.sqrt(config.d_model)", "tokens * config.d_model"),
    "divided by the root": ("check_scale", "tokens * math.sqrt(config.d_model)", "tokens / math.sqrt(config.d_model)"),
    "positions scaled too": ("check_sinusoidal_positions", "added = added + positions", "added = added + positions * math.sqrt(config.d_model)"),
    "learned positions from 0": ("check_learned_positions", "first_position + np.arange(S)", "np.arange(S)"),
    "waves from 0": ("check_sinusoidal_positions", WAVES, "sinusoidal_positions(S, config.d_model)"),
    "waves one late": ("check_sinusoidal_positions", WAVES, "sinusoidal_positions(first_position + S + 1, config.d_model)[first_position + 1:]"),
    "waves for RoPE as well": ("check_nothing_added_for_rope", 'elif config.positions == "sinusoidal":', "else:"),
    "segment 1 unless given": ("check_segments", "np.zeros_like(ids) if", "np.ones_like(ids) if"),
    "segments ignored": ("check_segments", "if segment_ids is None else segment_ids", "if True else segment_ids"),
    "norm forgotten": ("check_norm", "output, factors = added if norm is None else norm.output, None", "output, factors = added, None"),
    "segments after the norm": ("check_norm", "        added = added + segments\n    norm = None if params.embedding_norm is None else norm_module(added, params.embedding_norm, config)", "        pass\n    norm = None if params.embedding_norm is None else norm_module(added, params.embedding_norm, config)"),
    "dropout not applied": ("check_dropout", "output = apply_dropout(output, factors)", "pass"),
    "always tied": ("check_logits", "if params.W_logits is None else params.W_logits", ""),
    "written into the table": ("check_table_untouched", "tokens = params.token_embedding[ids]  # (..., S, d_model)", "tokens = params.token_embedding[ids[0] : ids[0] + 1] if ids.ndim == 1 else params.token_embedding[ids]\n    tokens *= 2"),
})  # fmt: skip

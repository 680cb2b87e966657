"""Wrong formulas: the check that rejects each, what stands in cost.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

NORMS = "2 * layers + reads_encoder + config.n_stacks * config.final_norm + config.embedding_norm"
WEIGHTS = "weights = d * query + 2 * d * kv + query * d"

MUTANTS = mutants("cost", {
    "query heads for key heads": ("check_published", WEIGHTS, "weights = 4 * d * query"),
    "value matrix left out": ("check_published", WEIGHTS, "weights = d * query + d * kv + query * d"),
    "output matrix left out": ("check_published", WEIGHTS, "weights = d * query + 2 * d * kv"),
    "query bias alone": ("check_published", "config.qkv_bias * (query + 2 * kv)", "config.qkv_bias * query"),
    "output bias of no model": ("check_published", " + config.output_bias * d", ""),
    "two matrices where three are": ("check_published", "return 3 * d * d_ff", "return 2 * d * d_ff"),
    "no feed-forward biases": ("check_published", " + config.feed_forward_bias * (d_ff + d)", ""),
    "final norm forgotten": ("check_published", NORMS, NORMS.replace(" + config.n_stacks * config.final_norm", "")),
    "embedding norm forgotten": ("check_bert_by_hand", NORMS, NORMS.replace(" + config.embedding_norm", "")),
    "third norm forgotten": ("check_encoder_decoder", NORMS, NORMS.replace(" + reads_encoder", "")),
    "beta for RMS norm": ("check_published", '(2 if config.norm == "layer" else 1)', "2"),
    "tied matrix counted": ("check_published", 'if config.head == "untied"', 'if config.head != "none"'),
    "untied matrix forgotten": ("check_published", 'config.vocab_size * d if config.head == "untied" else 0', "0"),
    "pooler without bias": ("check_bert_by_hand", "(d * d + d)", "(d * d)"),
    "segments forgotten": ("check_bert_by_hand", "config.n_segments * d", "0"),
    "one stack for two": ("check_encoder_decoder", "layers = config.n_stacks * L", "layers = L"),
    "cross-attention in both stacks": ("check_encoder_decoder", "reads_encoder = L if", "reads_encoder = 2 * L if"),
    "multiply and add as one": (
        "check_flops_by_hand", "logits=0 if config.head == \"none\" else 2 * d", "logits=0 if config.head == \"none\" else d",
    ),
    "values left out of attention": ("check_flops_by_hand", "seen * (width + width)", "seen * width"),
    "projections as for MHA": (
        "check_flops_by_hand", "(2 * config.n_heads + 2 * config.kv_heads)", "4 * config.n_heads",
    ),
    "gate left out": ("check_flops_by_hand", "(3 if config.is_gated else 2)", "2"),
    "window ignored": ("check_flops_window", "if config.window is None else min(context, config.window)", ""),
    "backward as dear as forward": ("check_flops_by_hand", "3 * self.forward", "2 * self.forward"),
    "rule of eight": ("check_rule", "return 12 * config.n_stacks", "return 8 * config.n_stacks"),
})  # fmt: skip

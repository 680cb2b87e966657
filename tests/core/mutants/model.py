"""Wrong models: the check that rejects each, what stands in model.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

NORM = "stream if norm is None else norm.output)"

MUTANTS = mutants("model", {
    "final norm missing": ("check_decoder", NORM, "stream)"),
    "the first layer's norm for the final one": ("check_decoder", "norm_module(stream, final_norm, config)", "norm_module(stream, layers[0].attention_norm, config)"),
    "layers in reverse": ("check_decoder", "enumerate(layers)", "enumerate(layers[::-1])"),
    "first layer again and again": ("check_decoder", "            stream,\n            layer,\n", "            stream,\n            layers[0],\n"),
    "last layer left out": ("check_decoder", "enumerate(layers)", "enumerate(layers[:-1])"),
    "layers side by side": ("check_decoder", "            stream,\n            layer,\n", "            x,\n            layer,\n"),
    "decoder not causal": ("check_decoder", "is_causal=decodes,", "is_causal=False,"),
    "encoder causal": ("check_encoder", "is_causal=decodes,", "is_causal=True,"),
    "encoder's norm for the decoder": ("check_encoder_decoder", "params.decoder_norm if decodes else params.encoder_norm,", "params.encoder_norm if params.encoder_norm is not None else params.decoder_norm,"),
    "memory without the encoder's norm": ("check_encoder_decoder", "memory=None if source is None else source.output,", "memory=None if source is None else source.layers[-1].output if source.layers else source.output,"),
    "memory is the source's embedding": ("check_encoder_decoder", "memory=None if source is None else source.output,", "memory=None if source is None else source_embedding.output,"),
    "source mask not for the encoder": ("check_encoder_decoder", "attn_mask=source_mask,", "attn_mask=None,"),
    "source mask not for the decoder": ("check_encoder_decoder", "memory_mask=source_mask,", "memory_mask=None,"),
    "target mask ignored": ("check_padding_does_not_matter", "        attn_mask=attn_mask,\n        memory=None", "        attn_mask=None,\n        memory=None"),
    "segments not passed on": ("check_encoder", "segment_ids=segment_ids, dropout=dropout)", "dropout=dropout)"),
    "pooled from the last token": ("check_encoder", "hidden[..., 0, :]", "hidden[..., -1, :]"),
    "pooled without tanh": ("check_encoder", "pooled = np.tanh(linear(hidden[..., 0, :], params.pooler.W, params.pooler.b))", "pooled = linear(hidden[..., 0, :], params.pooler.W, params.pooler.b)"),
    "logits of the embedding": ("check_decoder", "logits_of(hidden, params)", "logits_of(embedding.output, params)"),
    "no dropout in the encoder": ("check_dropout", "        attn_mask=source_mask,\n        dropout=dropout,", "        attn_mask=source_mask,\n        dropout=None,"),
    "no dropout in the embedding": ("check_dropout", "embed(source_ids, params, config, dropout=dropout)", "embed(source_ids, params, config)"),
    "always keeps the layers": ("check_trace", "        if keep:\n", "        if True:\n"),
})  # fmt: skip

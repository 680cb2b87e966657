"""Wrong gradients: the check that rejects each, what stands in model_gradients.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

REVERSED = "zip(reversed(trace.layers), reversed(layers), strict=True)"

MUTANTS = mutants("model_gradients", {
    "the logits' use of the table forgotten": ("check_tied", "d_table = d_table + by_logits.W.T", "pass"),
    "the embedding's use of the table forgotten": ("check_tied", "token_embedding=d_table + embedding.token", "token_embedding=d_table"),
    "the logits pass nothing on": ("check_decoder", "d_hidden = d_hidden + by_logits.x", "pass"),
    "final norm forgotten": ("check_decoder", "d_stream, d_norm = norm_backward(gradient, trace.norm, final_norm)", "d_norm = norm_backward(gradient, trace.norm, final_norm)[1]"),
    "layers forwards": ("check_decoder", REVERSED, "zip(trace.layers, layers, strict=True)"),
    "gradients of the layers in reverse": ("check_decoder", "tuple(reversed(d_layers))", "tuple(d_layers)"),
    "memory from one layer alone": ("check_encoder_decoder", "d_memory = d_read if d_memory is None else d_memory + d_read", "d_memory = d_read"),
    "source's use of the table forgotten": ("check_encoder_decoder", "embedding = map_arrays(np.add, embedding, of_source)", "pass"),
    "target's use of the table forgotten": ("check_encoder_decoder", "embedding = map_arrays(np.add, embedding, of_source)", "embedding = of_source"),
    "scale of the embedding forgotten": ("check_encoder_decoder", "d_added * math.sqrt(config.d_model) if config.scale_embedding else d_added", "d_added"),
    "encoder's norm for the decoder's": ("check_encoder_decoder", "decoder_norm=stack.norm if decodes else None", "decoder_norm=(encoder.norm if encoder is not None else stack.norm) if decodes else None"),
    "positions by one sequence": ("check_tied", "d_added.reshape(-1, S, config.d_model).sum(axis=0)", "d_added.reshape(-1, S, config.d_model)[0]"),
    "positions at the end of the table": ("check_tied", "d_position[:S] = ", "d_position[-S:] = "),
    "segments all 0": ("check_encoder", "embedding_backward(d_added, trace.segment_ids, config.n_segments)", "embedding_backward(d_added, 0 * trace.segment_ids, config.n_segments)"),
    "norm of the embedding forgotten": ("check_encoder", "        d_added, d_norm = norm_backward(d_added,", "        _, d_norm = norm_backward(d_added,"),
    "dropout of the embedding forgotten": ("check_dropout", "gradient if trace.dropout is None else apply_dropout(gradient, trace.dropout)", "gradient"),
    "smoothing forgotten backwards": ("check_loss_options", "cross_entropy_backward(surprise, labels, label_smoothing=label_smoothing)", "cross_entropy_backward(surprise, labels)"),
    "pooler on every token": ("check_pooled_and_hidden", "d_hidden[..., 0, :] += d_first", "d_hidden += d_first[..., None, :]"),
    "pooler without the slope of tanh": ("check_pooled_and_hidden", "gradient * (1 - np.square(trace.pooled))", "gradient"),
    "pooler passes nothing on": ("check_pooled_and_hidden", "d_hidden[..., 0, :] += d_first", "pass"),
    "hidden gradient left out": ("check_pooled_and_hidden", "np.zeros_like(trace.hidden) if hidden is None else hidden", "np.zeros_like(trace.hidden)"),
    "None for an untied matrix": ("check_what_is_not_asked_for_is_zero", "d_W_logits = np.zeros_like(params.W_logits)", "d_W_logits = np.ones_like(params.W_logits)"),
    "written into the hidden gradient": ("check_inputs_untouched", "d_hidden = d_hidden + by_logits.x", "d_hidden += by_logits.x"),
})  # fmt: skip

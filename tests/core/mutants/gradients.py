"""Wrong gradients: the check that rejects each, what stands in gradients.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

LINEAR = "LinearGradients(gradient @ np.asarray(W).T, tokens.T @ gradients, gradients.sum(axis=0))"
LAYER = "dx = trace.inverse_std * (dn - dn.mean(axis=-1, keepdims=True) - n * along)"
RMS = "trace.inverse_rms * (dn - n * along)"

MUTANTS = mutants("gradients", {
    "mean over the tokens for W": ("check_linear", LINEAR, LINEAR.replace("tokens.T @ gradients", "tokens.T @ gradients / len(tokens)")),
    "mean over the tokens for b": ("check_linear", LINEAR, LINEAR.replace("gradients.sum(", "gradients.mean(")),
    "last sequence alone": ("check_linear", "tokens, gradients = x.reshape(-1, x.shape[-1]), gradient.reshape(-1, gradient.shape[-1])", "tokens, gradients = x[-1], gradient[-1]"),
    "softmax without the row term": ("check_softmax", "weights * (gradient - row_term)", "weights * gradient"),
    "softmax by p (1 - p)": ("check_softmax", "weights * (gradient - row_term)", "weights * (1 - weights) * gradient"),
    "softmax row term over all rows": ("check_softmax", "row_term = (gradient * weights).sum(axis=-1, keepdims=True)", "row_term = (gradient * weights).sum()"),
    "softmax row term not weighted": ("check_softmax", "row_term = (gradient * weights).sum(", "row_term = gradient.mean("),
    "softmax normalised again": ("check_softmax_of_nothing", "return by_score", "return by_score + gradient * (weights.sum(axis=-1, keepdims=True) == 0)"),
    "relu lets negatives through": ("check_slopes", "(x > 0)", "(x != 0)"),
    "silu as though the gate were fixed": ("check_slopes", "s + _bounded(x) * s * (1 - s)", "s"),
    "silu without its gate": ("check_slopes", "s + _bounded(x) * s * (1 - s)", "_bounded(x) * s * (1 - s)"),
    "gelu without the density": ("check_slopes", "erf(bounded / math.sqrt(2))) + bounded * density", "erf(bounded / math.sqrt(2)))"),
    "gelu density of another width": ("check_slopes", "np.exp(-(bounded**2) / 2)", "np.exp(-(bounded**2))"),
    "gelu-tanh without the inner slope": ("check_slopes", "(1 - tanh**2) * inner_slope", "(1 - tanh**2)"),
    "gelu-tanh cube not differentiated": ("check_slopes", "(1 + 3 * 0.044715 * bounded**2)", "(1 + 0.044715 * bounded**2)"),
    "far out not bounded": ("check_slopes_far_out", "np.clip(x.astype(working_dtype(x)), -100, 100)", "x.astype(working_dtype(x))"),
    "layer norm without either mean": ("check_layer_norm", LAYER, "dx = trace.inverse_std * dn"),
    "layer norm without the mean": ("check_layer_norm", LAYER, "dx = trace.inverse_std * (dn - n * along)"),
    "layer norm without the part along": ("check_layer_norm", LAYER, "dx = trace.inverse_std * (dn - dn.mean(axis=-1, keepdims=True))"),
    "layer norm without the deviation": ("check_layer_norm", LAYER, LAYER.replace("trace.inverse_std * ", "")),
    "layer norm by the variance": ("check_layer_norm", LAYER, LAYER.replace("inverse_std", "inverse_std ** 2")),
    "layer norm gamma after the means": ("check_layer_norm", "n, dn = trace.normalized, gradient * np.asarray(gamma)\n    along = (dn * n).mean(axis=-1, keepdims=True)\n    dx", "n, dn = trace.normalized, gradient\n    along = (dn * n).mean(axis=-1, keepdims=True)\n    dx"),
    "gamma's gradient from the input": ("check_layer_norm", "NormGradients(dx, _over_tokens(gradient * n)", "NormGradients(dx, _over_tokens(gradient * trace.centered)"),
    "beta's gradient with gamma": ("check_layer_norm", "_over_tokens(gradient * n), _over_tokens(gradient))", "_over_tokens(gradient * n), _over_tokens(dn))"),
    "RMS norm with a mean": ("check_rms_norm", RMS, "trace.inverse_rms * (dn - dn.mean(axis=-1, keepdims=True) - n * along)"),
    "RMS norm without the part along": ("check_rms_norm", RMS, "trace.inverse_rms * dn"),
    "RMS norm along by sum": ("check_rms_norm", RMS, "trace.inverse_rms * (dn - n * along * n.shape[-1])"),
    "a repeated token counted once": ("check_embedding", "np.add.at(table, token_ids, gradient)", "table[token_ids] += gradient"),
    "the last place of a token alone": ("check_embedding", "np.add.at(table, token_ids, gradient)", "table[token_ids] = gradient"),
    "mean over the tokens for gamma": ("check_layer_norm", "values.reshape(-1, values.shape[-1]).sum(axis=0)", "values.reshape(-1, values.shape[-1]).mean(axis=0)"),
    "float64 for float32": ("check_float32_stays", "table = np.zeros((rows, gradient.shape[-1]), gradient.dtype)", "table = np.zeros((rows, gradient.shape[-1]))"),
    "written into the gradient": ("check_inputs_untouched", "by_score: FloatArray = weights * (gradient - row_term)", "gradient -= row_term; by_score = weights * gradient"),
})  # fmt: skip

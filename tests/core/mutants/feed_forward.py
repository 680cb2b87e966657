"""Wrong feed-forward layers, each with the check that rejects it."""

import numpy as np


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x / (1 + np.exp(-x))


def no_activation(x, p):
    return (x @ p.W_1 + p.b_1) @ p.W_2 + p.b_2


def activation_first(x, p):
    return (relu(x) @ p.W_1 + p.b_1) @ p.W_2 + p.b_2


def activation_at_the_end(x, p):
    return relu(relu(x @ p.W_1 + p.b_1) @ p.W_2 + p.b_2)


def bias_after_the_activation(x, p):
    return (relu(x @ p.W_1) + p.b_1) @ p.W_2 + p.b_2


def no_second_bias(x, p):
    return relu(x @ p.W_1 + p.b_1) @ p.W_2


def no_bias(x, p):
    return relu(x @ p.W_1) @ p.W_2


def absolute_for_relu(x, p):
    return np.abs(x @ p.W_1 + p.b_1) @ p.W_2 + p.b_2


def with_a_residual(x, p):
    return x + relu(x @ p.W_1 + p.b_1) @ p.W_2 + p.b_2


def mixing_tokens(x, p):
    hidden = relu(x @ p.W_1 + p.b_1)
    return (hidden + 1e-6 * hidden.mean(axis=-2, keepdims=True)) @ p.W_2 + p.b_2


def gate_and_up_exchanged(x, p):
    return (x @ p.W_gate * silu(x @ p.W_up)) @ p.W_down


def sum_for_product(x, p):
    return (silu(x @ p.W_gate) + x @ p.W_up) @ p.W_down


def sigmoid_gate(x, p):
    """The first gated layer (GLU), not SwiGLU."""
    return (x @ p.W_up / (1 + np.exp(-(x @ p.W_gate)))) @ p.W_down


def no_gate(x, p):
    return silu(x @ p.W_up) @ p.W_down


def activation_of_the_product(x, p):
    return silu((x @ p.W_gate) * (x @ p.W_up)) @ p.W_down


MUTANTS = {
    "no activation": (no_activation, "check_plain_exact"),
    "activation first": (activation_first, "check_plain_loops"),
    "activation at the end": (activation_at_the_end, "check_plain_loops"),
    "bias after the activation": (bias_after_the_activation, "check_plain_exact"),
    "no second bias": (no_second_bias, "check_plain_exact"),
    "no bias": (no_bias, "check_plain_exact"),
    "absolute value for ReLU": (absolute_for_relu, "check_plain_exact"),
    "with a residual": (with_a_residual, "check_plain_exact"),
    "mixing tokens": (mixing_tokens, "check_no_token_sees_another"),
    "gate and up exchanged": (gate_and_up_exchanged, "check_gated_loops"),
    "sum for product": (sum_for_product, "check_gated_exact"),
    "sigmoid gate": (sigmoid_gate, "check_gated_exact"),
    "no gate": (no_gate, "check_gated_exact"),
    "activation of the product": (activation_of_the_product, "check_gated_exact"),
}

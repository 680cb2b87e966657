"""Wrong converters, each with the check that rejects it."""

import numpy as np

from transformer_core import from_convention, to_convention


def swapped(function, one, other):
    """The converter with one convention taken for another."""
    return lambda mask, convention, **more: function(mask, other if convention == one else convention, **more)


def threshold(mask, convention):
    return np.array(mask) > -np.inf if convention == "additive" else from_convention(mask, convention)


def not_broadcast(mask, convention):
    return np.array(mask) == 1 if convention == "hugging-face" else from_convention(mask, convention)


def minus_a_billion(mask, convention, *, dtype=np.float32):
    if not convention.startswith("additive"):
        return to_convention(mask, convention)
    return np.where(mask, 0, np.float64(-1e9)).astype("f4")


def always_float32(mask, convention, *, dtype=np.float32):
    return to_convention(mask, convention)


def multiplied(mask, convention, *, dtype=np.float32):
    if convention != "additive":
        return to_convention(mask, convention, dtype=dtype)
    return (1 - np.array(mask, dtype)) * -np.inf  # 0 * -inf is NaN


MUTANTS = {
    "MHA taken for SDPA": (swapped(from_convention, "torch-mha", "torch-sdpa"), "check_from_each"),
    "SDPA taken for MHA": (swapped(from_convention, "torch-sdpa", "torch-mha"), "check_from_each"),
    "only -inf is hidden": (threshold, "check_from_every_kind_of_hidden"),
    "(B, S_k) left as it is": (not_broadcast, "check_from_each"),
    "to MHA as to SDPA": (swapped(to_convention, "torch-mha", "torch-sdpa"), "check_to_each"),
    "lowest number for -inf": (swapped(to_convention, "additive", "additive-min"), "check_to_each"),
    "-inf for the lowest number": (swapped(to_convention, "additive-min", "additive"), "check_to_dtype"),
    "-1e9 under any dtype": (minus_a_billion, "check_to_dtype"),
    "always float32": (always_float32, "check_to_dtype"),
    "by multiplying": (multiplied, "check_to_each"),
}

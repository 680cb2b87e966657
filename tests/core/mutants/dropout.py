"""Wrong dropouts: the check that rejects each, what stands in dropout.py, what stands there instead."""

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

KEPT = "kept = rng.random(shape) >= rate"
FACTORS = "return kept / (1 - rate)"
APPLY = "np.where(factors == 0, 0, array * np.where(factors == 0, 1, factors))"

MUTANTS = mutants("dropout", {
    "not inverted": ("check_two_values", FACTORS, "return kept.astype(float)"),
    "grown by the rate": ("check_two_values", FACTORS, "return kept / rate"),
    "grown too little": ("check_share_and_mean", FACTORS, "return kept * (1 + rate)"),
    "keeps what it should drop": ("check_share_and_mean", KEPT, "kept = rng.random(shape) < rate"),
    "drops whole rows": (
        "check_entries_drop_apart", KEPT,
        "kept = np.broadcast_to(rng.random((*shape[:-1], 1)), shape) >= rate",
    ),
    "normal numbers for uniform ones": (
        "check_share_and_mean", KEPT, "kept = rng.standard_normal(shape) >= rate",
    ),
    "a generator of its own": (
        "check_generator_decides", KEPT, "kept = np.random.default_rng(0).random(shape) >= rate",
    ),
    "multiplied, not selected": ("check_apply", APPLY, "(array * factors)"),
    "always float64": ("check_dtype", APPLY + ".astype(array.dtype)", APPLY),
    "writes into its input": ("check_input_untouched", "array = as_float(\"x\", x)\n    # select", (
        "array = as_float(\"x\", x)\n    array *= factors\n    # select"
    )),
})  # fmt: skip

"""transformer_core's speed and memory as ratios in one run, and beside PyTorch where it is installed.

1. Attention against what it cannot do without: its two matrix products and one exp over the scores.
2. Tiled attention against the plain form at S = 8192: time, and peak memory as tracemalloc sees it.
3. Both against PyTorch's CPU kernel, which `make verify` installs.

The variants take turns, so that another process on the machine slows them alike, and run in one thread unless
told otherwise, as they do in the browser; small products in two threads on a busy machine wait for each other
more than they compute. Medians are printed, and the quickest runs beside them.

    python benchmarks/core.py [--rounds 9] [--threads 1]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

THREADS = sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv[:-1] else "1"
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = THREADS

import numpy as np  # noqa: E402  (numpy reads the number of threads when it is imported)

from transformer_core import flash_attention, scaled_dot_product_attention  # noqa: E402

Variants = dict[str, Callable[[], object]]


def draw(*shape: int) -> list[np.ndarray]:
    """Query, key and value; the scores' deviation is 1 even before they are scaled."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape, dtype=np.float32) / np.float32(shape[-1] ** 0.25) for _ in range(3)]


def taking_turns(variants: Variants, rounds: int) -> dict[str, list[float]]:
    """Seconds of every run; the first round warms up and does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(rounds + 1):
        for name, run in variants.items():
            start = time.perf_counter()
            run()
            if number:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def peak_bytes(run: Callable[[], object]) -> int:
    """What a run allocates at most on top of what is there."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def report(seconds: dict[str, list[float]], base: str) -> None:
    for name, runs in seconds.items():
        ratio = statistics.median(runs) / statistics.median(seconds[base])
        quickest = min(runs) / min(seconds[base])
        print(
            f"  {name:44} median {1e3 * statistics.median(runs):8.1f} ms   "
            f"{ratio:5.2f} x   (quickest {1e3 * min(runs):8.1f} ms, {quickest:5.2f} x)"
        )


def torch_attention(query: np.ndarray, key: np.ndarray, value: np.ndarray, *, is_causal: bool) -> Variants:
    """PyTorch's CPU kernel on the same numbers; nothing where PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        return {}
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attend

    torch.set_num_threads(int(THREADS))
    arrays = [torch.from_numpy(array) for array in (query, key, value)]

    def run() -> object:
        with torch.no_grad():
            return attend(*arrays, is_causal=is_causal)

    return {"PyTorch": run}


def against_its_products(rounds: int) -> None:
    """B = 1, H = 8, S = 1024, d_k = 64, float32. The aim: 1.6 times at most."""
    query, key, value = draw(1, 8, 1024, 64)

    def products() -> object:
        scores = query @ key.swapaxes(-1, -2)
        return np.exp(scores, out=scores) @ value

    for is_causal in (False, True):
        print(f"attention, B=1 H=8 S=1024 d_k=64 float32, {'causal' if is_causal else 'no mask'}")
        report(
            taking_turns(
                {
                    "two products and one exp": products,
                    "scaled_dot_product_attention": lambda c=is_causal: scaled_dot_product_attention(
                        query, key, value, is_causal=c
                    ),
                    "flash_attention": lambda c=is_causal: flash_attention(query, key, value, is_causal=c),
                }
                | torch_attention(query, key, value, is_causal=is_causal),
                rounds,
            ),
            base="two products and one exp",
        )


def tiled_against_plain(rounds: int) -> None:
    """B = 1, H = 1, S = 8192, d_k = 64, float32. The aim: 1.5 times the time, 1/20 of the memory at most."""
    query, key, value = draw(1, 1, 8192, 64)
    for is_causal in (False, True):
        print(f"tiled attention, B=1 H=1 S=8192 d_k=64 float32, {'causal' if is_causal else 'no mask'}")
        ours: Variants = {
            "scaled_dot_product_attention": lambda c=is_causal: scaled_dot_product_attention(
                query, key, value, is_causal=c
            ),
            "flash_attention": lambda c=is_causal: flash_attention(query, key, value, is_causal=c),
        }
        report(
            taking_turns(ours | torch_attention(query, key, value, is_causal=is_causal), rounds),
            base="scaled_dot_product_attention",
        )
        plain, tiled = (peak_bytes(run) for run in ours.values())
        print(
            f"  peak memory: plain {plain / 2**20:.1f} MiB, tiled {tiled / 2**20:.1f} MiB, "
            f"1/{plain / tiled:.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    rounds = parser.parse_args().rounds
    print(f"numpy {np.__version__}, {rounds} rounds, threads: {THREADS}")
    against_its_products(rounds)
    tiled_against_plain(rounds)
    if importlib.util.find_spec("torch") is None:
        print("PyTorch is not installed; `make verify` installs it, and this run then has it beside")


if __name__ == "__main__":
    main()

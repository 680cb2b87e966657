"""The learning rate as a function of the step: a warm-up first, then a decay.

Steps count from 1, the first update. A step may be an array: a whole curve is one call.
"""

import math

import numpy as np
import numpy.typing as npt

from transformer_core.arrays import FloatArray
from transformer_core.errors import check_positive


def noam(step: npt.ArrayLike, d_model: int, warmup_steps: int, factor: float = 1.0) -> FloatArray:
    """factor * d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5): a line up, then one over a root.

    The two meet at step = warmup_steps. (Vaswani et al., 2017, equation 3.) Raises ValueError for a step
    below 1.

    >>> noam([2000, 4000, 16000], d_model=512, warmup_steps=4000).round(6)
    array([0.000349, 0.000699, 0.000349])
    """
    steps = _steps(step)
    check_positive(d_model=d_model, warmup_steps=warmup_steps)
    rate: FloatArray = factor * d_model**-0.5 * np.minimum(steps**-0.5, steps * warmup_steps**-1.5)
    return rate


def noam_peak(d_model: int, warmup_steps: int, factor: float = 1.0) -> float:
    """The largest rate, at step = warmup_steps: factor / sqrt(d_model * warmup_steps).

    >>> round(noam_peak(512, 4000), 7)
    0.0006988
    """
    check_positive(d_model=d_model, warmup_steps=warmup_steps)
    return factor / math.sqrt(d_model * warmup_steps)


def warmup_cosine(
    step: npt.ArrayLike, peak: float, warmup_steps: int, total_steps: int, floor: float = 0.0
) -> FloatArray:
    """A line from 0 up to `peak` at warmup_steps, half a cosine down to `floor` at total_steps, then flat.

    warmup_steps may be 0. Raises ValueError for a step below 1 and for a warm-up longer than the whole.

    >>> warmup_cosine([5, 10, 60, 110, 999], peak=1.0, warmup_steps=10, total_steps=110, floor=0.1).round(4)
    array([0.5 , 1.  , 0.55, 0.1 , 0.1 ])
    """
    steps = _steps(step)
    if not 0 <= warmup_steps < total_steps:
        raise ValueError(
            f"warmup_steps must lie in 0..total_steps-1, got warmup_steps={warmup_steps}, "
            f"total_steps={total_steps}"
        )
    progress = np.clip((steps - warmup_steps) / (total_steps - warmup_steps), 0, 1)
    decay = floor + (peak - floor) * (1 + np.cos(np.pi * progress)) / 2
    return np.where(steps < warmup_steps, peak * steps / max(warmup_steps, 1), decay)


def _steps(step: npt.ArrayLike) -> FloatArray:
    steps = np.asarray(step, dtype=np.float64)
    if not np.all(steps >= 1):
        raise ValueError(f"step must be 1 or more (the first update is step 1), got {steps.min()}")
    return steps

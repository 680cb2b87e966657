"""Wrong schedules: the check that rejects each, what stands in schedules.py, what stands there instead."""

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

NOAM = "factor * d_model**-0.5 * np.minimum(steps**-0.5, steps * warmup_steps**-1.5)"
PROGRESS = "np.clip((steps - warmup_steps) / (total_steps - warmup_steps), 0, 1)"
DECAY = "floor + (peak - floor) * (1 + np.cos(np.pi * progress)) / 2"

MUTANTS = mutants("schedules", {
    "maximum for minimum": ("check_noam_exact", NOAM, NOAM.replace("minimum", "maximum")),
    "width not rooted": ("check_noam_exact", NOAM, NOAM.replace("d_model**-0.5", "d_model**-1.0")),
    "width left out": ("check_noam_exact", NOAM, NOAM.replace("d_model**-0.5 * ", "")),
    "warm-up of power -1": ("check_noam_exact", NOAM, NOAM.replace("-1.5", "-1.0")),
    "decay of power -1": ("check_noam_exact", NOAM, NOAM.replace("steps**-0.5", "steps**-1.0")),
    "steps counted from 0": (
        "check_noam_rises_then_falls", NOAM, NOAM.replace("steps * w", "(steps - 1) * w"),
    ),
    "factor left out": ("check_noam_factor", NOAM, NOAM.replace("factor * ", "")),
    "peak without the warm-up": (
        "check_noam_rises_then_falls", "math.sqrt(d_model * warmup_steps)", "math.sqrt(d_model)",
    ),
    "whole cosine": ("check_cosine_exact", "np.pi * progress", "2 * np.pi * progress"),
    "progress from the first step": ("check_cosine_exact", PROGRESS, "np.clip(steps / total_steps, 0, 1)"),
    "cosine goes on after the end": (
        "check_cosine_exact", PROGRESS, PROGRESS.replace(", 0, 1)", ", 0, 2)"),
    ),
    "floor forgotten": ("check_cosine_exact", DECAY, DECAY.replace("floor + (peak - floor)", "peak")),
    "floor on top": ("check_cosine_exact", DECAY, DECAY.replace("(peak - floor)", "peak")),
    "straight decay": ("check_cosine_exact", DECAY, "floor + (peak - floor) * (1 - progress)"),
    "warm-up starts one late": ("check_cosine_exact", "peak * steps / max", "peak * (steps - 1) / max"),
    "no warm-up": ("check_cosine_exact", "steps < warmup_steps, peak", "steps < 0, peak"),
    "warm-up of one step at least": (
        "check_cosine_without_warmup", PROGRESS,
        "np.clip((steps - max(warmup_steps, 1)) / (total_steps - max(warmup_steps, 1)), 0, 1)",
    ),
})  # fmt: skip

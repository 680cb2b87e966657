"""Learning-rate schedules: their corners, their formulas, what lies between."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import noam, noam_peak, schedules, warmup_cosine

# --- what only right schedules do; `code` is the module


def check_noam_exact(code):
    """d_model = 4, 16 steps of warm-up: 1/2 * min(1/sqrt(step), step/64)."""
    rates = code.noam([1, 4, 16, 64, 256], d_model=4, warmup_steps=16)
    assert rates.tolist() == [1 / 128, 1 / 32, 1 / 8, 1 / 16, 1 / 32]


def check_noam_rises_then_falls(code):
    rates = code.noam(np.arange(1, 101), d_model=64, warmup_steps=20)
    assert np.argmax(rates) == 19
    assert (np.diff(rates[:20]) > 0).all()
    assert (np.diff(rates[19:]) < 0).all()
    assert rates.max() == pytest.approx(code.noam_peak(64, 20), rel=1e-14)


def check_noam_factor(code):
    assert code.noam(3, 64, 20, factor=2.5) == pytest.approx(2.5 * code.noam(3, 64, 20), rel=1e-15)
    assert code.noam_peak(64, 20, factor=2.5) == pytest.approx(2.5 * code.noam_peak(64, 20), rel=1e-15)


def check_cosine_exact(code):
    """Up to 8 in 4 steps, then from 8 down to 2 in 12: a quarter of the way the cosine is cos(45 degrees)."""
    rates = code.warmup_cosine([1, 2, 4, 7, 10, 13, 16, 17, 100], 8.0, 4, 16, floor=2.0)
    root = math.sqrt(0.5)
    assert rates == pytest.approx([2, 4, 8, 5 + 3 * root, 5, 5 - 3 * root, 2, 2, 2], rel=1e-14)


def check_cosine_without_warmup(code):
    rates = code.warmup_cosine([1, 5, 10], 1.0, 0, 10)
    assert rates == pytest.approx([(1 + math.cos(math.pi * part)) / 2 for part in (0.1, 0.5, 1)], abs=1e-15)


def test_schedule(check, run_check):
    run_check(check, schedules)


def test_wrong_schedule_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


@given(d_model=st.integers(1, 4096), warmup=st.integers(1, 9000), step=st.integers(1, 10**6))
def test_noam_by_its_two_halves(d_model, warmup, step):
    rising, falling = step / math.sqrt(d_model * warmup**3), 1 / math.sqrt(d_model * step)
    expected = rising if step < warmup else falling
    assert noam(step, d_model, warmup) == pytest.approx(expected, rel=1e-12)
    assert noam(step, d_model, warmup) <= noam_peak(d_model, warmup) * (1 + 1e-12)


@given(warmup=st.integers(0, 50), more=st.integers(1, 50), floor=st.floats(0, 0.9))
def test_cosine_is_a_hill_between_floor_and_peak(warmup, more, floor):
    rates = warmup_cosine(np.arange(1, warmup + more + 9), 1.0, warmup, warmup + more, floor=floor)
    top = max(warmup, 1) - 1
    assert (np.diff(rates[: top + 1]) > 0).all()
    assert (np.diff(rates[top:]) <= 0).all()
    assert rates.max() <= 1
    assert rates[-1] == pytest.approx(floor, abs=1e-15)
    assert rates[warmup:].min() >= floor - 1e-15


def test_one_step_alone_gives_one_number():
    assert noam(1, 512, 4000).shape == ()
    assert warmup_cosine(1, 1.0, 0, 10).shape == ()
    assert warmup_cosine(np.ones((2, 3), int), 1.0, 0, 10).shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: noam(0, 512, 4000), "step must be 1 or more (the first update is step 1), got 0.0"),
        (lambda: noam([3, -2], 512, 4000), "step must be 1 or more (the first update is step 1), got -2.0"),
        (lambda: noam(1, 0, 4000), "d_model must be positive, got 0"),
        (lambda: noam_peak(512, 0), "warmup_steps must be positive, got 0"),
        (lambda: warmup_cosine(1, 1.0, 10, 10),
         "warmup_steps must lie in 0..total_steps-1, got warmup_steps=10, total_steps=10"),
        (lambda: warmup_cosine(1, 1.0, -1, 10),
         "warmup_steps must lie in 0..total_steps-1, got warmup_steps=-1, total_steps=10"),
        (lambda: warmup_cosine(0, 1.0, 1, 10),
         "step must be 1 or more (the first update is step 1), got 0.0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message

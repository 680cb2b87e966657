"""The demo of the learning rate: both curves against their formulas, Adam's step against its own."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos import lr_schedule
from demos.kit import fmt, frame, grouped, load, percent, scientific

NAME = "lr-schedule"
CORNERS = [
    {},
    {"d_model": "8192", "warmup": "16000", "total": "20000", "peak": "0.3"},
    {"d_model": "64", "warmup": "250", "total": "200000", "peak": "20", "step": "1"},
    {"step": "200000", "gradient": "1e-09"},
    {"step": "4000", "peak": "10"},
    {"step": "51000", "gradient": "1000"},
]


def values(state):
    full = load(NAME).complete(state)
    return {name: float(value) for name, value in full.items()}


def noam(v, t):
    return 1 / math.sqrt(v["d_model"]) * min(1 / math.sqrt(t), t / v["warmup"] ** 1.5)


def cosine(v, t):
    peak = v["peak"] / 10_000
    if t < v["warmup"]:
        return peak * t / v["warmup"]
    progress = min(1, (t - v["warmup"]) / (v["total"] - v["warmup"]))
    return 0.1 * peak + 0.9 * peak * (1 + math.cos(math.pi * progress)) / 2


def check(state, shown, tables):
    v, found = values(state), tables(shown.html)
    rows = {row[0]: row[1:] for row in found["Both curves at some steps"][1:]}
    tops = 1 / math.sqrt(v["d_model"] * v["warmup"]), v["peak"] / 10_000
    marked = {1, v["warmup"], 4 * v["warmup"], v["total"], v["step"]}
    assert {grouped(int(t)) for t in marked} <= set(rows)
    for shown_step, row in rows.items():
        t = int(shown_step.replace(",", ""))
        for place, (rate, top) in enumerate(zip((noam(v, t), cosine(v, t)), tops, strict=True)):
            assert row[2 * place] == scientific(rate)
            assert row[2 * place + 1] == percent(rate / top, 2 if rate < top / 100 else 1)
    t = int(v["step"])
    assert shown.say.startswith(f"Step {grouped(t)}: Noam gives {scientific(noam(v, t))}, ")
    assert f"the cosine {scientific(cosine(v, t))}, {percent(cosine(v, t) / tops[1])} of its" in shown.say
    lines = re.findall(r"<p>((?:Noam|warm-up \+ cosine): .*?)</p>", shown.html)
    assert [re.search(r"= (\S+)$", line)[1] for line in lines] == [
        scientific(noam(v, t)),
        scientific(cosine(v, t)),
    ]
    moves = v["gradient"] / (v["gradient"] + 1e-8)
    assert f"= {fmt(moves)} → {fmt(moves)} η" in shown.html
    assert f"Adam moves {scientific(moves * noam(v, 1))}" in shown.html


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_numbers_are_those_of_the_formulas(state, sound_frame, tables):
    check(state, sound_frame(NAME, state), tables)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    check(state, sound_frame(NAME, state), tables)


@pytest.mark.parametrize("state", CORNERS, ids=str)
def test_the_curves_are_drawn_to_scale(state):
    """Each point lies where its step and its rate belong; the axis ends a little above the higher peak."""
    v, html = values(state), frame(NAME, state, "en").html
    high = 1.06 * max(1 / math.sqrt(v["d_model"] * v["warmup"]), v["peak"] / 10_000)
    curves = re.findall(r'<polyline class="line \w+" points="([^"]*)"', html)
    assert len(curves) == 2
    for points, rate in zip(curves, (noam, cosine), strict=True):
        for point in points.split():
            x, y = map(float, point.split(","))
            step = (x - 40) / 310 * v["total"]
            drawn = (176 - y) / 164 * high
            slack = abs(rate(v, max(1, step * 1.02 + 20)) - rate(v, max(1, step * 0.98 - 20)))
            assert drawn == pytest.approx(rate(v, max(step, 1)), abs=slack + high / 300)


def test_the_marker_lies_on_the_curve_at_the_step():
    html = frame(NAME, {"step": "51000"}, "en").html
    markers = re.findall(r'class="marker (\w+)" cx="([\d.]+)" cy="([\d.]+)"', html)
    v = values({"step": "51000"})
    high = 1.06 / math.sqrt(512 * 4000)
    assert [kind for kind, *_ in markers] == list(lr_schedule.KINDS)
    for (_, x, y), rate in zip(markers, (noam, cosine), strict=True):
        assert float(x) == pytest.approx(40 + 310 * 0.51, abs=0.01)
        assert (176 - float(y)) / 164 * high == pytest.approx(rate(v, 51_000), rel=0.001)
    assert "marker" not in frame(NAME, {"step": "200000"}).html  # beyond the run


@pytest.mark.parametrize("gradient", lr_schedule.GRADIENTS)
def test_adam_divides_by_the_gradient_itself(gradient):
    assert lr_schedule.adam_moves(gradient) == pytest.approx(gradient / (gradient + 1e-8), rel=1e-12)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"step": "1"}, "still the warm-up"),
        ({"step": "2000", "warmup": "2000"}, "This is the top"),
        ({"step": "8000", "warmup": "2000"}, "to half at step 8,000"),
        ({"step": "100000", "total": "100000"}, "Noam goes on falling"),
    ],
)
def test_the_sentence_fits_the_state(state, said, sound_frame):
    assert said in sound_frame(NAME, state).say


@pytest.mark.parametrize(
    ("gradient", "said"),
    [("1e-06", "less than"), ("1e-08", "less than"), ("0.001", "size cancels"), ("1000", "size cancels")],
)
def test_only_tiny_gradients_go_less_than_a_whole_rate(gradient, said):
    assert (said in frame(NAME, {"gradient": gradient}, "en").html) is True


@pytest.mark.parametrize("top", [0.0003, 0.000699, 0.001, 0.002, 0.0125, 8.7e-5, 0.00039999])
def test_ticks_are_few_and_round(top):
    size = lr_schedule._tick(top)
    assert top / size * (1 + 1e-9) >= 2 and top / size <= 5
    assert float(f"{size:.0e}") == pytest.approx(size, rel=1e-12)


def test_the_curves_of_the_chapter_s_table(sound_frame, tables):
    """Step 16000 is at half of Noam's peak, whatever d_model."""
    for d_model in ("64", "512", "4096"):
        rows = tables(sound_frame(NAME, {"d_model": d_model, "step": "16000"}).html)
        row = next(row for row in rows["Both curves at some steps"] if row[0] == "16,000")
        assert row[2] == "50.0%"
    assert np.isclose(noam(values({}), 4000), 6.99e-4, rtol=1e-3)

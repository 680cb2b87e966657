"""The demo of the norms: its figures against transformer_core called directly, and its sentences."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, short
from transformer_core import batch_norm, batch_norm_train, layer_norm, layer_norm_trace, rms_norm

NORMS = ("layer", "rms", "batch")
EXTREMES = [
    {"x": ",".join(["9"] * 16), "eps": "0"},
    {"x": ",".join(["-9", "9"] * 8), "gamma": "-3,-3,-3,-3", "beta": "3,3,3,3", "cell": "3,3"},
    {"x": ",".join(["0"] * 16), "eps": "0", "cell": "3,0"},
]


def complete(state):
    """A state's arrays: norm, x (2, 2, 4), gamma, beta, eps, cell."""
    demo = load("layernorm")
    full = demo.complete(state)
    value = {name: control.parse(full[name]) for name, control in demo.controls.items()}
    x = np.array(value["x"]).reshape(2, 2, 4)
    return (
        value["norm"],
        x,
        np.array(value["gamma"][0]),
        np.array(value["beta"][0]),
        value["eps"],
        value["cell"],
    )


def normed(norm, x, gamma, beta, eps):
    if norm == "layer":
        return layer_norm(x, gamma, beta, eps=eps)
    if norm == "rms":
        return rms_norm(x, gamma, eps=eps)
    statistics = x.mean(axis=(0, 1)), x.var(axis=(0, 1))
    return batch_norm(x, *statistics, gamma, beta, eps=eps)


def check_tables(found, state):
    norm, x, gamma, beta, eps, (row, column) = complete(state)
    axis = (0, 1) if norm == "batch" else -1
    squared = (x**2).mean(axis=axis) if norm == "rms" else x.var(axis=axis)
    means, squares = x.mean(axis=axis).ravel(), squared.ravel()
    figures = found["The statistics of every group"][1:]
    assert len(figures) == 4
    for shown, mean, square in zip(figures, means, squares, strict=True):
        assert shown[1:3] == [fmt(mean, 4), fmt(square, 4)]
        root = np.sqrt(square + eps)
        assert shown[3] == fmt(1 / root if root else 0, 4)
    unit = normed(norm, x, np.ones(4), np.zeros(4), eps)
    stages = [x, unit, normed(norm, x, gamma, beta, eps)]
    if norm != "rms":
        stages.insert(1, x - x.mean(axis=axis, keepdims=True))
    (rows,) = (rows[1:] for caption, rows in found.items() if caption.startswith("The selected group"))
    of_group = [
        part.reshape(4, 4)[:, column] if norm == "batch" else part.reshape(4, 4)[row] for part in stages
    ]
    assert [shown[1:] for shown in rows] == [
        [fmt(value, 4) for value in values] for values in zip(*of_group, strict=True)
    ]


def check_matrix(found, state, step):
    norm, x, gamma, beta, eps, _ = complete(state)
    centered = x if norm == "rms" else x - x.mean(axis=(0, 1) if norm == "batch" else -1, keepdims=True)
    unit = normed(norm, x, np.ones(4), np.zeros(4), eps)
    stage = (x, centered, unit, normed(norm, x, gamma, beta, eps))[step].reshape(4, 4)
    (rows,) = (rows[1:] for caption, rows in found.items() if caption.startswith("Rows: tokens"))
    assert [row[1:5] for row in rows[:4]] == [[short(value, 2) for value in row] for row in stage]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("state", [{}, *EXTREMES], ids=str)
def test_the_numbers_are_those_of_the_norm(norm, state, sound_frame, tables):
    for step in range(4):
        whole = {"norm": norm, "step": str(step), **state}
        found = tables(sound_frame("layernorm", whole).html)
        check_tables(found, whole)
        check_matrix(found, whole, step)


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state("layernorm"))
    found = tables(sound_frame("layernorm", state).html)
    check_tables(found, state)
    check_matrix(found, state, int(state["step"]))


def working(state):
    """The written-out sums of a frame."""
    return re.findall(r'<div class="working">(.*?)</div>', frame("layernorm", state, "en").html)[0]


@pytest.mark.parametrize(
    ("state", "sum_"),
    [
        ({}, "μ = (1 + 2 + 3 + 4) ÷ 4 = 2.5"),
        ({"step": "1"}, "σ² = ((−1.5)² + (−0.5)² + 0.5² + 1.5²) ÷ 4 = 1.25"),
        ({"step": "2"}, "x̂ = (x − μ) ÷ √(σ² + ε) = (−1.5) ÷ √(1.25 + 1×10⁻⁵) ≈ −1.3416"),
        ({"step": "3", "gamma": "2,1,1,1", "beta": "0.5,0,0,0"}, "= 2×(−1.3416) + 0.5 ≈ −2.1833"),
        ({"norm": "rms", "step": "1"}, "mean(x²) = (1² + 2² + 3² + 4²) ÷ 4 = 7.5"),
        ({"norm": "rms", "step": "3", "gamma": "2,1,1,1"}, "y = γ·x̂ = 2×0.3651 ≈ 0.7303"),
        ({"norm": "batch"}, "μ = (1 + 2 + (−3) + 6) ÷ 4 = 1.5"),
        ({"norm": "batch", "step": "2", "cell": "3,1"}, "= 3 ÷ √(5 + 1×10⁻⁵) ≈ 1.3416"),
    ],
)
def test_the_sum_is_written_out(state, sum_):
    assert sum_ in working(state)


def test_nothing_to_normalise_is_said():
    state = {"x": "5,5,5,5" + ",0" * 12, "eps": "0", "step": "2"}
    assert "0 ÷ 0" in working(state)
    assert "0 ÷ 0" not in working({**state, "eps": "1e-05"})
    assert "All numbers of this group are equal" in frame("layernorm", state, "en").say
    assert "All numbers of this group are equal" not in frame("layernorm", {"step": "2"}, "en").say


def test_the_group_is_a_row_or_a_column():
    def lit(norm):
        html = frame("layernorm", {"norm": norm, "cell": "1,2"}, "en").html
        rows = re.findall(r"<tr>(.*?)</tr>", html[: html.index("</table>")])[1:5]
        return [re.findall(r'<td class="([^"]*)"', row) for row in rows]

    row = [[], ["lit", "lit", "lit selected", "lit"], [], []]
    assert [[c for c in cells if "lit" in c] for cells in lit("layer")] == row
    assert [[c for c in cells if "lit" in c] for cells in lit("rms")] == row
    assert [[c for c in cells if "lit" in c] for cells in lit("batch")] == [
        ["lit"],
        ["lit selected"],
        ["lit"],
        ["lit"],
    ]


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_sentence_says_whether_the_other_sequence_counts(data, any_state):
    state = {**data.draw(any_state("layernorm")), "step": "3"}
    norm, x, gamma, beta, eps, (row, column) = complete(state)
    moved = x.copy()
    moved[1 - row // 2] += 1
    before, after = (
        fmt(normed(norm, batch, gamma, beta, eps).reshape(4, 4)[row, column]) for batch in (x, moved)
    )
    say = frame("layernorm", state, "en").say
    if before == after:
        assert f"is still {before}." in say
    else:
        assert norm == "batch"
        assert f"goes from {before} to {after}:" in say


def test_only_batch_norm_depends_on_the_batch():
    says = {norm: frame("layernorm", {"norm": norm, "step": "3"}, "en").say for norm in NORMS}
    assert "still" in says["layer"]
    assert "still" in says["rms"]
    assert "depends on who else is in the batch" in says["batch"]


@pytest.mark.parametrize("norm", NORMS)
def test_after_normalising_the_sentence_has_the_group_s_own_figures(norm):
    state = {"norm": norm, "step": "2", "eps": "1", "cell": "2,3"}
    _, x, *_ = complete(state)
    unit = normed(norm, x, np.ones(4), np.zeros(4), 1.0).reshape(4, 4)
    trace = layer_norm_trace(unit[:, 3] if norm == "batch" else unit[2])
    say = frame("layernorm", state, "en").say
    assert fmt(trace.mean[0]) in say
    deviation = np.sqrt((unit[2] ** 2).mean()) if norm == "rms" else np.sqrt(trace.variance[0])
    assert deviation < 0.99  # so large an eps leaves it visibly short of 1
    assert fmt(deviation) in say


def test_the_batch_s_own_statistics_are_those_that_training_uses():
    _, x, gamma, beta, eps, _ = complete({"norm": "batch"})
    trained = batch_norm_train(x, np.zeros(4), np.ones(4), gamma, beta, eps=eps).output
    assert normed("batch", x, gamma, beta, eps) == pytest.approx(trained)


@pytest.mark.parametrize("state", [{}, *EXTREMES, {"norm": "batch", "step": "1"}], ids=str)
def test_every_number_is_a_dot_inside_the_axis(state, sound_frame):
    html = sound_frame("layernorm", state).html
    dots = [float(x) for x in re.findall(r'<circle class="marker[^"]*" cx="([\d.]+)"', html)]
    assert len(dots) == 16
    assert all(48 <= x <= 286 for x in dots)
    labels = re.findall(r'class="tick"[^>]*>([^<]*)<', html)
    reach = float(labels[-1])
    x = complete(state)[1]
    if state.get("step", "0") == "0":
        expected = sorted(48 + (value + reach) / (2 * reach) * 238 for value in x.ravel())
        assert sorted(dots) == pytest.approx(expected, abs=0.01)

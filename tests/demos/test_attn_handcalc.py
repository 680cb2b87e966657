"""The hand calculation: its numbers against the core, its arithmetic, and the slips that it names."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demos.kit import fmt, frame, load, short
from transformer_core import W_K, W_Q, W_V, X, attention_trace, scaled_dot_product_attention

NAME = "attn-handcalc"
# V differs from X, no matrix is symmetric: each slip gives numbers of its own
UNEVEN = {"x": "1,0,0,2,1,1", "w_q": "1,0,1,2", "w_k": "0,1,1,-1", "w_v": "1,1,0,2"}
ANSWERS = {
    1: {"Q": "try_q", "K": "try_k", "V": "try_v"},
    2: "try_scores",
    3: "try_scaled",
    4: "try_weights",
    5: "try_output",
}


def matrices(state):
    """The four matrices of a state, and Q, K, V made from them."""
    whole = load(NAME).complete(state)
    x, *ws = (np.array(whole[name].split(","), float).reshape(-1, 2) for name in ("x", "w_q", "w_k", "w_v"))
    return x, ws, [x @ w for w in ws]


def steps(state, causal=False):
    """What each step makes, straight from the core."""
    x, _, (query, key, value) = matrices(state)
    trace = attention_trace(query, key, value, is_causal=causal)
    return {0: x, 1: query, 2: trace.scores, 3: trace.scaled, 4: trace.weights, 5: trace.output}


def body(found, start):
    """The numbers of the one table whose caption starts so, without its headers."""
    (name,) = [name for name in found if name.startswith(start)]
    return [row[1:] for row in found[name][1:]]


CAPTIONS = {0: "X", 1: "Q = X W_Q", 2: "scores S", 3: "scaled Z", 4: "weights A", 5: "O = A V"}


def check(found, state, step, causal):
    made = steps(state, causal)[step]
    digits = fmt if step in (4, 5) else short
    shown = body(found, CAPTIONS[step])
    assert [row[: made.shape[1]] for row in shown] == [[digits(n, 4) for n in row] for row in made]


@pytest.mark.parametrize("step", range(6))
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("numbers", [{}, UNEVEN], ids=["worked example", "uneven"])
def test_each_step_shows_what_the_core_computes(step, causal, numbers, sound_frame, tables):
    state = {"step": str(step), "causal": str(causal).lower(), **numbers}
    check(tables(sound_frame(NAME, state, may_say="∞").html), state, step, causal)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_and_in_any_state(data, any_state, sound_frame, tables):
    state = data.draw(any_state(NAME))
    found = tables(sound_frame(NAME, state, may_say="∞" if state["causal"] == "true" else "").html)
    if state["mode"] != "try" and not (state["step"] == "1" and state["of"] != "Q"):
        check(found, state, int(state["step"]), state["causal"] == "true")


def lit(html, caption):
    """The headers that are lit, and the chosen entry, in the table with this caption."""
    whole = re.search(rf"<caption>{re.escape(caption)}[^<]*</caption>(.*?)</table>", html)[1]
    chosen = re.findall(r'class="[^"]*selected[^"]*"[^>]*>(?:<button[^>]*>)?([^<]*)<', whole)
    return re.findall(r'class="lit">([^<]*)</th>', whole), chosen


@pytest.mark.parametrize(
    ("step", "operands"),
    [
        ("0", [("W_Q", 0, []), ("W_K", 1, []), ("W_V", 2, [])]),
        ("1", [("X", "x", ["x₃"]), ("W_Q", 0, ["2"])]),
        ("2", [("Q = X W_Q", "Q", ["q₃"]), ("Kᵀ", "K", ["k₂"])]),
        ("3", [("scores S", "S", [])]),
        ("4", [("scaled Z", "Z", []), ("exponentials E", "E", ["q₃"])]),
        ("5", [("weights A", "A", ["q₃"]), ("V = X W_V", "V", ["2"])]),
    ],
)
def test_the_operands_and_what_is_lit_in_them(step, operands, sound_frame, tables):
    x, ws, (q, k, v) = matrices(UNEVEN)
    scores = q @ k.T
    raised = np.exp(scores / math.sqrt(2))  # small enough for the demo to leave the maximum in
    known = {"x": x, "Q": q, "K": k.T, "V": v, "S": scores, "Z": scores / math.sqrt(2), "E": raised}
    known["A"] = raised / raised.sum(axis=-1, keepdims=True)
    html = sound_frame(NAME, {"step": step, "cell": "2,1", **UNEVEN}).html
    for caption, name, headers in operands:
        expected = ws[name] if isinstance(name, int) else known[name]
        digits = fmt if name == "A" else short
        shown = [row[: expected.shape[1]] for row in body(tables(html), caption)]
        assert shown == [[digits(n, 4) for n in row] for row in expected]
        assert lit(html, caption)[0] == headers
    made = steps(UNEVEN)[int(step)]
    assert lit(html, CAPTIONS[int(step)])[1] == [(fmt if step in "45" else short)(made[2, 1], 4)]


@pytest.mark.parametrize("of", ["K", "V"])
def test_the_other_projections(of, sound_frame, tables):
    _, _, projected = matrices(UNEVEN)
    found = tables(sound_frame(NAME, {"step": "1", "of": of, **UNEVEN}).html)
    expected = projected["QKV".index(of)]
    assert body(found, f"{of} = X W_{of}") == [[short(n, 4) for n in row] for row in expected]


def test_the_worked_example_is_the_one_of_the_course(tables):
    found = tables(frame(NAME, {"step": "4"}, "en").html)
    assert body(found, "weights A") == [
        ["0.1978", "0.4011", "0.4011", "1"],
        ["0.2483", "0.2483", "0.5035", "1"],
        ["0.1400", "0.2840", "0.5760", "1"],
    ]
    assert [row[-1] for row in body(found, "exponentials E")] == ["5.0562", "8.1695", "14.4835"]


@pytest.mark.parametrize("causal", ["false", "true"])
@pytest.mark.parametrize("numbers", [{}, UNEVEN, {"x": "5,5,5,5,-5,5"}], ids=["plain", "uneven", "large"])
def test_exponentials_over_their_sum_are_the_weights(causal, numbers, sound_frame, tables):
    state = {"step": "4", "causal": causal, **numbers}
    found = tables(sound_frame(NAME, state, may_say="∞").html)
    weights = steps(state, causal == "true")[4]
    for row, expected in zip(body(found, "exponentials E"), weights, strict=True):
        *terms, total = (float(cell.replace("−", "-")) for cell in row)
        assert [term / total for term in terms] == pytest.approx(expected, abs=2e-4)


def value_of(sum_):
    """What written-out products come to, exactly."""
    plain = sum_.replace("−", "-").replace("×", "*").replace("÷", "/")
    numbers = re.sub(r"(\d+(?:\.\d+)?)", r"Fraction('\1')", plain)
    return float(eval(numbers, {"Fraction": Fraction}))


@pytest.mark.parametrize("step", range(1, 6))
@pytest.mark.parametrize("causal", ["false", "true"])
@pytest.mark.parametrize("numbers", [{}, UNEVEN], ids=["worked example", "uneven"])
def test_the_written_out_sums_come_to_their_results(step, causal, numbers, sound_frame, tables):
    state = {"step": str(step), "causal": causal, **numbers}
    found = tables(sound_frame(NAME, state, may_say="∞").html)
    made = steps(state, causal == "true")[step]
    rows = found["The arithmetic of every entry of this step"][1:]
    assert len(rows) == made.size
    for (_, written), expected in zip(rows, made.ravel(), strict=True):
        sum_, shown = re.split(" [=≈] ", written)
        assert shown == short(expected, 4)
        assert value_of(sum_) == pytest.approx(expected, abs=0.003)
        assert ("≈" in written) == (abs(round(expected, 4) - expected) > 1e-9)


def typed(step, matrix, of="Q", digits=4):
    """The state that has typed a matrix into the answers of a step."""
    name = ANSWERS[step][of] if step == 1 else ANSWERS[step]
    cells = ",".join("" if math.isnan(n) else f"{n:.{digits}f}" for n in np.ravel(matrix))
    return {"mode": "try", "step": str(step), "of": of, name: cells}


def remarks(html):
    """The hints below the answers: entries and words."""
    found = re.findall(r'<p class="remark wrong">(.*?)</p>', html)
    return {words: names.split(", ") for names, words in (line.split(": ", 1) for line in found)}


def verdicts(tables, html):
    return body(tables(html), "your answers")


@pytest.mark.parametrize("step", range(1, 6))
@pytest.mark.parametrize("causal", ["false", "true"])
@pytest.mark.parametrize("numbers", [{}, UNEVEN], ids=["worked example", "uneven"])
def test_right_answers_of_two_decimals_are_right(step, causal, numbers, sound_frame, tables):
    made = steps(numbers, causal == "true")[step]
    state = {**typed(step, made, digits=2), "causal": causal, **numbers}
    shown = sound_frame(NAME, state, may_say="∞")
    assert all(cell.endswith(" ✓") for row in verdicts(tables, shown.html) for cell in row)
    assert remarks(shown.html) == {}
    assert shown.say.endswith("The whole step is right.")
    assert "The arithmetic of every entry of this step" in tables(shown.html)


@pytest.mark.parametrize("step", range(1, 6))
def test_no_answer_is_given_away(step, tables):
    """Until everything is right, no table holds the step's result and no line its value."""
    made = steps(UNEVEN)[step]
    found = frame(NAME, {**typed(step, np.full_like(made, np.nan)), **UNEVEN}, "en")
    shown = tables(found.html)
    assert not any(name.startswith(CAPTIONS[step]) for name in shown)
    assert "The arithmetic of every entry of this step" not in shown
    assert all(cell == "?" for row in verdicts(tables, found.html) for cell in row)
    assert "exponentials" not in found.html
    assert re.search(r"[=≈] −?\d", found.html) is None


def softmax_by_hand(scores, axis=-1):
    raised = np.exp(scores)
    return raised / raised.sum(axis=axis, keepdims=True)


def slipped(step, name):
    """A matrix that goes wrong in a known way, worked out without the demo's code."""
    x, (w_q, w_k, _), (q, k, v) = matrices(UNEVEN)
    s, root = q @ k.T, math.sqrt(2)
    z, later = s / root, np.triu(np.ones((3, 3), bool), 1)
    poured = q @ np.array([k.ravel()[:3], k.ravel()[3:]])
    a = softmax_by_hand(z)
    wrong_weights = {
        "no root": softmax_by_hand(s),
        "columns": softmax_by_hand(z, axis=0),
        "divided by d_k": softmax_by_hand(s / 2),
        "not transposed": softmax_by_hand(poured / root),
        "no mask": a,
        "late mask": np.where(later, 0, a),
        "mask of zero": softmax_by_hand(np.where(later, 0, z)),
        "masked columns": softmax_by_hand(np.where(later, -np.inf, z), axis=0),
    }
    return {
        1: {"rows of W": x @ w_q.T, "wrong W": x @ w_k, "no W": x},
        2: {"not transposed": poured, "early": z, "swapped": s.T, "V for K": q @ v.T, "no W": x @ x.T},
        3: {
            "no root": s,
            "divided by d_k": s / 2,
            "multiplied": s * root,
            "root of 3": s / math.sqrt(3),
            "softmax early": a,
            "not transposed": poured / root,
        },
        4: {
            **wrong_weights,
            "no sum": np.exp(z),
            "no exp": z / z.sum(axis=-1, keepdims=True),
            "whole": np.exp(z) / np.exp(z).sum(),
            "swapped": a.T,
        },
        5: {
            **{slip: weights @ v for slip, weights in wrong_weights.items()},
            "K for V": a @ k,
            "X for V": a @ x,
            "no sum": np.exp(z) @ v,
            "columns of A": a.T @ v,
            "no softmax": z @ v,
            "rounded early": np.round(a, 1) @ v,
        },
    }[step][name]


SLIPS = [
    (1, "rows of W", "This is a row of X times a row of W_Q"),
    (1, "wrong W", "This number belongs to K"),
    (1, "no W", "This is still X"),
    (2, "not transposed", "K seems not to be transposed"),
    (2, "early", "This step is the dot product alone"),
    (2, "swapped", "Rows and columns are swapped"),
    (2, "V for K", "This looks like V"),
    (2, "no W", "This looks like X times Xᵀ"),
    (3, "no root", "The division by √d_k ≈ 1.4142 seems forgotten"),
    (3, "divided by d_k", "This is divided by d_k = 2"),
    (3, "multiplied", "This is multiplied by √d_k"),
    (3, "root of 3", "This is divided by √3, the number of tokens"),
    (3, "softmax early", "This is after the softmax already"),
    (3, "not transposed", "K seems not to be transposed"),
    (4, "no root", "The division by √d_k ≈ 1.4142 seems forgotten"),
    (4, "columns", "This softmax runs down the columns"),
    (4, "divided by d_k", "This is divided by d_k = 2"),
    (4, "not transposed", "K seems not to be transposed"),
    (4, "no sum", "These are the exponentials"),
    (4, "no exp", "Without exp"),
    (4, "whole", "This is one softmax over the whole matrix"),
    (4, "swapped", "Rows and columns are swapped"),
    (5, "K for V", "This is weights times K"),
    (5, "X for V", "This is weights times X"),
    (5, "no root", "The division by √d_k ≈ 1.4142 seems forgotten"),
    (5, "columns", "This softmax runs down the columns"),
    (5, "divided by d_k", "This is divided by d_k = 2"),
    (5, "not transposed", "K seems not to be transposed"),
    (5, "no sum", "These are the exponentials"),
    (5, "columns of A", "This takes a column of A"),
    (5, "no softmax", "These are scaled scores times V"),
    (5, "rounded early", "The weights seem rounded"),
]
MASK_SLIPS = [
    (step, slip, words)
    for step in (4, 5)
    for slip, words in [
        ("no mask", "The mask seems forgotten"),
        ("late mask", "Masked after the softmax"),
        ("mask of zero", "The hidden scores seem filled with 0"),
        ("masked columns", "This softmax runs down the columns"),
    ]
]


def check_slip(tables, step, slip, words, causal):
    wrong, right = slipped(step, slip), steps(UNEVEN, causal)[step]
    state = {**typed(step, wrong), "causal": str(causal).lower(), **UNEVEN}
    shown = frame(NAME, state, "en")
    assert shown.html != frame(NAME, {**state, "mode": "watch"}, "en").html
    bad = np.abs(wrong - right) > 0.0051
    assert bad.any()
    signs = [[cell[-1] for cell in row] for row in verdicts(tables, shown.html)]
    assert (np.array(signs) == "✗").tolist() == bad.tolist()
    ((hint, entries),) = remarks(shown.html).items()
    assert hint.startswith(words)
    assert len(entries) == bad.sum()
    assert words in shown.say


@pytest.mark.parametrize(("step", "slip", "words"), SLIPS)
def test_a_slip_is_named(step, slip, words, tables):
    check_slip(tables, step, slip, words, causal=False)


@pytest.mark.parametrize(("step", "slip", "words"), MASK_SLIPS)
def test_a_slip_with_the_mask_is_named(step, slip, words, tables):
    check_slip(tables, step, slip, words, causal=True)


def hints_for(step, cells, **state):
    return remarks(frame(NAME, {**typed(step, cells), **state}, "en").html)


BLANK = np.nan


def test_one_wrong_entry_is_enough_for_a_hint():
    cells = [[0, 1, 1], [BLANK] * 3, [BLANK] * 3]  # row 1 as it was before the division
    assert list(hints_for(3, cells).values()) == [["Z₁₂", "Z₁₃"]]
    assert next(iter(hints_for(3, cells))).startswith("The division by √d_k")


def test_a_small_error_is_rounding_and_not_a_slip():
    cells = [[0.2, 0.4, 0.4], [0.25, 0.25, 0.49], [0.14, 0.28, 0.6]]
    assert [(hint[:10], entries) for hint, entries in hints_for(4, cells).items()] == [
        ("Very close", ["A₂₃", "A₃₃"])
    ]


def test_one_entry_a_little_off_is_rounding_even_where_a_slip_fits_it():
    cells = [[BLANK, 0.384, BLANK], [BLANK] * 3, [BLANK] * 3]  # ÷ 2 gives 0.3837, ÷ √2 gives 0.4011
    ((hint, entries),) = hints_for(4, cells).items()
    assert hint.startswith("Very close")
    assert entries == ["A₁₂"]
    both = [[BLANK, 0.384, 0.384], [BLANK] * 3, [BLANK] * 3]
    assert next(iter(hints_for(4, both))).startswith("This is divided by d_k = 2")


def test_a_wrong_sign_is_named():
    cells = [[BLANK] * 3, [BLANK, BLANK, -2], [BLANK] * 3]
    assert hints_for(2, cells) == {"The sign is wrong.": ["S₂₃"]}


def test_an_error_that_nothing_explains_gets_the_recipe():
    cells = [[7, BLANK, BLANK], [BLANK] * 3, [BLANK] * 3]
    assert hints_for(2, cells) == {"Work it out once more: Q₁₁×K₁₁ + Q₁₂×K₁₂.": ["S₁₁"]}


@pytest.mark.parametrize(("offset", "right"), [(0.005, True), (-0.005, True), (0.0051, False)])
def test_the_tolerance(offset, right, tables):
    cells = [[BLANK] * 3, [BLANK] * 3, [BLANK, BLANK, 3 + offset]]
    html = frame(NAME, typed(2, cells), "en").html
    assert verdicts(tables, html)[2][2].endswith("✓" if right else "✗")


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_every_wrong_entry_gets_one_hint_and_the_counts_are_true(data, any_state, tables):
    state = {**data.draw(any_state(NAME)), "mode": "try"}
    if state["step"] == "0":
        return
    shown = frame(NAME, state, "en")
    cells = [cell for row in verdicts(tables, shown.html) for cell in row]
    wrong = [cell for cell in cells if cell.endswith("✗")]
    assert sum(len(entries) for entries in remarks(shown.html).values()) == len(wrong)
    right, blank = sum(cell.endswith("✓") for cell in cells), cells.count("?")
    if blank < len(cells):
        counts = f"Of {len(cells)} entries {right} are right, {len(wrong)} wrong, {blank} still blank."
        assert shown.say.startswith(counts)


def test_the_sentence_tells_the_chosen_entry():
    def say(**state):
        return frame(NAME, state, "en").say

    assert "S₃₂ = 2" in say(step="2", cell="2,1")
    assert "1 becomes Z₁₂ = 0.7071" in say(step="3", cell="0,1")
    assert "[0.1400, 0.2840, 0.5760]" in say(step="4", cell="2,0")
    assert "0.5760, is for token 3" in say(step="4", cell="2,0")
    assert "add up to 1.0001" in say(step="4", cell="1,0")
    assert "add up to" not in say(step="4", causal="true", cell="1,0").replace("still add up to 1", "")
    assert "token 1 sees the first 1 only" in say(step="4", causal="true", cell="0,2")
    assert "[0.716, 0.86]" in say(step="5", cell="2,1")


def test_a_hidden_entry_says_why_it_is_nothing():
    html = frame(NAME, {"step": "4", "causal": "true", "cell": "0,2"}, "en").html
    assert "E₁₃ = e^−∞ = 0: token 3 comes after token 1 and is hidden" in html


def test_defaults_are_the_worked_example():
    shown = [load(NAME).controls[name].default for name in ("x", "w_q", "w_k", "w_v")]
    for matrix, default in zip((X, W_Q, W_K, W_V), shown, strict=True):
        assert np.array_equal(matrix, default)
    query, key, value = (X @ w for w in (W_Q, W_K, W_V))
    assert np.allclose(steps({})[5], scaled_dot_product_attention(query, key, value))

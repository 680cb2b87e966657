"""The demo of the block: every module of every architecture against the layer put together by hand."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from demos.blocks import layers
from demos.kit import fmt, frame, load, short
from demos.kit.shipped import shipped_frames
from transformer_core import (
    feed_forward,
    layer_norm,
    multi_head_attention,
    multi_head_trace,
    worked_example,
)

DEMO = load("transformer-block")
STATES = list(DEMO.states())
PARAMETERS = {"norm": 8, "attn": 64, "cross": 64, "ffn": 64}
SUB_LAYERS = {"enc": ("attn", "ffn"), "dec": ("attn", "ffn"), "both": ("attn", "cross", "ffn")}


def attend(z, context=None, **options):
    return multi_head_attention(z, layers.ATTENTION, 2, context=context, **options)


def layer(x, names, norm_first, *, causal, memory=None):
    """Every module of a layer by key: what it is given, its output, the stream before and after."""
    run = {
        "attn": lambda z: attend(z, is_causal=causal),
        "cross": lambda z: attend(z, memory),
        "ffn": lambda z: feed_forward(z, layers.FEED_FORWARD, activation="relu"),
    }
    found, stream = {}, x
    for name in names:
        before = stream
        given = layer_norm(before) if norm_first else before
        output = run[name](given)
        added = before + output
        stream = added if norm_first else layer_norm(added)
        found[name] = given, output, before, stream
        found[f"{name}-add"] = output, added, before, stream
        found[f"{name}-norm"] = (
            (before, given, before, stream) if norm_first else (added, stream, before, stream)
        )
    return {"in": (x, x, x, stream), **found, "out": (stream, stream, x, stream)}


def by_hand(architecture, norm_first):
    """All modules of an architecture by their keys."""
    x = layers.WIDE
    if architecture == "encoder":
        stacks = {"enc": layer(x, SUB_LAYERS["enc"], norm_first, causal=False)}
    elif architecture == "decoder":
        stacks = {"dec": layer(x, SUB_LAYERS["dec"], norm_first, causal=True)}
    else:
        encoder = layer(x, SUB_LAYERS["enc"], norm_first, causal=False)
        memory = encoder["out"][1]
        decoder = layer(x[:2], SUB_LAYERS["both"], norm_first, causal=True, memory=memory)
        stacks = {"enc": encoder, "dec": decoder}
    return {f"{stack}-{name}": made for stack, named in stacks.items() for name, made in named.items()}


def counterpart(architecture, key):
    """Which module is shown where the chosen one is not there."""
    if architecture == "encoder-decoder":
        return key
    return {"encoder": "enc", "decoder": "dec"}[architecture] + key[3:].replace("cross", "attn")


def cells(rows):
    return [row[1:] for row in rows[1:]]


def shown_as(array, show):
    return [[show(value) for value in row] for row in array]


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.values()))
def test_the_numbers_are_those_of_the_layer(state, sound_frame, tables):
    architecture, norm_first = state["architecture"], state["norm"] == "pre"
    key = counterpart(architecture, state["module"])
    given, output, before, after = by_hand(architecture, norm_first)[key]
    shown = sound_frame("transformer-block", state)
    found = tables(shown.html)
    for name, array in (
        ("Residual stream before", before),
        ("Output of this module", output),
        ("Residual stream after", after),
    ):
        assert cells(found[name]) == shown_as(array, lambda value: short(value, 2))
    for name, array in (("input z", given), ("output", output)):
        exact = found[f"The module’s {name}, four decimals"]
        assert cells(exact) == shown_as(array, lambda value: fmt(value, 4))

    role = key.split("-")[-1]
    own = PARAMETERS.get(role, 0)
    whole = 216 if key.startswith("dec") and architecture == "encoder-decoder" else 144
    assert [row[2] for row in found["Parameters"][-2:]] == [str(own), str(whole)]
    assert sum(int(row[2]) for row in found["Parameters"][1:-2]) == own
    vectors = [f"[{', '.join(short(value) for value in array[0])}]" for array in (before, output, after)]
    inner = key[4:] not in ("in", "out")
    assert all(vector in shown.say for vector in (vectors if inner else vectors[::2]))
    assert (f"the module has {own} parameters" in shown.say) == inner
    assert ("no such module" in shown.say) == (key != state["module"])


@pytest.mark.parametrize(
    ("architecture", "key", "queries", "keys"),
    [("encoder", "enc-attn", 3, 3), ("decoder", "dec-attn", 3, 3), ("encoder-decoder", "dec-cross", 2, 3)],
)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_weights_of_each_head(architecture, key, queries, keys, norm, tables):
    given = by_hand(architecture, norm == "pre")[key][0]
    memory = by_hand(architecture, norm == "pre")["enc-out"][1] if key == "dec-cross" else None
    causal = key == "dec-attn"
    trace = multi_head_trace(given, layers.ATTENTION, 2, context=memory, is_causal=causal)
    state = {"architecture": architecture, "module": key, "norm": norm}
    found = tables(frame("transformer-block", state, "en").html)
    for head in range(2):
        (rows,) = (rows for name, rows in found.items() if name.startswith(f"Weights of head {head + 1}:"))
        weights = cells(rows)
        assert (len(weights), len(weights[0])) == (queries, keys)
        assert weights == shown_as(trace.attention.weights[head], lambda value: fmt(value, 4))


def test_in_post_norm_the_first_head_is_the_worked_example():
    ran = layers.stacks("encoder", False)["enc"]
    ours = ran.sub_layer("attn").module
    example = worked_example()
    assert ours.attention.weights[0] == pytest.approx(example.attention.weights)
    assert ours.output[:, :2] == pytest.approx(example.attention.output)


def boxes(html):
    """The pressable boxes of the diagram: key, whether pressed, label, middle."""
    svg = ElementTree.fromstring(re.search(r'<svg class="diagram".*?</svg>', html)[0])
    found = []
    for group in svg.iter("g"):
        if group.get("role") != "button":
            continue
        assert group.get("tabindex") == "0"
        rect = {name: float(group.find("rect").get(name)) for name in ("x", "y", "width", "height")}
        found.append((group.get("data-set"), group.get("aria-pressed"), group.get("aria-label"), rect))
    return svg, found


@pytest.mark.parametrize("architecture", ["encoder", "decoder", "encoder-decoder"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_every_module_can_be_pressed(architecture, norm):
    html = frame("transformer-block", {"architecture": architecture, "norm": norm}, "en").html
    svg, found = boxes(html)
    assert {setting for setting, *_ in found} == {
        f"module={key}" for key in by_hand(architecture, norm == "pre")
    }
    assert len({label for _, _, label, _ in found}) == len(found)
    assert [pressed for _, pressed, *_ in found].count("true") == 1
    width, height = (float(size) for size in svg.get("viewBox").split()[2:])
    for _, _, _, rect in found:
        assert rect["x"] >= 0 and rect["x"] + rect["width"] <= width
        assert rect["y"] >= 0 and rect["y"] + rect["height"] <= height
        assert rect["width"] >= 24 and rect["height"] >= 24


def test_pressing_a_box_shows_its_module():
    _, found = boxes(frame("transformer-block", {"architecture": "encoder-decoder"}, "en").html)
    for setting, _, label, _ in found:
        state = {"architecture": "encoder-decoder", "module": setting.removeprefix("module=")}
        html = frame("transformer-block", state, "en").html
        pressed = [(again, name) for again, is_pressed, name, _ in boxes(html)[1] if is_pressed == "true"]
        assert pressed == [(setting, label)]
        assert f'<p class="panel-name">{label}</p>' in html


def test_the_norm_stands_before_or_after_its_module():
    def order(norm):
        return [setting for setting, *_ in boxes(frame("transformer-block", {"norm": norm}).html)[1]]

    pre, post = order("pre"), order("post")
    assert pre.index("module=enc-attn-norm") < pre.index("module=enc-attn") < pre.index("module=enc-attn-add")
    assert (
        post.index("module=enc-attn") < post.index("module=enc-attn-add") < post.index("module=enc-attn-norm")
    )


@pytest.mark.parametrize("state", STATES, ids=lambda state: "-".join(state.values()))
def test_arrows_stay_inside_and_touch_no_box(state):
    svg, found = boxes(frame("transformer-block", state).html)
    width, height = (float(size) for size in svg.get("viewBox").split()[2:])
    for group in svg.iter("g"):
        if not group.get("class", "").startswith("link"):
            continue
        points = [
            (float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", group.find("path").get("d"))
        ]
        assert all(0 <= x <= width and 0 <= y <= height for x, y in points)
        for start, end in pairwise(points):
            for share in np.linspace(0.05, 0.95, 19):
                x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
                assert not any(
                    rect["x"] < x < rect["x"] + rect["width"] and rect["y"] < y < rect["y"] + rect["height"]
                    for *_, rect in found
                )


CAUSAL = {"architecture": "decoder", "module": "dec-attn"}


@pytest.mark.parametrize(
    ("state", "formula"),
    [
        ({}, "headh=softmax(QhKh⊤dk)Vh concat(head1,head2)WO"),
        (
            {"architecture": "decoder", "module": "dec-attn"},
            "headh=softmax(QhKh⊤dk+M)Vh concat(head1,head2)WO",
        ),
        ({"module": "enc-ffn"}, "ReLU(zW1)W2"),
        ({"module": "enc-ffn-norm"}, "γ⊙z−μσ2+ε+β"),
        ({"module": "enc-attn-add"}, "x+Attn(norm(x))"),
        ({"module": "enc-attn-add", "norm": "post"}, "x+Attn(x)"),
        ({"module": "enc-out"}, "y=x′+FFN(norm(x′))"),
        ({"module": "enc-out", "norm": "post"}, "y=norm(x′+FFN(x′))"),
        ({"module": "enc-in"}, "x∈ℝS×dmodel"),
    ],
)
def test_formulas(state, formula):
    found = re.findall(r"<math.*?</math>", frame("transformer-block", state).html)
    assert " ".join("".join(ElementTree.fromstring(math).itertext()) for math in found) == formula


def test_all_frames_ship():
    assert len(shipped_frames("transformer-block")["states"]) == len(STATES)

"""The kit's strips, diagrams, formulas, and the last row of a matrix: what is drawn, and where."""

from xml.etree import ElementTree

import pytest

from demos.kit import (
    Box,
    Link,
    Strip,
    diagram,
    formula,
    frac,
    matrix_table,
    render,
    root,
    setter,
    strips,
    sub,
    sup,
    text,
)

NAME = text(zh="图", en="picture")


def parsed(node, lang="en"):
    return ElementTree.fromstring(render(node, lang))


def dots(svg):
    return [(float(dot.get("cx")), float(dot.get("cy"))) for dot in svg.iter("circle")]


def test_dots_stand_where_their_numbers_are():
    svg = parsed(strips([Strip("a", [-2, 0, 1])], reach=2, describe=NAME))
    ticks = {mark.text: float(mark.get("x")) for mark in svg.iter("text") if mark.get("class") == "tick"}
    assert list(ticks) == ["−2", "−1", "0", "1", "2"]
    assert [x for x, _ in dots(svg)] == [ticks["−2"], ticks["0"], ticks["1"]]
    assert svg.find("title").text == "picture"


def test_equal_dots_stand_on_each_other_and_others_on_the_line():
    heights = [y for _, y in dots(parsed(strips([Strip("a", [1, 1, 2, 1])], reach=2, describe=NAME)))]
    assert heights[0] == heights[2] > heights[1] > heights[3]


def test_a_number_beyond_the_axis_stands_at_its_end():
    (inside, _), (outside, _) = dots(parsed(strips([Strip("a", [2, 9])], reach=2, describe=NAME)))
    assert inside == outside


def test_lines_stand_below_each_other_and_the_chosen_dot_is_marked():
    lines = [Strip("a", [0, 1], chosen=1, lit=True), Strip("b", [0])]
    svg = parsed(strips(lines, reach=2, describe=NAME))
    (_, first), (_, second), (_, third) = dots(svg)
    assert first == second < third
    assert [dot.get("class") for dot in svg.iter("circle")] == [
        "marker lit",
        "marker lit chosen value",
        "marker",
    ]
    assert third < float(svg.get("viewBox").split()[3])


def test_the_band_reaches_as_far_as_the_spread():
    svg = parsed(strips([Strip("a", [-1, 1], centre=0, spread=1)], reach=2, describe=NAME))
    (left, _), (right, _) = dots(svg)
    band = svg.find("rect")
    assert float(band.get("x")) == left
    assert float(band.get("x")) + float(band.get("width")) == right
    assert parsed(strips([Strip("a", [0])], reach=2, describe=NAME)).find("rect") is None


def test_a_box_is_a_button_for_the_keyboard_and_the_ear():
    box = Box(50, 20, 40, 24, "+", setter(module="add"), chosen=True, spoken=text(zh="相加", en="sum"))
    svg = parsed(diagram([box], [], width=100, height=40, describe=NAME))
    assert (svg.get("role"), svg.get("aria-label")) == ("group", "picture")
    (button,) = svg
    assert {
        name: button.get(name) for name in ("role", "tabindex", "aria-pressed", "aria-label", "data-set")
    } == {
        "role": "button",
        "tabindex": "0",
        "aria-pressed": "true",
        "aria-label": "sum",
        "data-set": "module=add",
    }
    assert button.find("text").text == "+"
    rect = button.find("rect")
    assert [rect.get(name) for name in ("x", "y", "width", "height")] == ["30", "8", "40", "24"]


def test_a_box_without_another_name_is_spoken_as_it_is_written():
    svg = parsed(diagram([Box(5, 5, 8, 8, NAME, setter(a=1))], [], width=10, height=10, describe=NAME), "zh")
    assert (svg[0].get("aria-label"), svg[0].get("aria-pressed")) == ("图", "false")


@pytest.mark.parametrize(
    ("end", "line", "head"),
    [
        ((0, 30), "M0 0L0 22", "M0 30L-4 22L4 22Z"),
        ((30, 0), "M0 0L22 0", "M30 0L22 4L22 -4Z"),
        ((-30, 0), "M0 0L-22 0", "M-30 0L-22 -4L-22 4Z"),
    ],
)
def test_an_arrow_ends_in_its_head(end, line, head):
    svg = parsed(diagram([], [Link([(0, 0), end], "rail")], width=9, height=9, describe=NAME))
    assert svg[0].get("class") == "link rail"
    assert [path.get("d") for path in svg[0]] == [line, head]


def test_a_formula_is_mathml():
    made = formula("y = 2.5 max", frac("a + b", root("d")), sub("W", "1"), sup("K", "⊤"))
    assert render(made, "en") == (
        '<math display="block"><mrow><mi>y</mi><mo>=</mo><mn>2.5</mn><mi>max</mi>'
        "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
        "<mrow><msqrt><mrow><mi>d</mi></mrow></msqrt></mrow></mfrac>"
        "<msub><mrow><mi>W</mi></mrow><mrow><mn>1</mn></mrow></msub>"
        "<msup><mrow><mi>K</mi></mrow><mrow><mo>⊤</mo></mrow></msup></mrow></math>"
    )


def test_a_matrix_with_a_last_row(tables):
    made = matrix_table(
        [[1, 2], [3, 4]], name=NAME, rows="ab", columns="xy", show=str, foot=("Σ", ["4", "6"])
    )
    assert tables(render(made, "en"))["picture"] == [
        ["", "x", "y"], ["a", "1", "2"], ["b", "3", "4"], ["Σ", "4", "6"],
    ]  # fmt: skip

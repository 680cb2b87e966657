"""Controls: what they accept, what they refuse and with which numbers, and the markup that shows them."""

import re

import pytest

from demos.kit import (
    LANGUAGES,
    StateError,
    answers,
    index,
    matrix,
    pick,
    render,
    slider,
    spot,
    stepper,
    text,
    toggle,
)

LABEL = text(zh="标签", en="Label")
STEPS = [text(zh="一", en="one"), text(zh="二", en="two"), text(zh="三", en="three")]
SQUARE = [[1, 0], [0, 2.5]]

RANGE = slider(-1, 3, step=0.25, value=0.5, label=LABEL)
STOPS = slider(value=4, stops=[1, 4, 16], label=LABEL)
PICK = pick([("a", "A"), ("b", LABEL)], value="b", label=LABEL)
LIST = pick([("a", "A"), ("b", LABEL)], value="b", label=LABEL, style="list")
INDEX = index(["x", "y", "z"], value=1, label=LABEL)
TOGGLE = toggle(True, label=LABEL)
STEPPER = stepper(STEPS, label=LABEL, value=1)
MATRIX = matrix(SQUARE, label=LABEL, low=-3, high=3, step=0.5)
ANSWERS = answers(2, 3, label=LABEL)
SPOT = spot(2, 3, value=(1, 2), label=LABEL)
ALL = [RANGE, STOPS, PICK, LIST, INDEX, TOGGLE, STEPPER, MATRIX, ANSWERS, SPOT]


@pytest.mark.parametrize(
    ("control", "given", "value"),
    [
        (RANGE, "-1", -1.0),
        (RANGE, "3", 3.0),
        (RANGE, "0.5", 0.5),
        (RANGE, "0.6", 0.5),  # the nearest place, as a browser does
        (RANGE, "0.7", 0.75),
        (RANGE, " 0.75 ", 0.75),
        (STOPS, "16", 16.0),
        (STOPS, "16.0", 16.0),
        (PICK, "a", "a"),
        (LIST, "a", "a"),
        (INDEX, "2", 2),
        (TOGGLE, "true", True),
        (TOGGLE, "false", False),
        (STEPPER, "2", 2),
        (MATRIX, "1,-3, 2.5 ,3", ((1.0, -3.0), (2.5, 3.0))),
        (ANSWERS, "1,,0.5,,,-7", ((1.0, None, 0.5), (None, None, -7.0))),
        (SPOT, "0,2", (0, 2)),
    ],
)
def test_a_value_is_parsed(control, given, value):
    parsed = control.parse(given)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("control", "given", "said"),
    [
        (RANGE, "3.25", "“Label” must be between -1 and 3, got 3.25"),
        (RANGE, "-1.01", "“Label” must be between -1 and 3, got -1.01"),
        (RANGE, "wide", "“Label” takes a number, got “wide”"),
        (RANGE, "", "“Label” takes a number, got “”"),
        (RANGE, "nan", "“Label” takes a number, got “nan”"),
        (RANGE, "1e999", "“Label” takes a number, got “1e999”"),
        (STOPS, "5", "“Label” has no option “5”; choose from 1, 4, 16"),
        (PICK, "c", "“Label” has no option “c”; choose from a, b"),
        (INDEX, "3", "“Label” has no option “3”; choose from 0, 1, 2"),
        (TOGGLE, "yes", "“Label” has no option “yes”; choose from true, false"),
        (STEPPER, "3", "“Label” must be between 0 and 2, got 3"),
        (STEPPER, "1.5", "“Label” must be between 0 and 2, got 1.5"),
        (STEPPER, "-1", "“Label” must be between 0 and 2, got -1"),
        (MATRIX, "1,2,3", "“Label” takes 4 numbers, got 3"),
        (MATRIX, "1,2,3,3.5", "“Label” must be between -3 and 3, got 3.5"),
        (MATRIX, "1,2,3,", "“Label” takes a number, got “”"),
        (ANSWERS, "1,2", "“Label” takes 6 numbers, got 2"),
        (ANSWERS, ",,,,,x", "“Label” takes a number, got “x”"),
        (SPOT, "2,0", "“Label” must be between 0 and 1, got 2"),
        (SPOT, "0,3", "“Label” must be between 0 and 2, got 3"),
        (SPOT, "1", "“Label” takes “row,column”, got “1”"),
        (SPOT, "1,-1", "“Label” takes “row,column”, got “1,-1”"),
    ],
)
def test_a_wrong_value_is_refused_in_both_languages(control, given, said):
    with pytest.raises(StateError) as refused:
        control.parse(given)
    assert refused.value.words.en == said == str(refused.value)
    assert refused.value.words.zh.startswith("「标签」")
    for number in re.findall(r"-?\d+(?:\.\d+)?", said):
        assert number in refused.value.words.zh


@pytest.mark.parametrize("control", ALL, ids=lambda control: type(control).__name__)
def test_what_is_shown_parses_to_itself(control):
    default = control.parse(control.show(control.default))
    assert control.show(default) == control.show(control.default)
    for value in [*control.corners(), *(control.values() or [])]:
        spelt = control.show(value)
        assert control.show(control.parse(spelt)) == spelt


def test_the_values_of_discrete_controls_and_none_of_others():
    assert list(STOPS.values()) == [1, 4, 16]
    assert list(PICK.values()) == ["a", "b"]
    assert list(INDEX.values()) == ["0", "1", "2"]
    assert list(TOGGLE.values()) == [False, True]
    assert list(STEPPER.values()) == [0, 1, 2]
    assert list(SPOT.values()) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert [control.values() for control in (RANGE, MATRIX, ANSWERS)] == [None] * 3


def test_corners_are_the_bounds():
    assert list(RANGE.corners()) == [-1, 3]
    assert list(STOPS.corners()) == [1, 16]
    assert list(SPOT.corners()) == [(0, 0), (1, 2)]
    assert list(MATRIX.corners()) == [((-3, -3), (-3, -3)), ((3, 3), (3, 3))]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: slider(0, 1, value=2, label=LABEL), "needs low < high, step > 0 and a value between"),
        (lambda: slider(0, 1, value=0, step=0, label=LABEL), "needs low < high, step > 0"),
        (lambda: slider(value=3, stops=[1, 2], label=LABEL), "value 3 is none of its stops"),
        (lambda: pick([("a", "A")], value="b", label=LABEL), "needs distinct keys, 'b' among them"),
        (lambda: pick([("a", "A"), ("a", "B")], value="a", label=LABEL), "needs distinct keys"),
        (lambda: pick([("a", "A")], value="a", label=LABEL, style="tabs"), "style chips or list"),
        (lambda: index(["x"], value=1, label=LABEL), "value must be from 0 to 0, got 1"),
        (lambda: stepper(STEPS, label=LABEL, value=3), "value must be from 0 to 2, got 3"),
    ],
)
def test_a_control_that_contradicts_itself_is_an_error_in_the_demo(make, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        make()


@pytest.mark.parametrize("control", ALL, ids=lambda control: type(control).__name__)
def test_the_markup_is_named_and_speaks_one_language(control):
    zh, en = (render(control.node("size"), lang) for lang in LANGUAGES)
    assert 'name="size"' in zh
    assert not re.search("[\u4e00-\u9fff]", en)
    if control is not SPOT:
        assert "标签" in zh
        assert "Label" in en


def test_a_slider_is_a_range_with_its_bounds():
    assert 'type="range" name="size" min="-1" max="3" step="0.25" value="0.5"' in render(
        RANGE.node("size"), "en"
    )
    stops = render(STOPS.node("size"), "en")
    assert 'min="0" max="2" step="1" value="1" data-stops="1,4,16" aria-valuetext="4"' in stops
    assert '<output data-for="size">4</output>' in stops


def test_chips_are_radio_buttons_and_a_list_is_a_select():
    chips = render(PICK.node("kind"), "en")
    assert re.findall(r'<input type="radio" name="kind" value="(\w)"( checked)?>', chips) == [
        ("a", ""),
        ("b", " checked"),
    ]
    listed = render(LIST.node("kind"), "en")
    assert '<select name="kind"><option value="a">A</option><option value="b" selected>' in listed


def test_a_toggle_is_a_checkbox():
    assert '<input type="checkbox" name="causal" checked>' in render(TOGGLE.node("causal"), "en")


def test_a_stepper_has_previous_next_play_and_its_count():
    made = render(STEPPER.node("step"), "en")
    assert re.findall(r'data-step="(-?1)" data-of="step">(\w+)<', made) == [("-1", "Previous"), ("1", "Next")]
    assert 'data-play="step" data-pause="Pause" aria-pressed="false">Play</button>' in made
    assert 'min="0" max="2" step="1" value="1"' in made
    assert 'data-step-of="Step {k} of 3">Step 2 of 3</output>' in made
    assert "第 2 步，共 3 步" in render(STEPPER.node("step"), "zh")


def test_a_matrix_has_a_named_input_for_each_cell():
    made = render(MATRIX.node("w"), "en")
    cells = re.findall(r'name="w" min="-3" max="3" step="0.5" value="([^"]*)"[^>]*aria-label="([^"]*)"', made)
    assert cells == [
        ("1", "Label, row 1, column 1"),
        ("0", "Label, row 1, column 2"),
        ("0", "Label, row 2, column 1"),
        ("2.5", "Label, row 2, column 2"),
    ]
    assert re.findall(r'value="([^"]*)"', render(ANSWERS.node("try"), "en")) == [""] * 6


def test_a_spot_is_an_input_that_nobody_sees_and_a_reset_restores():
    assert render(SPOT.node("cell"), "en") == '<input type="text" name="cell" value="1,2" hidden>'

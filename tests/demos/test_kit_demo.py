"""The contract of a demo file, its states, its frames, and the two ways a frame reaches a page."""

import json
import sys
from types import ModuleType

import pytest

from demos import kit
from demos.kit import (
    DemoError,
    StateError,
    View,
    demo_html,
    el,
    frame,
    frame_json,
    key,
    shipped,
    slider,
    stepper,
    text,
    toggle,
)
from demos.kit import demo as contract
from demos.kit.shipped import shipped_frames, unpacked

LABEL = text(zh="标签", en="Label")
STEPS = [text(zh="开头", en="start"), text(zh="结尾", en="end")]


def picture(**state):
    return View(f"picture of {state}", text(zh=f"中文 {state}", en=f"English {state}"))


@pytest.fixture
def add_demo(monkeypatch):
    """Puts a demo into the site for the length of a test."""

    def add(name, **parts):
        module = ModuleType(f"demos.{name}")
        for part, value in parts.items():
            setattr(module, part, value)
        monkeypatch.setitem(sys.modules, f"demos.{name}", module)
        monkeypatch.setattr(contract, "names", lambda: [name])
        # a cache of its own: what is loaded here is gone afterwards
        monkeypatch.setattr(contract, "load", contract.load.__wrapped__)
        monkeypatch.setattr("demos.kit.page.load", contract.load)
        monkeypatch.setattr(shipped, "load", contract.load)
        return contract.load

    return add


def a_demo(add_demo, controls, view):
    return add_demo("example", TITLE=LABEL, CONTROLS=controls, view=view)("example")


def test_an_unknown_demo_is_refused_with_the_known_ones():
    with pytest.raises(DemoError, match=r"there is no demo 'scalling'; there are .*scaling") as refused:
        frame("scalling")
    assert "causal-mask" in str(refused.value)


def test_the_names_are_files_with_dashes_and_no_folders():
    names = kit.names()
    assert names == sorted(names)
    assert "attn-handcalc" in names
    assert not {"kit", "handcalc", "masking"} & set(names)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "its file needs TITLE = text(...), CONTROLS = dict(...) and a function view; got None, None"),
        ({"TITLE": "words", "CONTROLS": {}, "view": picture}, "got 'words', {}"),
        (
            {"TITLE": LABEL, "CONTROLS": {"a": toggle(True, label=LABEL)}, "view": lambda *, b: None},
            "view must take the controls by keyword and in their order, (*, a); it takes (b)",
        ),
        (
            {"TITLE": LABEL, "CONTROLS": {"a": toggle(True, label=LABEL)}, "view": lambda a: None},
            "it takes (a)",
        ),
        (
            {
                "TITLE": LABEL,
                "CONTROLS": {"a": toggle(True, label=LABEL, when="mood=try")},
                "view": lambda *, a: None,
            },
            "a is for when='mood=try', but 'mood=try' is never true; write control=value with one of a",
        ),
        (
            {
                "TITLE": LABEL,
                "CONTROLS": {
                    "step": stepper(STEPS, label=LABEL),
                    "a": toggle(True, label=LABEL, when="step=0&step=1,2"),
                },
                "view": lambda *, step, a: None,
            },
            "'step=1,2' is never true",
        ),
    ],
)
def test_a_file_that_breaks_the_contract_is_refused(add_demo, parts, said):
    load = add_demo("example", **parts)
    with pytest.raises(DemoError) as refused:
        load("example")
    assert str(refused.value).startswith("demo example: ")
    assert said in str(refused.value)


@pytest.fixture
def stepped(add_demo):
    controls = {
        "step": stepper(STEPS, label=LABEL),
        "size": slider(0, 1, step=0.25, value=0.5, label=LABEL),
        "late": toggle(False, label=LABEL, when="step=1"),
    }
    return a_demo(add_demo, controls, lambda *, step, size, late: picture(step=step, size=size, late=late))


def test_a_state_is_filled_up_and_spelt_in_one_way(stepped):
    assert stepped.complete(None) == {"step": "0", "size": "0.5", "late": "false"}
    spelt = stepped.complete({"size": "0.750", "step": "1.0"})
    assert spelt == {"step": "1", "size": "0.75", "late": "false"}
    assert list(stepped.complete({"late": "true", "step": "1"})) == ["step", "size", "late"]
    assert key(stepped.complete(None)) == "step=0&size=0.5&late=false"


def test_an_unknown_control_is_refused_with_the_known_ones(stepped):
    with pytest.raises(StateError, match="there is no control “sise”; there are step, size, late") as refused:
        stepped.complete({"sise": "1"})
    assert refused.value.words.zh == "没有叫「sise」的控件，可用的是 step, size, late"


def test_a_view_gets_parsed_values_and_its_frame_the_language(stepped):
    state = {"size": "0.25", "late": "true"}
    made = {lang: frame("example", state, lang) for lang in kit.LANGUAGES}
    assert made["en"].say == "English {'step': 0, 'size': 0.25, 'late': True}"
    assert made["zh"].say.startswith("中文")
    assert made["zh"].state == {"step": "0", "size": "0.25", "late": "true"}
    assert stepped.stepper == "step"


def test_json_in_and_out(stepped):
    got = json.loads(frame_json("example", '{"size": "1"}', "en"))
    made = frame("example", {"size": "1"}, "en")
    assert got == {"html": made.html, "say": made.say, "state": made.state}


@pytest.mark.parametrize(
    ("name", "state", "lang", "error"),
    [
        ("example", {"size": "2"}, "zh", ("state", "「标签」要在 0 到 1 之间，收到的是 2")),
        ("example", {"size": "2"}, "en", ("state", "“Label” must be between 0 and 1, got 2")),
        ("exmaple", {}, "en", ("demo", "there is no demo 'exmaple'; there are example")),
    ],
)
def test_a_refusal_is_data(stepped, name, state, lang, error):
    got = json.loads(frame_json(name, json.dumps(state), lang))
    assert got == {"error": {"code": error[0], "message": error[1]}}


def test_a_demo_with_a_continuous_control_ships_no_frames(stepped):
    assert stepped.states() is None
    assert shipped_frames("example") is None


def test_a_discrete_demo_ships_each_frame_once(add_demo):
    controls = {"step": stepper(STEPS, label=LABEL), "late": toggle(False, label=LABEL)}
    a_demo(add_demo, controls, lambda *, step, late: picture(seen=late and step))
    found = shipped_frames("example", "en")
    assert found["states"] == {
        "step=0&late=false": 0,
        "step=0&late=true": 1,
        "step=1&late=false": 0,
        "step=1&late=true": 2,
    }
    assert len(found["frames"]) == 3
    for state in found["states"]:
        made = frame("example", dict(part.split("=") for part in state.split("&")), "en")
        assert unpacked(found, state) == (made.html, made.say)


def test_elements_that_frames_share_ship_once(add_demo):
    def view(*, late):
        return View(el("svg", {}, el("g", {}, "long " * 9), el("g", {}, str(late))), text(zh="一", en="one"))

    a_demo(add_demo, {"late": toggle(False, label=LABEL)}, view)
    found = shipped_frames("example")
    assert sum("long" in part for part in found["parts"]) == 1
    assert [len(frame["html"]) for frame in found["frames"]] == [4, 4]  # div, svg, g, g


@pytest.mark.parametrize(("digits", "ships"), [(100, True), (4_000, False)])
def test_a_discrete_demo_of_too_many_bytes_ships_none(add_demo, digits, ships):
    """Forty frames of digits that no compression makes much smaller."""
    controls = {"n": slider(value=0, stops=list(range(40)), label=LABEL)}
    a_demo(add_demo, controls, lambda *, n: picture(n=3 ** (2 * digits + int(n)) % 10**digits))
    assert (shipped_frames("example") is not None) is ships


def test_a_discrete_demo_of_too_many_states_is_not_rendered_to_the_end(add_demo):
    seen = []
    controls = {"n": slider(value=0, stops=list(range(10**5)), label=LABEL)}
    a_demo(add_demo, controls, lambda *, n: seen.append(n) or picture(n=n))
    assert shipped_frames("example") is None
    assert len(seen) < 10**5


def test_a_page_holds_form_first_frame_steps_and_tools(stepped):
    html = demo_html("example", lang="en", ident="demo-example", title='A <b>"title"</b>')
    assert '<strong class="demo-title">A &lt;b&gt;"title"&lt;/b&gt;</strong>' in html
    assert 'aria-labelledby="demo-example-title"' in html
    assert '<fieldset class="demo-controls" disabled>' in html
    first = frame("example", None, "en")
    assert html.count(first.html) == 2  # as the first frame, and among all steps
    assert f'aria-live="polite">{first.say}</p>' in html
    assert '<p class="demo-step-name">1. end</p>' in html
    assert frame("example", {"step": "1"}, "en").html in html
    assert '<div class="control-when" data-when="step=1" hidden>' in html
    assert "Interactive demo" in html


def test_a_page_without_a_title_takes_the_demos_own(stepped):
    assert '<strong class="demo-title">标签</strong>' in demo_html("example", lang="zh", ident="d", title="")


def test_numbers_and_shapes_stand_below_the_picture(add_demo):
    view = View("picture", LABEL, ("(3, 2)", "(2, 2)"), kit.table(LABEL, ["a", "b"], [["1", "2"]]))
    a_demo(add_demo, {"late": toggle(False, label=LABEL)}, lambda *, late: view)
    html = frame("example", None, "en").html
    assert html.startswith('<div class="frame-picture">picture</div>')
    assert "<span>Shapes</span><code>(3, 2)</code><code>(2, 2)</code>" in html
    assert "<summary>The numbers in the picture</summary>" in html
    assert '<th scope="row">1</th><td>2</td>' in html

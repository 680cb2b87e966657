"""Changed code decides the frame; its output and errors are told with their place; it leaves no trace."""

import inspect
import json

import pytest

import transformer_core
from demos import kit
from demos.kit import DemoError, StateError
from demos.kit.edited import run_edited, run_json
from demos.kit.source import parts

SOFTMAX = "transformer_core.activations.softmax"
SOURCE = inspect.getsource(transformer_core.softmax)


def run(source, function=SOFTMAX, lang="zh", name="softmax", state=None):
    return run_edited(name, state, lang, {function: source})


@pytest.mark.parametrize("name", kit.names())
def test_every_part_unchanged_gives_the_same_frame(name):
    edits = {f"{part.module}.{part.call.partition('(')[0]}": part.source for part in parts(name)}
    ran = run_edited(name, None, "zh", edits)
    assert (ran.error, ran.html, ran.say) == ("", kit.frame(name).html, kit.frame(name).say)


def test_a_change_in_the_core_changes_the_frame_and_is_gone_afterwards():
    before = kit.frame("scaling", {"rule": "sqrt"})
    ran = run("def softmax(x, axis=-1):\n    return x * 0 + 0.125\n", name="scaling", state={"rule": "sqrt"})
    assert ran.error == ""
    assert "12.5%" in ran.html + ran.say
    assert ran.say != before.say
    assert kit.frame("scaling", {"rule": "sqrt"}) == before
    assert transformer_core.softmax([0.0, 0.0]).tolist() == [0.5, 0.5]


def test_what_is_printed_is_told_up_to_a_length():
    assert run(SOURCE.replace("    return", "    print('seen', axis)\n    return")).output == "seen -1\n"
    long = run(SOURCE.replace("    return", "    print('x' * 30000)\n    return")).output
    assert len(long) < 20_010
    assert long.endswith("…")


@pytest.mark.parametrize(
    ("source", "said", "line"),
    [
        ("def softmax(x, axis=-1):\n    return 1 / 0\n", "ZeroDivisionError: division by zero", 2),
        ("def softmax(x, axis=-1):\n    y = 1\n    return y +\n", "SyntaxError: invalid syntax", 3),
        ("def softmax(x, axis=-1):\n    return np.zeros((2, 3)) @ np.zeros(4)\n", "ValueError: matmul", 2),
        ("def softmax(x, axis=-1):\n    raise SystemExit(3)\n", "SystemExit: 3", 2),
        ("import nowhere\n" + SOURCE, "ModuleNotFoundError: No module named 'nowhere'", 1),
    ],
)
def test_an_error_names_the_line_and_leaves_no_trace(source, said, line):
    before = kit.frame("softmax")
    ran = run(source, lang="en")
    assert ran.error.startswith(f"softmax, line {line}: {said}")
    assert (ran.html, ran.function, ran.line) == ("", SOFTMAX, line)
    assert f"softmax 第 {line} 行：{said}" in run(source).error
    assert kit.frame("softmax") == before


def test_an_error_outside_the_changed_code_has_no_line():
    ran = run("def view(**state):\n    return 3\n", function="demos.softmax.view")
    assert "AttributeError" in ran.error
    assert ran.line == 0


def test_a_helper_beside_the_function_is_there_and_gone_afterwards():
    ran = run(
        "def half(x):\n    return x / 2\n\ndef softmax(x, axis=-1):\n    return half(x * 0 + 1)\n",
        name="scaling",
    )
    assert ran.error == ""
    assert not hasattr(transformer_core.activations, "half")


def test_a_text_without_the_function_is_told():
    assert "def softmax" in run("pass\n").error
    assert "def softmax" in run("softmax = 3\n").error


def test_refusals():
    with pytest.raises(StateError):
        run(SOURCE, state={"z1": "900"})
    for function in ("os.system", "transformer_core.activations.np", "demos.softmax.nothing", "softmax"):
        with pytest.raises(DemoError, match="no function"):
            run(SOURCE, function=function)


def test_the_worker_gets_all_parts_as_data():
    got = json.loads(run_json("softmax", "{}", "en", json.dumps({SOFTMAX: SOURCE})))
    assert got == vars(run(SOURCE, lang="en"))
    assert json.loads(run_json("softmax", '{"z1": "x"}', "en", "{}"))["error"]["code"] == "state"

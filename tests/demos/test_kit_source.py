"""The code that is shown is the code that ran: sources, order, arguments, colours."""

import ast
import inspect
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import transformer_core
from demos import kit
from demos.kit import DemoError, StateError, render
from demos.kit.source import brief, code, code_json, coloured, parts

ROOT = Path(__file__).resolve().parents[2]


class _Reader(HTMLParser):
    """The text of each `pre`, and of everything."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.text = ""
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "pre":
            self.inside = True
            self.sources.append("")

    def handle_endtag(self, tag):
        if tag == "pre":
            self.inside = False

    def handle_data(self, data):
        self.text += data
        if self.inside:
            self.sources[-1] += data


@pytest.mark.parametrize("name", kit.names())
def test_every_part_is_the_source_of_one_function_and_view_comes_first(name):
    found = parts(name)
    assert found[0].source == inspect.getsource(kit.load(name).view)
    assert found[0].call.startswith("view(")
    for part in found:
        (defined,) = ast.parse(part.source).body
        assert isinstance(defined, ast.FunctionDef)
        module = sys.modules[part.module]
        assert part.source == inspect.getsource(inspect.unwrap(getattr(module, defined.name)))
        assert (ROOT / part.path).is_file()
    assert len({(part.path, part.call.split("(")[0]) for part in found}) == len(found)
    core = [part for part in found if part.module.startswith("transformer_core.")]
    assert all(part.call.split("(")[0] in transformer_core.__all__ for part in core)


@pytest.mark.parametrize("name", kit.names())
def test_the_page_holds_the_sources_unchanged(name):
    assert _Reader(render(code(name), "zh")).sources == [part.source for part in parts(name)]


def test_calls_come_in_their_order_with_the_arguments_of_the_state():
    calls = [part.call for part in parts("softmax", {"z1": "3.5", "temperature": "0.5"})]
    assert calls == [
        "view(z1=3.5, z2=1, z3=0, temperature=0.5, dtype='float32', shift=False)",
        "steps(logits=(3.5, 1, 0), temperature=0.5, dtype='float32', shift=False)",
        "softmax(x=[7, 2, 0], axis=-1)",
    ]


def test_the_state_decides_what_was_called():
    def called(kind):
        return {part.call.split("(")[0] for part in parts("ffn", {"kind": kind})}

    assert "relu" in called("relu")
    assert "relu" not in called("gelu")
    assert "gelu" in called("gelu")


def test_what_is_remembered_from_before_is_found_again():
    kit.frame("attention")
    first = parts("attention")
    assert "attention_trace" in {part.call.split("(")[0] for part in first}
    assert parts("attention") == first


def test_another_listener_goes_on_and_the_frame_is_the_same():
    def listen(*_):
        return None

    before = kit.frame("scaling")
    sys.setprofile(listen)
    try:
        parts("scaling")
        assert sys.getprofile() is listen
    finally:
        sys.setprofile(None)
    assert kit.frame("scaling") == before


def test_sources_are_read_below_another_folder(tmp_path):
    for part in parts("scaling"):
        path = tmp_path / part.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / part.path).read_text("utf-8").replace("query", "frage"), "utf-8")
    moved = parts("scaling", root=tmp_path)
    assert [part.source for part in moved] == [
        part.source.replace("query", "frage") for part in parts("scaling")
    ]


def test_the_words_are_in_the_language():
    assert "共调用 3 次" in _Reader(render(code("scaling"), "zh")).text
    assert "called 3 times" in _Reader(render(code("scaling"), "en")).text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.zeros((2, 3)), "float64(2, 3)"),
        (np.zeros(7, np.float32), "float32(7,)"),
        (np.array(2.0), "float64()"),
        (np.array([0.5, -1.25]), "[0.5, −1.25]"),
        (np.array([True, False]), "[True, False]"),
        (0.1234567, "0.1235"),
        (1e-9, "1e-09"),
        (float("-inf"), "-inf"),
        ((1,), "(1,)"),
        ([1, 2, 3, 4, 5, 6, 7], "[1, 2, 3, 4, 5, 6, …]"),
        ("x" * 50, "'" + "x" * 37 + "…'"),
        (None, "None"),
        (np.float32, "float32"),
        (np.exp, "exp"),
        (transformer_core.worked_example(), "WorkedExample(…)"),
    ],
)
def test_a_value_in_a_few_characters(value, shown):
    assert brief(value) == shown


SAMPLE = '''\
@cache
def f(x: int) -> str:  # 中文
    """Two
    lines."""
    return f"{x + 1:>{3}} {{}} {f'{x}'}" if None else "a" * 2
'''


def test_each_token_has_its_class_and_no_character_is_lost():
    html = render(coloured(SAMPLE), "zh")
    assert _Reader(f"<pre>{html}</pre>").sources == [SAMPLE]
    for kind, token in [
        ("nd", "cache"),
        ("k", "def"),
        ("nf", "f"),
        ("c1", "# 中文"),
        ("s", '"""Two\n    lines."""'),
        ("s", "f\"{x + 1:&gt;{3}} {{}} {f'{x}'}\""),
        ("kc", "None"),
        ("m", "2"),
    ]:
        assert f'<span class="{kind}">{token}</span>' in html


def test_the_worker_gets_markup_or_a_refusal():
    made = json.loads(code_json("softmax", '{"z1": "1"}', "en", str(ROOT)))
    assert made == {"html": render(code("softmax", {"z1": "1"}), "en")}
    assert json.loads(code_json("softmax", '{"z1": "900"}', "en", str(ROOT)))["error"]["code"] == "state"
    assert json.loads(code_json("sofmax", "{}", "en", str(ROOT)))["error"]["code"] == "demo"


def test_unknown_demo_and_state_are_refused():
    with pytest.raises(DemoError, match="no demo 'sofmax'"):
        code("sofmax")
    with pytest.raises(StateError, match="900"):
        code("softmax", {"z1": "900"})

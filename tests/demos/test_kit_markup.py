"""Markup: what comes from outside is escaped, once, and lengths are spelt alike everywhere."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demos.kit import LANGUAGES, Text, el, join, render, text

NASTY = "<b title=\"x\">&amp; 'quoted'</b>"


class Reader(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.read = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.read.append(data)


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader.tags, "".join(reader.read)


@given(words=st.text(), attribute=st.text())
def test_whatever_the_words_they_come_back_and_make_no_tag(words, attribute):
    tags, found = read(render(el("p", {"title": attribute}, words), "en"))
    assert (
        tags == [("p", {"title": attribute.replace("\r\n", "\n").replace("\r", "\n")})] or "\r" in attribute
    )
    assert [tag for tag, _ in tags] == ["p"]
    assert found == words or "\r" in words or "\0" in words


def test_nasty_words():
    assert read(render(el("p", {"title": NASTY}, NASTY), "en")) == ([("p", {"title": NASTY})], NASTY)


def test_an_attribute_of_none_or_false_is_left_out_and_true_stands_alone():
    made = el("input", {"a": None, "b": False, "c": True, "d": 0, "e": ""})
    assert render(made, "en") == '<input c d="0" e="">'


def test_void_elements_have_no_end_and_others_do():
    assert render([el("br"), el("p"), el("hr")], "en") == "<br><p></p><hr>"


@pytest.mark.parametrize(
    ("length", "spelt"),
    [(1.0, "1"), (0.126, "0.13"), (-0.001, "0"), (-0.0, "0"), (12.5, "12.5"), (100.0, "100"), (1e-17, "0")],
)
def test_a_length_has_two_decimals_at_most(length, spelt):
    assert render(el("rect", {"x": length}), "en") == f'<rect x="{spelt}"></rect>'


def test_children_may_be_nested_lists_numbers_and_nothing():
    assert render(el("p", {}, ["a", ("b", [1, None])], None), "en") == "<p>ab1</p>"


def test_words_are_chosen_by_language():
    greeting = text(zh="你好，{name}", en="Hello, {name}").format(name=text(zh="世界", en="world"))
    assert [render(el("p", {"title": greeting}, greeting), lang) for lang in LANGUAGES] == [
        '<p title="你好，世界">你好，世界</p>',
        '<p title="Hello, world">Hello, world</p>',
    ]
    assert greeting + "!" == Text("你好，世界!", "Hello, world!")
    assert join([greeting, 1, greeting]).en == "Hello, world1Hello, world"


def test_a_language_that_the_site_does_not_have_is_refused():
    with pytest.raises(ValueError, match="language must be one of zh, en, got 'fr'"):
        render(text(zh="一", en="one"), "fr")


def test_a_hole_without_its_word_is_an_error():
    with pytest.raises(KeyError, match="name"):
        text(zh="{name}", en="{name}").format(other="x")

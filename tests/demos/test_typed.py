"""The control for a line of text."""

import pytest

from demos import kit
from demos.kit import StateError, render, text, typed

LABEL = text(zh="句子", en="Sentence")


def test_spaces_are_put_in_order():
    assert typed("", label=LABEL).parse("  the \t cat\nsat ") == "the cat sat"


def test_a_line_that_is_too_long_is_refused_with_both_numbers():
    control = typed("", label=LABEL, longest=10)
    assert control.parse("a" * 10) == "a" * 10
    with pytest.raises(StateError, match="“Sentence” takes at most 10 characters, got 11") as refused:
        control.parse("a" * 11)
    assert refused.value.words.zh == "「句子」最多 10 个字符，收到 11 个"


@pytest.mark.parametrize("letter", ["\x00", "\u200b", "\u202e"])
def test_an_invisible_character_is_refused_by_its_code(letter):
    with pytest.raises(StateError, match=rf"U\+{ord(letter):04X}"):
        typed("", label=LABEL).parse(f"the cat{letter}")


def test_what_is_shown_parses_to_itself():
    control = typed("the cat", label=LABEL)
    assert control.parse(control.show(control.default)) == "the cat"


@pytest.mark.parametrize("value", ["two  spaces", "longer than ten"])
def test_a_default_that_the_reader_could_not_type_is_an_error_in_the_demo(value):
    with pytest.raises(ValueError, match="default must be one line of at most 10"):
        typed(value, label=LABEL, longest=10)


def test_the_input_knows_its_bound_and_its_condition():
    html = render(typed("a b", label=LABEL, longest=40, when="sentence=own").node("words"), "en")
    assert '<div class="control typed" data-when="sentence=own">' in html
    assert 'type="text" name="words" value="a b" maxlength="40"' in html
    assert ">Sentence<" in html


def test_what_is_typed_is_escaped_in_the_page():
    assert '"><b' not in render(typed('"><b>', label=LABEL).node("words"), "en")


def test_a_demo_with_a_typed_line_has_no_list_of_all_states():
    assert kit.typed("", label=LABEL).values() is None

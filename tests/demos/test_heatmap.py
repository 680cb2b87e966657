"""The map of tinted squares."""

import re

import pytest

from demos.kit import heat_map, render, setter, text

SHARES = [[1.0, 0.0, 0.254], [0.004, 0.25, 0.746]]


def drawn(**options):
    return render(heat_map(SHARES, rows=["a", "b"], columns="xyz", describe="what it shows", **options), "en")


def squares(html):
    """(tint, x, y) of every square."""
    return [
        (tint, float(x), float(y))
        for tint, path in re.findall(r'style="--heat:([\d.]+)" d="([^"]+)"', html)
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)", path)
    ]


def test_a_square_stands_in_its_row_and_column_with_its_tint():
    assert squares(drawn()) == [
        ("0.250", 78 + 36, 66),
        ("0.250", 78 + 18, 66 + 18),
        ("0.750", 78 + 36, 66 + 18),
        ("1.000", 78, 66),
    ]


def test_squares_of_one_tint_are_one_path_and_those_of_0_percent_are_none():
    assert drawn().count("<path") == 3


def test_names_without_a_slant_need_less_room():
    assert "rotate(-60" in drawn()
    assert "rotate" not in drawn(slanted=False)
    assert min(y for _, _, y in squares(drawn(slanted=False))) == 20


def test_the_chosen_row_is_framed():
    assert 'class="map-frame" x="77" y="83"' in drawn(chosen=1)
    assert "map-frame" not in drawn()


def test_a_row_can_be_pressed_and_its_squares_let_the_press_through():
    html = drawn(set_row=lambda i: setter(query=i))
    assert re.findall(r'<g data-set="query=(\d)">', html) == ["0", "1"]
    assert html.count('pointer-events="none"') == html.count("<path")


@pytest.mark.parametrize(("lang", "said"), [("zh", "图"), ("en", "map")])
def test_it_has_a_title_for_the_ear(lang, said):
    made = heat_map([[1.0]], rows=["a"], columns=["b"], describe=text(zh="图", en="map"))
    assert f"<title>{said}</title>" in render(made, lang)


def test_a_share_outside_0_to_1_is_drawn_as_the_nearer_of_the_two():
    html = render(heat_map([[-0.5, 1.5]], rows=["a"], columns="xy", describe=""), "en")
    assert squares(html) == [("1.000", 78 + 18, 66)]

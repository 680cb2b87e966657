"""The kit's trails: hops from place to place, one way below the other."""

import re
from xml.etree import ElementTree

import pytest

from demos.kit import Trail, render, text, trails

NAME = text(zh="图", en="picture")


def parsed(*ways, start=0, end=4, size=5):
    node = trails(ways, size=size, start=start, end=end, names=("j", "i"), describe=NAME)
    return ElementTree.fromstring(render(node, "en"))


def of_class(svg, name):
    return [part for part in svg.iter() if name in part.get("class", "").split()]


def hops(svg):
    """Where each hop starts and ends, and how high it rises."""
    found = []
    for part in of_class(svg, "trail"):
        x1, y1, _, bend, x2, y2 = map(float, re.findall(r"-?[\d.]+", part.get("d")))
        assert y1 == y2
        found.append((x1, x2, y1 - bend))
    return found


def test_a_way_hops_over_its_places_and_a_longer_hop_is_higher():
    svg = parsed(Trail("a", [0, 1, 4], "2"))
    (x1, x2, low), (x3, x4, high) = hops(svg)
    assert x2 == x3
    assert x4 - x3 == pytest.approx(3 * (x2 - x1))
    assert high > low > 0
    ends = {part.get("class").split()[1]: float(part.get("cx")) for part in of_class(svg, "trail-place")}
    assert ends == {"query": x1, "value": x4}
    assert svg.find("title").text == "picture"


def test_a_way_can_lead_back():
    (x1, x2, rise), *_ = hops(parsed(Trail("a", [4, 2, 0], "2"), start=4, end=0))
    assert x2 < x1
    assert rise > 0


def test_places_that_a_way_touches_are_marked_apart_from_those_that_it_skips():
    svg = parsed(Trail("a", [0, 1, 4], "2"))
    skipped, touched = of_class(svg, "trail-places")
    assert "touched" not in skipped.get("class")
    assert "touched" in touched.get("class")
    assert (skipped.get("d").count("M"), touched.get("d").count("M")) == (2, 1)


def test_no_way_has_no_hops_and_one_place_has_one_name():
    assert hops(parsed(Trail("a", [], "never"))) == []
    svg = parsed(Trail("a", [2], "0"), start=2, end=2)
    assert hops(svg) == []
    assert [part.text for part in of_class(svg, "trail-end")] == ["j = i"]


def test_names_of_close_places_stand_on_two_lines():
    near, far = (parsed(Trail("a", [0, end], "1"), end=end, size=9) for end in (2, 8))
    assert len({part.get("y") for part in of_class(near, "trail-end")}) == 2
    assert len({part.get("y") for part in of_class(far, "trail-end")}) == 1


def test_ways_stand_below_each_other_and_the_lit_one_is_marked():
    svg = parsed(Trail("a", [0, 4], "1"), Trail("b", [0, 4], "1", lit=True))
    first, second = of_class(svg, "trail")
    assert "lit" not in first.get("class")
    assert "lit" in second.get("class")
    heights = [float(re.search(r" ([\d.]+)Q", part.get("d"))[1]) for part in (first, second)]
    assert heights[0] < heights[1] < float(svg.get("viewBox").split()[3])
    assert [part.text for part in of_class(svg, "trail-name")] == ["a", "1", "b", "1"]

"""The font of formulas: what it must keep, and that the same characters give the same bytes."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont

from course_markdown import math_font
from course_markdown.math_font import BASE, cached_font, subset_font


@pytest.fixture(scope="module")
def font() -> Any:
    return TTFont(io.BytesIO(subset_font("𝐖中")))


def test_same_characters_same_bytes() -> None:
    assert subset_font(["𝐖", "𝐛"]) == subset_font(["𝐛", "𝐖", "𝐛"])


def test_it_is_a_web_font_of_a_modest_size(font: Any) -> None:
    assert font.flavor == "woff2"
    assert len(subset_font("")) < 50_000


def test_characters_asked_for_are_in_it(font: Any) -> None:
    known = font.getBestCmap()
    assert ord("𝐖") in known
    assert ord("中") not in known
    assert [character for character in sorted(BASE) if ord(character) not in known] == []


@pytest.mark.parametrize("character", ["(", "]", "{", "√", "∑", "‖", "⟩"])
def test_brackets_and_roots_grow(font: Any, character: str) -> None:
    variants = font["MATH"].table.MathVariants
    glyph = font.getBestCmap()[ord(character)]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(glyph)]
    larger = {record.VariantGlyph for record in construction.MathGlyphVariantRecord} - {glyph}
    parts = (
        {part.glyph for part in construction.GlyphAssembly.PartRecords}
        if construction.GlyphAssembly
        else set()
    )
    assert larger | parts
    assert larger | parts <= set(font.getGlyphOrder())


def test_parts_of_stretched_glyphs_overlap_so_that_browsers_use_them(font: Any) -> None:
    variants = font["MATH"].table.MathVariants
    checked = 0
    for construction in (*variants.HorizGlyphConstruction, *variants.VertGlyphConstruction):
        parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
        for left, right in pairwise(parts):
            overlap = min(left.EndConnectorLength, right.StartConnectorLength)
            assert overlap >= variants.MinConnectorOverlap, (left.glyph, right.glyph)
            checked += 1
    assert checked > 20


def test_tall_roots_are_as_wide_as_the_low_one_so_that_no_gap_follows_a_root(font: Any) -> None:
    variants = font["MATH"].table.MathVariants
    low = font.getBestCmap()[ord("√")]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(low)]
    tall = {record.VariantGlyph for record in construction.MathGlyphVariantRecord} - {low}
    tall |= {part.glyph for part in construction.GlyphAssembly.PartRecords}
    assert len(tall) >= 4
    for glyph in tall:
        assert font["hmtx"][glyph][0] == font["hmtx"][low][0], glyph
        assert font["glyf"][glyph].xMax <= font["glyf"][low].xMax, glyph


def test_licence_is_kept(font: Any) -> None:
    assert "SIL Open Font License" in font["name"].getDebugName(13)


def test_cache_makes_a_font_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def fake(characters: str) -> bytes:
        made.append(characters)
        return characters.encode()

    monkeypatch.setattr(math_font, "subset_font", fake)
    assert cached_font("αψ", tmp_path / "new") == cached_font("ψα", tmp_path / "new") == "αψ".encode()
    cached_font("𝐖", tmp_path / "new")
    assert made == ["αψ", "𝐖"]


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "deep" / "math.woff2"
    monkeypatch.setattr("sys.argv", ["math_font", str(out), "𝐖"])
    math_font.main()
    assert out.read_bytes() == subset_font("𝐖")

"""The web font of formulas: STIX Two Math, cut to the glyphs that the pages use.

The font (SIL Open Font License 1.1, as its name table says) comes with the package `ziamath`. Browsers place
scripts and stretch brackets and roots by its MATH table, so that stays, and with it the larger variants and
the parts of every stretched glyph that is kept. The same characters give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
from collections.abc import Iterable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

RECIPE = "4"  # change it with what `subset_font` does
FEATURES = ["dtls", "ccmp", "kern"]  # dotless letters below accents, composition, kerning
NAMES = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # copyright, names, licence
RANGES = (
    (0x20, 0x7E),  # ASCII: digits, operators, letters of words
    (0x391, 0x3A1),  # Greek capitals
    (0x3A3, 0x3A9),
    (0x3B1, 0x3C9),  # small Greek
    (0x1D434, 0x1D454),  # italic Latin, in which browsers show a lone letter; h is at U+210E
    (0x1D456, 0x1D467),
    (0x1D6E2, 0x1D71B),  # italic Greek
)
VARIANT = "\ufe00"  # after a script letter: the rounder of its two forms
BASE = frozenset(
    "ϑϕϖϰϱϵ×÷±∓·⋅∗∘⊙⊕⊗−∂∇∞∑∏∫√∈∉⊂⊆∪∩∅∀∃¬∧∨→←↔↦⇒⇐⇔↑↓⊤⊥≤≥≠≈≡∼≃∝≪≫"
    "…⋯⋮⋱′″|‖∥⟨⟩⌊⌋⌈⌉⏞⏟ˆ˜¯˙¨‾ℎℝℕℤℂ𝔼ℒ𝒟𝒩𝒪\u2061\u2062\u2063\u2064\u0302\u0303\u0304\u20d7"
).union(*(map(chr, range(first, last + 1)) for first, last in RANGES))


def subset_font(characters: Iterable[str]) -> bytes:
    """The font with `BASE` and `characters` as WOFF2; those that it lacks, Chinese ones, are left out."""
    from fontTools import subset  # type: ignore[import-untyped]  # half a second, so only where it is needed
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    wanted = sorted(ord(character) for character in {*BASE, *characters, VARIANT})
    options = subset.Options(layout_features=FEATURES, name_IDs=NAMES, hinting=False, notdef_outline=True)
    font = TTFont(io.BytesIO(_source()), recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    _mend_connectors(font["MATH"].table.MathVariants)
    _narrow_roots(font)
    font.flavor = "woff2"
    out = io.BytesIO()
    font.save(out, reorderTables=False)
    return out.getvalue()


def _mend_connectors(variants: Any) -> None:
    """Let right arrows stretch: the font gives their tips the connector on the outer side.

    A browser that finds no overlap between the parts of a stretched glyph shows the short one.
    """
    for construction in (*variants.HorizGlyphConstruction, *variants.VertGlyphConstruction):
        parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
        if parts and parts[-1].StartConnectorLength == 0 < parts[-1].EndConnectorLength:
            last = parts[-1]
            last.StartConnectorLength, last.EndConnectorLength = last.EndConnectorLength, 0


def _narrow_roots(font: Any) -> None:
    """Make tall root signs as wide as the low one.

    Chromium keeps room beside each root for the widest sign that it might need: a gap of 0.4 em after √2.
    """
    variants = font["MATH"].table.MathVariants
    low = font.getBestCmap()[ord("√")]
    tall = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(low)]
    names = {record.VariantGlyph for record in tall.MathGlyphVariantRecord}
    names |= {part.glyph for part in tall.GlyphAssembly.PartRecords}
    wanted = font["hmtx"][low][0]
    for name in sorted(names - {low}):
        outline = font["glyf"][name]
        outline.coordinates.scale((wanted / font["hmtx"][name][0], 1))
        outline.coordinates.toInt()
        outline.recalcBounds(font["glyf"])
        font["hmtx"][name] = wanted, outline.xMin


def cached_font(characters: Iterable[str], cache: Path) -> bytes:
    """`subset_font`, from the folder `cache` where it was made before (it takes a second)."""
    wanted = "".join(sorted(BASE.union(characters)))
    source = hashlib.sha256(_source()).hexdigest()
    recipe = f"{RECIPE} {version('fonttools')} {version('brotli')} {source} {wanted}"
    path = cache / f"math-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}.woff2"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(subset_font(characters))
        part.replace(path)
    return path.read_bytes()


def _source() -> bytes:
    """The whole font; the package is found but not imported, for that would take time and warn."""
    spec = find_spec("ziamath")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the package 'ziamath' is not installed; the font of formulas is in it")
    return Path(spec.submodule_search_locations[0], "fonts", "STIXTwoMath-Regular.ttf").read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m course_markdown.math_font", description=__doc__)
    parser.add_argument("out", type=Path, help="the .woff2 file to write")
    parser.add_argument("characters", nargs="?", default="", help="characters beside the usual ones")
    given = parser.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_bytes(subset_font(given.characters))


if __name__ == "__main__":
    main()

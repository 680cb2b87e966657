"""Links to an anchor that does not exist end the build, with file and line; so do terms that lead nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFIG = """\
site_name: test
theme: mkdocs
plugins:
  - course: {live: [], strict: true}
markdown_extensions:
  - attr_list
  - course_markdown:
      terms:
        Softmax: g.md#softmax
        Key: g.md#keys
nav: [index.md, a.md, g.md]
"""
GOOD = """\
---
title: A
---

# A {#top}

[a](#top) [b](g.md#softmax) [c](index.md) [d](https://x.example/#y) [e](?scaling.d_k=4#demo-scaling)
`[f](#no)`

:::demo scaling
:::

<p id="raw"><a href="#raw">r</a></p>
"""


def build(root: Path, page: str, config: str = CONFIG) -> list[str]:
    """The messages of a build with `page` as docs/a.md and as a guest that is in no nav."""
    docs = root / "docs"
    docs.mkdir()
    (root / "mkdocs.yml").write_text(config, encoding="utf-8")
    (docs / "index.md").write_text("# Home\n", encoding="utf-8")
    (docs / "g.md").write_text("# G\n\n- **Softmax**{#softmax}: x\n- **Key**{#key}: y\n", encoding="utf-8")
    (docs / "a.md").write_text(page, encoding="utf-8")
    (docs / "guest.md").write_text(page, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = [line.removeprefix("ERROR   -  ") for line in done.stderr.splitlines() if " E26" in line]
    assert (done.returncode == 0) == (not found), done.stderr
    return found


def test_anchors_that_are_there(tmp_path: Path) -> None:
    assert build(tmp_path, GOOD, CONFIG.replace("#keys", "#key")) == []


BAD = """\
[x](#tpo)
[x](g.md#softmx)
[$x$ y](g.md?a=1#softmx)
<a href="#tpo">x</a>
"""


def test_an_anchor_that_is_not_there(tmp_path: Path) -> None:
    found = build(tmp_path, f"{GOOD}\n{BAD}", CONFIG.replace("#keys", "#key"))
    line = GOOD.count("\n") + 2
    cures = [("#tpo", "a.md", "#top"), ("g.md#softmx", "g.md", "#softmax")]
    cures += [("g.md?a=1#softmx", "g.md", "#softmax"), ("#tpo", "a.md", "#top")]
    assert found == [
        f"docs/a.md:{at}: E262 link to '{link}', but {uri} has no '#{link.partition('#')[2]}'; "
        f"did you mean '{cure}'?"
        for at, (link, uri, cure) in enumerate(cures, line)
    ]


def test_ids_that_nobody_wrote_are_not_proposed(tmp_path: Path) -> None:
    page = "# A\n\n## B {#b}\n\n{{2.0 := sqrt(4)}} [x](#zzz)\n\n:::quiz\nq\n答案: 0\n解析: x\n:::\n"
    config = CONFIG.replace("#keys", "#key").replace("      terms:", "      numbers: math\n      terms:")
    found = build(tmp_path, page, config)
    assert [line.partition("; ")[2] for line in found if "E262" in line] == ["known are a, b"]


def test_a_guest_may_ask_what_the_bank_has(tmp_path: Path) -> None:
    page = ":::interview\n**Q1：问？**\n:::answer\n**答。**\n:::\n:::\n\n:::bank\n甲 | 1\n:::\n"
    assert build(tmp_path, page, CONFIG.replace("#keys", "#key")) == []


def test_a_term_that_leads_nowhere(tmp_path: Path) -> None:
    assert build(tmp_path, GOOD) == [
        "mkdocs.yml:10: E261 term 'Key' leads to '#keys', which g.md does not have; did you mean '#key'?"
    ]


def test_edition_is_proofread_when_its_own_configuration_says_so(tmp_path: Path) -> None:
    own = "INHERIT: base.yml\nplugins:\n  course: {strict: true}\n"
    mapping = CONFIG.replace("  - course:", "  course:")
    for name, config, proofread in [("quiet", "INHERIT: base.yml\n", False), ("own", own, True)]:
        root = tmp_path / name
        root.mkdir()
        (root / "base.yml").write_text(mapping, encoding="utf-8")
        found = build(root, "# A\n\n[x](#tpo)\n", config)
        assert any("docs/a.md:3: E262" in line for line in found) == proofread

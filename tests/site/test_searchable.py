"""The search finds pages by their words; readers get the whole page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from course_site.searchable import searchable

CONFIG = """
site_name: test
theme: material
plugins:
  search: {}
  course: {live: [], cache: CACHE}
markdown_extensions:
  course_markdown: {}
"""
PAGE = """# Scaled

Words $\\sqrt{d_k}$ and {{2.0 := 4 / 2}} more.

:::demo scaling A title
A caption.
:::

```python
x = [1, 2]
```

:::quiz
Which?

A. this
B. that

Answer: A
Explanation: because.
:::
"""


def test_page_and_its_search_entry(tmp_path: Path, root: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(CONFIG.replace("CACHE", str(root / ".cache")), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    index = json.loads((tmp_path / "site/search/search_index.json").read_text(encoding="utf-8"))
    found = " ".join(entry["text"] for entry in index["docs"])
    for words in ("Words dk and 2.0 more.", "A title", "A caption.", "x = [1, 2]", "Which?", "because."):
        assert words in found
    assert "4 / 2" not in found
    assert "CSV" not in found
    page = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    for markup in ("<math>", "demo-frame", "<code>4 / 2</code>", 'data-act="csv"'):
        assert markup in page
    assert "data-search-exclude=" not in page


def test_what_is_around_stays(root: Path) -> None:
    html = '<h2 id="a">甲 <math><mi>x</mi></math></h2><p>乙</p><pre class="c"><b>1</b>\n2</pre><p>丙</p>'
    assert searchable(html) == '<h2 id="a">甲 x</h2><p>乙</p><pre class="c">1\n2</pre><p>丙</p>'
    assert searchable("<p>字</p>") == "<p>字</p>"

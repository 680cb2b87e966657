"""Processor time of a build, against Material alone on the same pages; prints medians and the ratio."""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 3

# The same pages, theme, search and other extensions; only what this project adds is left out.
PLAIN = """
site_name: plain
docs_dir: {root}/docs
theme: {{name: material, language: zh, font: false}}
plugins: {{search: {{lang: [zh, en]}}}}
markdown_extensions:
  attr_list: {{}}
  tables: {{}}
  toc: {{permalink: true}}
  pymdownx.highlight: {{}}
  pymdownx.inlinehilite: {{}}
  pymdownx.superfences: {{}}
validation: {{links: {{not_found: ignore, anchors: ignore, unrecognized_links: ignore}}}}
"""


def seconds(config: Path, out: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", config, "--site-dir", out]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.yml"
        plain.write_text(PLAIN.format(root=ROOT), encoding="utf-8")
        # Without the theme's embed.html the pages of single demos are left out, which the plain site has not.
        same = Path(folder) / "course.yml"
        (Path(folder) / "theme").mkdir()
        same.write_text(
            f"INHERIT: {ROOT}/mkdocs.yml\ndocs_dir: {ROOT}/docs\ntheme: {{custom_dir: {folder}/theme}}\n",
            encoding="utf-8",
        )
        configs = {"course": same, "plain": plain}
        times: dict[str, list[float]] = {name: [] for name in configs}
        for run in range(RUNS + 1):
            for name, config in configs.items():
                taken = seconds(config, Path(folder) / name)
                if run:  # the first run fills caches
                    times[name].append(taken)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, taken in medians.items():
        print(f"{name:7} {taken:6.2f} s")
    print(f"ratio   {medians['course'] / medians['plain']:6.2f}  (budget 2)")


if __name__ == "__main__":
    main()

"""Who may import whom. The table is the one in CONTRIBUTING.md."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STDLIB = frozenset(sys.stdlib_module_names)
OURS = frozenset({"transformer_core", "demos", "course_markdown", "course_site", "training"})


def demo_rule(name: str) -> bool:
    """A demo may use the kit, folders of parts, the core, numpy; no demo, no clock, no machine."""
    top, *rest = name.split(".")
    if top == "demos":
        return bool(rest) and (ROOT / "demos" / rest[0]).is_dir()
    return top in {"transformer_core", "numpy"} or (
        top in STDLIB and top not in {"time", "os", "random", "subprocess"}
    )


RULES = {
    "transformer_core": lambda name: name.split(".")[0] in STDLIB | {"numpy", "transformer_core"},
    "demos/kit": lambda name: name.split(".")[0] in STDLIB or name == "demos" or name.startswith("demos.kit"),
    "course_markdown": lambda name: (
        name.split(".")[0]
        in STDLIB | {"markdown", "pymdownx", "math_core", "fontTools", "ziamath", "course_markdown", "yaml"}
        or name.startswith("demos.kit")
    ),
    "course_site": lambda name: name.split(".")[0] != "mkdocs",
}


def imports(path: Path) -> list[str]:
    """The absolute names of all modules that a file imports."""
    package = list(path.relative_to(ROOT).with_suffix("").parts)
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: -node.level] if node.level else []
            found.append(".".join([*base, *([node.module] if node.module else [])]))
    return found


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def breaches(folder: str) -> list[str]:
    allowed = RULES[folder]
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files(folder)
        if path.name != "mkdocs_plugin.py"
        for name in imports(path)
        if not allowed(name)
    ]


@pytest.mark.parametrize("folder", sorted(RULES))
def test_package_imports_only_what_it_may(folder: str) -> None:
    assert files(folder), f"no files in {folder}: the rule would check nothing"
    assert breaches(folder) == []


def test_demos_import_only_kit_core_and_numpy() -> None:
    found = []
    for path in files("demos"):
        if "kit" in path.parts or path.name == "__init__.py":
            continue
        found += [f"{path.relative_to(ROOT)} imports {name}" for name in imports(path) if not demo_rule(name)]
    assert found == []


def test_nothing_imports_what_stands_above_it() -> None:
    above = {"transformer_core": OURS - {"transformer_core"}, "course_markdown": {"course_site", "training"}}
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for folder, forbidden in above.items()
        for path in files(folder)
        for name in imports(path)
        if name.split(".")[0] in forbidden
    ]
    assert found == []


def test_scripts_name_no_demo() -> None:
    names = [path.stem.replace("_", "-") for path in (ROOT / "demos").glob("*.py") if path.stem != "__init__"]
    found = [
        f"{script.name} names {name}"
        for script in sorted((ROOT / "docs/assets/js").glob("*.js"))
        for name in names
        if f'"{name}"' in script.read_text(encoding="utf-8")
    ]
    assert names
    assert found == []

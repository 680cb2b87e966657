"""The modules of the code editor: where they come from, and how they name each other in the site."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from course_site import editor
from course_site.editor import name_relatively, pinned_editor, ship_editor
from course_site.errors import FetchError, PrepareError
from course_site.fetch import fetch_files
from course_site.npm_packages import NpmPackages, archive_of, package_of
from course_site.progress import Log
from course_site.pyodide_assets import Asset

LISTED = pinned_editor()


class Nowhere:
    """A source that has nothing, and counts how often it was asked."""

    name = "a place"

    def __init__(self) -> None:
        self.asked = 0

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> dict[str, str]:
        self.asked += 1
        return {asset.name: "it has none" for asset in wanted}


@pytest.fixture(scope="session")
def downloads(project_cache: Path) -> Path:
    """The pinned files; a machine on which no npm and no CDN is known cannot have them."""
    try:
        return editor.fetch_editor(LISTED, project_cache)
    except FetchError as failed:
        pytest.skip(str(failed))


@pytest.fixture
def shipped(downloads: Path, project_cache: Path) -> tuple[dict[str, str], dict[str, bytes]]:
    return ship_editor(project_cache, places=[])


def test_all_files_have_the_pinned_hashes_and_sizes(downloads: Path) -> None:
    files = [asset for package in LISTED.packages for asset in (package.module, package.licence)]
    assert len(files) == 26
    assert {asset.name: asset.fault(downloads / asset.name) for asset in files} == dict.fromkeys(
        asset.name for asset in files
    )
    assert [(downloads / asset.name).stat().st_size for asset in files] == [asset.bytes for asset in files]


def test_types_are_checked_against_the_pinned_versions(root: Path) -> None:
    tools = json.loads((root / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    checked = {
        f"{name}@{version}" for name, version in tools.items() if name.startswith(("@codemirror/", "@lezer/"))
    }
    assert len(checked) == 6
    assert checked <= {package_of(package.module.name) for package in LISTED.packages}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import { a as b } from '@x/one';\n", "import { a as b } from './x-one.js';\n"),
        ('import two from "two"\nlet from\n', 'import two from "./two.js"\nlet from\n'),
        ("import 'two';", "import './two.js';"),
        ("let a;\nexport { a } from '@x/one';", "let a;\nexport { a } from './x-one.js';"),
        ("import {\n  a,\n  b\n} from 'two';", "import {\n  a,\n  b\n} from './two.js';"),
        ("export * from 'two';", "export * from './two.js';"),
        # what only looks like it
        ("export { a };\nsay('x from', 'two')", "export { a };\nsay('x from', 'two')"),
        ("/**\nhere `import x from 'y'` is text\n*/", "/**\nhere `import x from 'y'` is text\n*/"),
        ("important('two');", "important('two');"),
    ],
)
def test_imports_name_the_files_beside_them(source: str, expected: str) -> None:
    assert name_relatively(source, {"@x/one": "x-one.js", "two": "two.js"}) == expected


def test_an_import_of_an_unlisted_package_is_an_error() -> None:
    with pytest.raises(PrepareError, match=r"imports 'three', which editor_assets\.toml does not list"):
        name_relatively("import { a } from 'three';", {"two": "two.js"})


def test_the_shipped_modules_need_each_other_and_nothing_else(
    shipped: tuple[dict[str, str], dict[str, bytes]],
) -> None:
    addresses, blobs = shipped
    modules = {name: data.decode() for name, data in blobs.items() if name.endswith(".js")}
    assert sorted(addresses.values()) == sorted(f"editor/{name}" for name in modules)
    (folder,) = {name.split("/")[0] for name in modules}
    named = [
        name
        for source in modules.values()
        for name in re.findall(r"^(?:im|ex)port .* from '(.*)';$", source, re.M)
    ]
    assert len(named) >= len(modules)
    assert {f"{folder}/{name.removeprefix('./')}" for name in named} <= set(modules)
    for package in LISTED.packages:
        assert package.name in blobs["LICENSES.txt"].decode()
    assert "MIT License" in blobs["LICENSES.txt"].decode()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_node_links_the_shipped_modules(
    shipped: tuple[dict[str, str], dict[str, bytes]], tmp_path: Path
) -> None:
    addresses, blobs = shipped
    for name, data in blobs.items():
        path = tmp_path / "editor" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    script = "const view = await import(process.argv[1]); console.log(typeof view.EditorView)"
    command = ["node", "--input-type=module", "--eval", script, str(tmp_path / addresses["@codemirror/view"])]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "function\n"


def test_without_the_modules_the_site_is_made_and_nobody_is_asked_again(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editor, "_given_up", set())
    place = Nowhere()
    for _ in range(2):
        assert ship_editor(tmp_path, places=[place], log=said.append) == ({}, {})
    assert place.asked == 1
    (message,) = said
    lines = message.splitlines()
    assert lines[0] == "cannot get the modules of the code editor:"
    assert lines[1].startswith("  @codemirror/state@")
    assert lines[2:4] == ["    - the cache: not there", "    - a place: it has none"]
    assert lines[-1] == "Until they are there, readers change code in a plain text field."


PACKAGES = {"@x/one@1.0.0": {"dist/index.js": b"one"}, "two@2.1.0": {"index.js": b"two", "LICENSE": b"free"}}
FAKE = """
import pathlib, shutil, sys
assert sys.argv[1:] == ["pack", "--silent", "@x/one@1.0.0", "two@2.1.0"], sys.argv
for name in {names!r}:
    shutil.copy(pathlib.Path({folder!r}) / name, ".")
"""


@pytest.fixture
def wanted() -> list[Asset]:
    from hashlib import sha256

    return [
        Asset("module", f"{spec}/{name}", len(data), sha256(data).hexdigest())
        for spec, files in PACKAGES.items()
        for name, data in files.items()
    ]


def fake_npm(tmp_path: Path, *names: str) -> NpmPackages:
    """A client that leaves these archives, as `npm pack` does."""
    for spec, files in PACKAGES.items():
        with tarfile.open(tmp_path / archive_of(spec), "w:gz") as tar:
            for name, data in files.items():
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    script = tmp_path / "npm.py"
    script.write_text(FAKE.format(names=names, folder=str(tmp_path)), encoding="utf-8")
    return NpmPackages(10, (sys.executable, str(script)))


def test_one_call_of_npm_brings_the_files_of_all_packages(tmp_path: Path, wanted: list[Asset]) -> None:
    client = fake_npm(tmp_path, "x-one-1.0.0.tgz", "two-2.1.0.tgz")
    fetch_files(wanted, tmp_path / "cache", [client], "them")
    assert (tmp_path / "cache/@x/one@1.0.0/dist/index.js").read_bytes() == b"one"
    assert (tmp_path / "cache/two@2.1.0/LICENSE").read_bytes() == b"free"


def test_a_package_that_npm_did_not_bring_is_named(tmp_path: Path, wanted: list[Asset]) -> None:
    with pytest.raises(FetchError) as failed:
        fetch_files(wanted, tmp_path / "cache", [fake_npm(tmp_path, "two-2.1.0.tgz")], "them")
    assert str(failed.value).splitlines()[:4] == [
        "cannot get them:",
        "  @x/one@1.0.0/dist/index.js (3 bytes)",
        "    - the cache: not there",
        "    - npm: left no x-one-1.0.0.tgz",
    ]
    assert (tmp_path / "cache/two@2.1.0/index.js").exists()


def test_names_say_which_package_and_archive_they_are_of() -> None:
    assert package_of("@lezer/lr@1.4.12/dist/index.js") == "@lezer/lr@1.4.12"
    assert package_of("crelt@1.0.7/index.js") == "crelt@1.0.7"
    assert archive_of("@lezer/lr@1.4.12") == "lezer-lr-1.4.12.tgz"

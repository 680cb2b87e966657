"""`prepare`: what it writes, that it writes the same again, and that it writes nothing without a reason."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_site import prepare as module
from course_site.archive import package_files, python_sources, unpack
from course_site.errors import FetchError
from course_site.prepare import prepare

Course = Callable[..., Path]


@pytest.fixture(autouse=True)
def keep_the_cache(monkeypatch: pytest.MonkeyPatch, project_cache: Path, real: dict[str, Path]) -> None:
    """Every course below uses the project's cache, where the real files are."""
    monkeypatch.setenv("COURSE_CACHE", str(project_cache))


@pytest.fixture
def course(tmp_path: Path, make_course: Course) -> Path:
    return make_course(tmp_path / "course", switch="pass")


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def manifest_of(out: Path) -> dict[str, Any]:
    return json.loads((out / "manifest.json").read_text(encoding="utf-8"))


def test_two_builds_give_the_same_bytes(course: Path, tmp_path: Path, make_course: Course) -> None:
    again = make_course(tmp_path / "another" / "place", switch="pass")
    prepare(course, tmp_path / "one")
    prepare(again, tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_the_manifest_names_every_file_with_its_size(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out, langs=("zh", "en"))
    manifest = manifest_of(out)
    sizes = {name: len(data) for name, data in contents(out).items() if name != "manifest.json"}
    assert manifest["bytes"] == sizes
    entries = list(manifest["python"]["files"].values())
    entries += [entry["packed"] for entry in entries if "packed" in entry]
    assert all(sizes[entry["url"]] == entry["bytes"] for entry in entries)
    assert set(manifest["frames"]) == {"switch.zh", "switch.en"}
    for address in manifest["frames"].values():
        path, version = address.split("?")
        assert hashlib.sha256((out / path).read_bytes()).hexdigest().startswith(version)


def test_a_name_carries_the_hash_of_its_content(course: Path, tmp_path: Path) -> None:
    prepare(course, tmp_path / "out")
    for path in (tmp_path / "out" / "pyodide").iterdir():
        if path.name != "LICENSES.txt":
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            assert path.name.split("-")[1].split(".")[0] == digest


def test_both_forms_hold_the_same(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out)
    files = manifest_of(out)["python"]["files"]
    two_forms = {role: entry for role, entry in files.items() if "packed" in entry}
    assert set(two_forms) == {"engine", "stdlib", "stdlib_full", "numpy", "numpy_later", "course"}
    for entry in two_forms.values():
        packed = (out / entry["packed"]["url"]).read_bytes()
        assert gzip.decompress(packed) == (out / entry["url"]).read_bytes()
        assert len(packed) < entry["bytes"]


def test_our_code_is_shipped_to_run_and_to_read(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out)
    files = manifest_of(out)["python"]["files"]
    runs = unpack((out / files["course"]["url"]).read_bytes())
    assert {name.removesuffix("c") for name in runs} == set(package_files(course))
    reads = unpack(gzip.decompress((out / files["sources"]["url"]).read_bytes()))
    assert reads == python_sources(package_files(course))


def test_a_second_build_writes_nothing(course: Path, tmp_path: Path, said: list[str]) -> None:
    out = tmp_path / "out"
    assert prepare(course, out)
    dates = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    assert prepare(course, out, log=said.append) == []
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == dates
    # Which compiler there is may be said each time; that something was made may not.
    assert [line for line in said if line.startswith("Prepared")] == []


def test_an_edited_demo_changes_only_what_follows_from_it(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out)
    before = set(contents(out))
    demo = course / "demos" / "switch.py"
    demo.write_text(demo.read_text(encoding="utf-8").replace("on {on}", "is {on}"), encoding="utf-8")
    written = {path.relative_to(out).as_posix().split("-")[0] for path in prepare(course, out)}
    assert written == {"pyodide/course", "pyodide/sources", "manifest.json"}, "zh frames stayed the same"
    gone = before - set(contents(out))
    assert {name.split("-")[0] for name in gone} == {"pyodide/course", "pyodide/sources"}
    assert len(gone) == 3


def test_a_removed_demo_leaves_no_frames_and_foreign_files_stay(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out)
    (out / "fonts.css").write_text("mine", encoding="utf-8")
    (course / "demos" / "switch.py").unlink()
    prepare(course, out)
    assert manifest_of(out)["frames"] == {}
    assert not (out / "frames" / "switch.zh.json").exists()
    assert (out / "fonts.css").exists()


def test_a_damaged_generated_file_is_written_again(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(course, out)
    engine = next((out / "pyodide").glob("engine-*.wasm"))
    data = bytearray(engine.read_bytes())
    data[5_000_000] ^= 1
    engine.write_bytes(data)
    assert prepare(course, out) == [engine]


def test_the_command_line_says_what_it_did(course: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "course_site.prepare", "--root", str(course), "--out", str(out)]
    done = subprocess.run([*command, "--lang", "en"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("Prepared Python for the browser: ")
    assert set(manifest_of(out)["frames"]) == {"switch.en"}


def test_the_command_line_ends_with_a_message_where_it_fails(
    monkeypatch: pytest.MonkeyPatch, course: Path, tmp_path: Path
) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise FetchError("cannot get the files")

    monkeypatch.setattr(module, "fetch", nowhere)
    monkeypatch.setattr(sys, "argv", ["prepare", "--root", str(course), "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="error: cannot get the files"):
        module.main()

"""Downloads: where they come from, what is refused, what is said."""

from __future__ import annotations

import io
import socket
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from course_site.errors import FetchError
from course_site.fetch import fetch
from course_site.progress import Log, Progress
from course_site.pyodide_assets import Asset, Package, Pinned
from course_site.sources import Cdn, npm, pip
from course_site.static_host import serve

Real = dict[str, Path]


class Place:
    """A source that has these files, and remembers what it was asked for."""

    name = "a place"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[str] = []

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> dict[str, str]:
        self.asked = [asset.name for asset in wanted]
        for name in set(self.asked) & self.files.keys():
            (into / name).write_bytes(self.files[name])
        return {name: "it has none" for name in self.asked if name not in self.files}


@pytest.fixture
def two(listed: Pinned) -> Pinned:
    """The real list cut down to two small files."""
    return replace(listed, files=tuple(asset for asset in listed.files if asset.role in ("loader", "stdlib")))


@pytest.fixture
def full(two: Pinned, real: Real) -> Place:
    """A place that has both, undamaged."""
    return Place({asset.name: real[asset.role].read_bytes() for asset in two.files})


def test_all_real_files_have_the_pinned_hashes(listed: Pinned, real: Real) -> None:
    assert {asset.role: asset.fault(real[asset.role]) for asset in listed.files} == dict.fromkeys(
        ["loader", "glue", "engine", "stdlib", "numpy"]
    )
    assert [real[asset.role].stat().st_size for asset in listed.files] == [
        asset.bytes for asset in listed.files
    ]


def test_a_second_time_asks_nobody(two: Pinned, full: Place, tmp_path: Path, said: list[str]) -> None:
    first = fetch(two, tmp_path, places=[full], log=said.append)
    second = fetch(two, tmp_path, places=[], log=said.append)
    assert first == second
    assert first["loader"].read_bytes() == full.files["pyodide.mjs"]


def test_only_what_is_missing_is_asked_for(two: Pinned, full: Place, tmp_path: Path) -> None:
    fetch(two, tmp_path, places=[full])["loader"].unlink()
    fetch(two, tmp_path, places=[full])
    assert full.asked == ["pyodide.mjs"]


def test_a_damaged_download_is_refused_named_and_taken_from_the_next_place(
    two: Pinned, full: Place, tmp_path: Path, said: list[str]
) -> None:
    torn = Place(full.files | {"pyodide.mjs": full.files["pyodide.mjs"][:-1]})
    paths = fetch(two, tmp_path, places=[torn, full], log=said.append)
    assert full.asked == ["pyodide.mjs"]
    assert paths["loader"].read_bytes() == full.files["pyodide.mjs"]
    (message,) = said
    assert message.startswith("pyodide.mjs from a place: refused, the download is damaged: 13,930 bytes")
    assert "expected 13,931 bytes with SHA-256 04c052c8" in message


def test_a_damaged_cache_entry_is_thrown_away_and_fetched_again(
    two: Pinned, full: Place, tmp_path: Path, said: list[str]
) -> None:
    path = fetch(two, tmp_path, places=[full])["stdlib"]
    damaged = bytearray(path.read_bytes())
    damaged[1000] ^= 1
    path.write_bytes(damaged)
    fetch(two, tmp_path, places=[full], log=said.append)
    assert path.read_bytes() == full.files["python_stdlib.zip"]
    assert said[0].startswith("python_stdlib.zip in the cache is damaged")
    assert "thrown away" in said[0]


def test_a_failure_names_every_file_and_every_attempt(two: Pinned, full: Place, tmp_path: Path) -> None:
    torn = Place({"pyodide.mjs": b"<html>Sign in to the network</html>"})
    other = Place({"pyodide.mjs": full.files["pyodide.mjs"]})
    other.name = "another place"
    with pytest.raises(FetchError) as failed:
        fetch(two, tmp_path, places=[torn, other])
    lines = str(failed.value).splitlines()
    assert lines[1:5] == [
        "  python_stdlib.zip (2,360,737 bytes)",
        "    - the cache: not there",
        "    - a place: it has none",
        "    - another place: it has none",
    ]
    assert [path.name for path in (tmp_path / "pyodide-0.27.7").iterdir()] == ["pyodide.mjs"]


def test_a_cdn_serves_plain_files(two: Pinned, full: Place, tmp_path: Path, said: list[str]) -> None:
    folder = tmp_path / "cdn"
    folder.mkdir()
    for name, data in full.files.items():
        (folder / name).write_bytes(data)
    with serve(folder) as host:
        paths = fetch(two, tmp_path, places=[Cdn(host.url)], log=said.append)
    assert paths["stdlib"].read_bytes() == full.files["python_stdlib.zip"]
    assert "Downloading python_stdlib.zip (2.36 MB)" in said


def test_a_cdn_that_lacks_a_file_gives_the_others(two: Pinned, full: Place, tmp_path: Path) -> None:
    (tmp_path / "python_stdlib.zip").write_bytes(full.files["python_stdlib.zip"])
    with serve(tmp_path) as host, pytest.raises(FetchError, match="answered 404"):
        fetch(two, tmp_path, places=[Cdn(host.url)])
    assert (tmp_path / "pyodide-0.27.7" / "python_stdlib.zip").exists()


def test_a_cdn_that_nobody_answers_for_is_asked_once(two: Pinned, full: Place, tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        silent = Cdn(f"http://127.0.0.1:{closed.getsockname()[1]}/")
        with pytest.raises(FetchError) as failed:
            fetch(two, tmp_path, places=[silent])
        assert str(failed.value).count("no answer") == 2
        assert fetch(two, tmp_path, places=[silent, full])["loader"].exists()


FAKE = """
import pathlib, sys
assert sys.argv[-1] == "the-package==1", sys.argv
pathlib.Path("carrier.archive").write_bytes(pathlib.Path({archive!r}).read_bytes())
"""


@pytest.fixture(params=[npm, pip], ids=["npm", "pip"])
def fake_client(request: pytest.FixtureRequest, tmp_path: Path, full: Place) -> Callable[[str], object]:
    """A package client that leaves an archive with the real files, as npm and pip do."""
    archive = tmp_path / "carrier"
    if request.param is npm:
        with tarfile.open(archive, "w:gz") as tar:
            for name, data in full.files.items():
                member = tarfile.TarInfo(f"inner/{name}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    else:
        with zipfile.ZipFile(archive, "w") as wheel:
            for name, data in full.files.items():
                wheel.writestr(f"inner/{name}", data)

    def client(program: str = FAKE.format(archive=str(archive))) -> object:
        script = tmp_path / "client.py"
        script.write_text(program, encoding="utf-8")
        return request.param(Package("the-package==1", "inner/", 1), (sys.executable, str(script)))

    return client


def test_package_clients_bring_an_archive_with_the_files(
    two: Pinned, full: Place, tmp_path: Path, fake_client: Callable[..., Cdn]
) -> None:
    paths = fetch(two, tmp_path, places=[fake_client()])
    assert paths["stdlib"].read_bytes() == full.files["python_stdlib.zip"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.exit('connection refused')", "ended with 1: connection refused"),
        ("", "left 0 files instead of one archive"),
        ("open('carrier', 'wb').write(b'PK not really')", "its archive carrier is damaged"),
    ],
    ids=["fails", "brings nothing", "brings rubbish"],
)
def test_a_package_client_that_fails_says_why(
    two: Pinned, tmp_path: Path, fake_client: Callable[..., Cdn], program: str, reason: str
) -> None:
    with pytest.raises(FetchError, match=reason):
        fetch(two, tmp_path, places=[fake_client(program)])


def test_a_client_that_is_not_installed_is_passed_over(two: Pinned, full: Place, tmp_path: Path) -> None:
    absent = npm(Package("the-package==1", "inner/", 1), ("no-such-npm",))
    with pytest.raises(FetchError, match="no-such-npm is not installed"):
        fetch(two, tmp_path, places=[absent])
    assert fetch(two, tmp_path, places=[absent, full])["loader"].exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_bytes_grow(said: list[str]) -> None:
    terminal = Terminal()
    progress = Progress("Downloading it", 4_000_000, said.append, terminal)
    progress.show(1_000_000)
    progress.done()
    assert said == []
    assert "Downloading it: 1.00 MB of 4.00 MB  25 %" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r"), "the line is taken away when it is done"


def test_a_log_file_gets_one_plain_line(said: list[str]) -> None:
    progress = Progress("Downloading it", 812_000, said.append, io.StringIO())
    progress.show(1000)
    progress.done()
    assert said == ["Downloading it (812 kB)"]
    assert not progress.stream.getvalue()  # type: ignore[attr-defined]


def test_the_cache_can_stand_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path) -> None:
    from course_site.pyodide_assets import cache_folder

    monkeypatch.setenv("COURSE_CACHE", str(tmp_path / "elsewhere"))
    assert cache_folder(root) == tmp_path / "elsewhere"
    monkeypatch.delenv("COURSE_CACHE")
    assert cache_folder(root) == root / ".cache"

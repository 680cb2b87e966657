"""Archives: the same content gives the same bytes, and only what belongs to a package is inside."""

from __future__ import annotations

import gzip
import os
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from course_site.archive import (
    pack,
    package_files,
    python_sources,
    read_kept,
    short_hash,
    squeeze,
    unpack,
)


def test_order_and_time_leave_no_trace() -> None:
    assert pack({"b": b"2", "a": b"1"}) == pack({"a": b"1", "b": b"2"})
    assert squeeze(b"x" * 99) == squeeze(b"x" * 99)
    assert gzip.decompress(squeeze(b"x" * 99)) == b"x" * 99


def test_a_zip_is_stored_so_that_the_worker_can_read_it_in_place() -> None:
    with zipfile.ZipFile(BytesIO(pack({"a/b.py": b"print()" * 9}))) as archive:
        (member,) = archive.infolist()
    assert (member.compress_type, member.date_time) == (zipfile.ZIP_STORED, (1980, 1, 1, 0, 0, 0))


def test_what_goes_in_comes_out() -> None:
    files = {"a.py": b"", "b/c.npz": bytes(range(256))}
    assert unpack(pack(files)) == files


def test_another_content_has_another_name() -> None:
    assert short_hash(b"a") != short_hash(b"b")
    assert len(short_hash(b"a")) == 12


def test_only_files_of_the_packages_are_taken(tmp_path: Path, make_course: Callable[..., Path]) -> None:
    course = make_course(tmp_path)
    before = package_files(course)
    stray = [
        "demos/__pycache__/slider.cpython-311.pyc",
        "demos/slider.pyc",
        "demos/.slider.py.swp",
        "demos/slider.py~",
        "transformer_core/py.typed",
        "other/module.py",
    ]
    for name in stray:
        (course / name).parent.mkdir(exist_ok=True)
        (course / name).write_bytes(b"stray")
    (course / "transformer_core" / "weights.npz").write_bytes(b"data")
    after = package_files(course)
    assert after.keys() - before.keys() == {"transformer_core/weights.npz"}
    assert {"demos/slider.py", "demos/kit/__init__.py", "transformer_core/__init__.py"} <= before.keys()
    assert "transformer_core/weights.npz" not in python_sources(after)


def test_dates_of_files_do_not_matter(tmp_path: Path, make_course: Callable[..., Path]) -> None:
    course = make_course(tmp_path)
    before = pack(package_files(course))
    os.utime(course / "demos" / "slider.py", (1, 1))
    assert pack(package_files(course)) == before


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data.replace(b"good", b"evil")])
def test_a_damaged_archive_in_the_cache_counts_as_missing(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    kept = tmp_path / "kept.zip"
    assert read_kept(kept) is None
    kept.write_bytes(pack({"a": b"good"}))
    assert read_kept(kept) == {"a": b"good"}
    kept.write_bytes(damage(kept.read_bytes()))
    assert read_kept(kept) is None

"""Shipped frames: which demos have them, what they hold, and when they are rendered again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from course_site.errors import FramesError
from course_site.frames import ship_frames


@pytest.fixture
def course(tmp_path: Path, make_course: Callable[..., Path]) -> Path:
    """One demo with 1000 states, two with a switch."""
    return make_course(tmp_path / "course", switch="pass", other_switch="pass")


def test_discrete_demos_ship_every_state_in_every_language(course: Path, tmp_path: Path) -> None:
    shipped = ship_frames(course, ("zh", "en"), tmp_path / "cache")
    assert sorted(shipped) == ["other-switch.en", "other-switch.zh", "switch.en", "switch.zh"]
    frames = json.loads(shipped["switch.zh"])
    assert [frames["frames"][place]["say"] for place in frames["states"].values()] == ["开 False", "开 True"]
    assert set(frames["states"]) == {"on=false", "on=true"}
    assert "&lt;&amp;&gt;" in "".join(frames["parts"])
    assert json.loads(shipped["switch.en"])["frames"][0]["say"] == "on False"


def test_the_same_code_gives_the_same_bytes(course: Path, tmp_path: Path) -> None:
    assert ship_frames(course, ("zh",), tmp_path / "a") == ship_frames(course, ("zh",), tmp_path / "b")


def test_an_edited_demo_alone_is_rendered_again(course: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ship_frames(course, ("zh",), cache)
    before = {path.name for path in (cache / "frames").iterdir()}
    demo = course / "demos" / "switch.py"
    demo.write_text(demo.read_text(encoding="utf-8").replace("开 {on}", "关 {on}"), encoding="utf-8")
    assert "关 True" in ship_frames(course, ("zh",), cache)["switch.zh"].decode()
    new = {path.name for path in (cache / "frames").iterdir()} - before
    assert [name.split(".")[0] for name in new] == ["switch"]


def test_a_change_in_the_core_renders_all_again(course: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ship_frames(course, ("zh",), cache)
    (course / "transformer_core" / "__init__.py").write_text("X = 1\n", encoding="utf-8")
    ship_frames(course, ("zh",), cache)
    assert len(list((cache / "frames").iterdir())) == 6


def test_a_broken_demo_is_an_error_that_names_its_file(course: Path, tmp_path: Path) -> None:
    (course / "demos" / "switch.py").write_text("TITLE = undefined_name\n", encoding="utf-8")
    with pytest.raises(FramesError, match=r"demos/switch\.py(?s:.)*undefined_name"):
        ship_frames(course, ("zh",), tmp_path / "cache")

"""tools/get_browser.py: what it takes, what it passes over, and what it says where nothing helps."""

from __future__ import annotations

import importlib.util
import stat
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def tool(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script as a module, on a machine without any browser."""
    spec = importlib.util.spec_from_file_location("get_browser", root / "tools" / "get_browser.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    monkeypatch.setattr(module, "MAC", ())
    monkeypatch.setattr(module, "playwrights_own", lambda: str(tmp_path / "playwrights"))
    monkeypatch.setattr(module, "PLAYWRIGHT", ("playwright-install",))
    monkeypatch.setattr(module.os, "geteuid", lambda: 0)
    return module


def program(tmp_path: Path, name: str, script: str) -> str:
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def new_browser(path: Path | str) -> str:
    """A script that makes a working browser at `path`."""
    return f"printf '#!/bin/sh\\necho Chromium 99\\n' > {path}; /bin/chmod +x {path}"


def test_an_installed_browser_that_runs_is_taken(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = program(tmp_path, "chromium-browser", "echo 'needs the snap'; exit 1")
    chrome = program(tmp_path, "google-chrome", "echo Google Chrome 99")
    assert tool.get_browser(tmp_path / "kept") == chrome
    assert (tmp_path / "kept").read_text(encoding="utf-8") == f"{chrome}\n"
    assert capsys.readouterr().out == f"{broken} is there but does not run\nBrowser: Google Chrome 99\n"


def test_the_remembered_browser_is_tried_first(tool: ModuleType, tmp_path: Path) -> None:
    program(tmp_path, "chromium", "echo Chromium 99")
    remembered = program(tmp_path, "mine", "echo Mine 1")
    (tmp_path / "kept").write_text(f"{remembered}\n", encoding="utf-8")
    assert tool.get_browser(tmp_path / "kept") == remembered


def test_a_remembered_browser_that_is_gone_is_replaced(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(f"{tmp_path}/gone\n", encoding="utf-8")
    chromium = program(tmp_path, "chromium", "echo Chromium 99")
    assert tool.get_browser(tmp_path / "kept") == chromium


def test_debians_package_is_installed_after_an_update(tool: ModuleType, tmp_path: Path) -> None:
    chromium = tmp_path / "bin" / "chromium"
    log = tmp_path / "log"
    script = f'echo "$*" >> {log}\ncase "$*" in *install*) {new_browser(chromium)};; esac'
    program(tmp_path, "apt-get", script)
    program(tmp_path, "env", 'shift; exec "$@"')
    assert tool.get_browser(tmp_path / "kept") == str(chromium)
    update, install = log.read_text(encoding="utf-8").splitlines()
    assert (update.split()[-1], install.split()[-1]) == ("update", "chromium")


def test_without_rights_playwrights_browser_is_installed(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool.os, "geteuid", lambda: 1000)
    program(tmp_path, "apt-get", "exit 1")
    program(tmp_path, "sudo", "exit 1")
    program(tmp_path, "playwright-install", new_browser(tmp_path / "playwrights"))
    assert tool.get_browser(tmp_path / "kept") == str(tmp_path / "playwrights")


def test_a_failure_says_all_that_was_tried(tool: ModuleType, tmp_path: Path) -> None:
    program(tmp_path, "apt-get", "echo 'no such mirror' >&2; exit 100")
    program(tmp_path, "playwright-install", "exit 0")
    with pytest.raises(SystemExit) as failed:
        tool.get_browser(tmp_path / "kept")
    message = str(failed.value)
    assert "no Chromium, Chrome or Edge that runs was found" in message
    assert "ended with 100: no such mirror" in message
    assert "install_with_playwright: done, and still no browser runs" in message
    assert not (tmp_path / "kept").exists()

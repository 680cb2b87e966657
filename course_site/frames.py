"""The frames of discrete demos, rendered by this Python and laid beside the pages.

`ship_frames` asks a Python process of its own to render, so that a demo edited while the site is served is
read afresh. Run as a module, this file is that process.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from .archive import Entries, package_files
from .errors import FramesError
from .files import forget_oldest, write_atomically

FOLDER = "frames"


def ship_frames(root: Path, langs: Sequence[str], cache: Path) -> dict[str, bytes]:
    """The frames of every discrete demo as `NAME.LANG` -> JSON; rendered again only where their code changed.

    Raises FramesError with Python's message where a demo cannot be rendered.
    """
    files = package_files(root)
    demos = sorted(name for name in files if _is_demo(name))
    keys = {_name(demo): _key(demo, demos, files, langs) for demo in demos}
    folder = cache / "frames"
    kept = {name: folder / f"{name}.{key}.json" for name, key in keys.items()}
    missing = [name for name, path in kept.items() if not path.exists()]
    if missing:
        _render_elsewhere(root, missing, langs, kept)
        forget_oldest(folder, 20 * len(kept))
    shipped = {}
    for name, path in kept.items():
        for lang, frames in json.loads(path.read_text(encoding="utf-8")).items():
            if frames is not None:
                text = json.dumps(frames, ensure_ascii=False, separators=(",", ":"))
                shipped[f"{name}.{lang}"] = text.encode()
    return shipped


def _render_elsewhere(root: Path, names: Sequence[str], langs: Sequence[str], kept: dict[str, Path]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        request = json.dumps({"names": list(names), "langs": list(langs)})
        path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.frames", folder],
            input=request,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            cwd=root,
            env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"},
        )
        if done.returncode != 0:
            raise FramesError(f"the frames of the demos cannot be rendered:\n{done.stderr.strip()}")
        for name in names:
            write_atomically(kept[name], (Path(folder) / f"{name}.json").read_bytes())


def _is_demo(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return folder == "demos" and name.endswith(".py") and name != "__init__.py"


def _name(path: str) -> str:
    """The demo that a file is, as `demos.kit.names` says it."""
    return path.removeprefix("demos/").removesuffix(".py").replace("_", "-")


def _key(demo: str, demos: Sequence[str], files: Entries, langs: Sequence[str]) -> str:
    """Changes with whatever the demo's frames can depend on: all files but the other demos."""
    digest = hashlib.sha256(repr((sys.version, version("numpy"), tuple(langs))).encode())
    for name, data in sorted(files.items()):
        if name == demo or name not in demos:
            digest.update(f"{name} {len(data)} ".encode() + data)
    return digest.hexdigest()[:24]


def main(folder: Path) -> None:
    """Render what standard input asks for: one file a demo, language -> frames or null."""
    from demos.kit.shipped import shipped_frames

    request = json.load(sys.stdin)
    for name in request["names"]:
        made = {lang: shipped_frames(name, lang) for lang in request["langs"]}
        (folder / f"{name}.json").write_text(json.dumps(made, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

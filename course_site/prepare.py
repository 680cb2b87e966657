"""All static files that the pages need beside themselves, below docs/assets/generated/."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from . import editor, frames, ship
from .compilers import choose_compiler
from .errors import PrepareError
from .fetch import fetch
from .files import write_changed
from .progress import Log, megabytes
from .pyodide_assets import cache_folder, pinned

ROOT = Path(__file__).resolve().parent.parent
OUT = Path("docs/assets/generated")
MANIFEST = "manifest.json"


def prepare(root: Path, out: Path, *, langs: Sequence[str] = ("zh",), log: Log = print) -> list[Path]:
    """Make the files of the live demos: Pyodide, numpy, our packages, frames, the code editor, manifest.json.

    `root` holds `transformer_core` and `demos`. Only what changed is written, what is no longer wanted is
    deleted; the paths of the files written are returned. Raises PrepareError with a message for people.
    """
    listed, cache = pinned(), cache_folder(root)
    paths = fetch(listed, cache, log=log)
    compiler = choose_compiler(listed, cache, log)
    entries, blobs = ship.ship_runtime(listed, paths, compiler, cache)
    course_entries, course_blobs = ship.ship_course(root, listed, compiler, cache)
    shipped = frames.ship_frames(root, langs, cache)
    modules, editor_blobs = editor.ship_editor(cache, log=log)

    files = {f"{ship.FOLDER}/{name}": data for name, data in (blobs | course_blobs).items()}
    files |= {f"{frames.FOLDER}/{name}.json": data for name, data in shipped.items()}
    files |= {f"{editor.FOLDER}/{name}": data for name, data in editor_blobs.items()}
    major, minor = listed.python
    manifest = {
        "python": {
            "version": listed.version,
            "stdlib": f"/lib/python{major}{minor}.zip",
            "lock": listed.lock,
            "files": entries | course_entries,
            "compiled_by": compiler.ident,
        },
        # The digits after `?` change with the content, so that no reader sees frames of an older build.
        "frames": {
            name: f"{frames.FOLDER}/{name}.json?{hashlib.sha256(data).hexdigest()[:8]}"
            for name, data in shipped.items()
        },
        "editor": modules,
        "bytes": {name: len(data) for name, data in files.items()},
    }
    files[MANIFEST] = json.dumps(manifest, indent=1, sort_keys=True).encode()
    written = [out / name for name, data in files.items() if write_changed(out / name, data)]
    _delete_stale(out, files)
    if written:
        size = megabytes(sum(path.stat().st_size for path in written))
        log(f"Prepared Python for the browser: {len(written)} files, {size}; compiled by: {compiler.ident}")
    return written


def _delete_stale(out: Path, files: dict[str, bytes]) -> None:
    """Take away what an earlier build left in our folders."""
    for folder in (ship.FOLDER, frames.FOLDER, editor.FOLDER):
        for path in sorted((out / folder).rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(out).as_posix() not in files:
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m course_site.prepare", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the folder that holds demos/")
    parser.add_argument("--out", type=Path, help="where to write (docs/assets/generated)")
    parser.add_argument("--lang", action="append", dest="langs", help="a language of the frames (zh)")
    given = parser.parse_args()
    try:
        prepare(given.root, given.out or given.root / OUT, langs=given.langs or ("zh",))
    except PrepareError as failed:
        sys.exit(f"error: {failed}")


if __name__ == "__main__":
    main()

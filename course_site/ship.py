"""The files of Python as the site serves them: trimmed, byte-compiled, each named by the hash of its bytes.

Most come in two forms with the same content. The plain form is for hosts that compress with brotli on the
way: its name ends in `.wasm`, the one binary type that static hosts compress. The packed form is gzip, which
the reader's browser undoes itself, so that a host that compresses nothing costs no more. The worker asks for
the engine's plain form first, sees what the host does, and takes the better one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import archive, precompile, trim
from .archive import pack, package_files, python_sources, read_kept, short_hash, squeeze, unpack
from .compilers import Compiler
from .files import forget_oldest, write_atomically
from .pyodide_assets import LIST, Pinned

FOLDER = "pyodide"
# Python's own level 2 leaves docstrings out. numpy allows it only where Python runs at that level too,
# which the worker sees to; our own files keep theirs.
WITHOUT_DOCSTRINGS = 2

Blobs = dict[str, bytes]  # file name -> bytes
Entry = dict[str, Any]  # what the manifest says of one file
MADE_BY = (Path(__file__), *(Path(str(module.__file__)) for module in (archive, precompile, trim)), LIST)


def ship_runtime(
    pinned: Pinned, paths: Mapping[str, Path], compiler: Compiler, cache: Path
) -> tuple[dict[str, Entry], Blobs]:
    """Pyodide, the standard library and numpy: their entries in the manifest, and the files.

    They change with the pinned list, the compiler and this code alone.
    """
    return _kept(
        cache / "shipped", [compiler.ident.encode()], lambda: _make_runtime(pinned, paths, compiler, cache)
    )


def ship_course(
    root: Path, pinned: Pinned, compiler: Compiler, cache: Path
) -> tuple[dict[str, Entry], Blobs]:
    """`transformer_core` and `demos`: what the browser runs, and their sources for curious readers."""
    files = package_files(root)

    def make() -> tuple[dict[str, Entry], Blobs]:
        compiled = precompile.precompile(files, compiler=compiler, magic=pinned.magic, cache=cache)
        course, blobs = _two_forms("course", pack(compiled))
        sources = squeeze(pack(python_sources(files)))
        name = f"sources-{short_hash(sources)}.zip.packed"
        return {"course": course, "sources": _entry(name, sources)}, {**blobs, name: sources}

    return _kept(cache / "shipped-course", [compiler.ident.encode(), pack(files)], make)


def _kept(
    folder: Path, ingredients: list[bytes], make: Callable[[], tuple[dict[str, Entry], Blobs]]
) -> tuple[dict[str, Entry], Blobs]:
    """What `make` makes, from the cache where it was made before of the same ingredients by the same code."""
    key = hashlib.sha256(b"\0".join([*ingredients, *(path.read_bytes() for path in MADE_BY)]))
    kept = folder / f"{key.hexdigest()[:32]}.zip"
    found = read_kept(kept)
    if found:
        return json.loads(found.pop("entries.json")), found
    entries, blobs = make()
    write_atomically(kept, pack({**blobs, "entries.json": json.dumps(entries).encode()}))
    forget_oldest(folder, 3)
    return entries, blobs


def _make_runtime(
    pinned: Pinned, paths: Mapping[str, Path], compiler: Compiler, cache: Path
) -> tuple[dict[str, Entry], Blobs]:
    entries: dict[str, Entry] = {}
    blobs: Blobs = {}
    # Scripts: every host compresses them. Named .js, because some hosts do not know .mjs.
    for role in ("loader", "glue"):
        data = paths[role].read_bytes()
        name = f"{role}-{short_hash(data)}.js"
        entries[role], blobs[name] = _entry(name, data), data
    stdlib, numpy = (unpack(paths[role].read_bytes()) for role in ("stdlib", "numpy"))
    parts = {
        "stdlib": trim.core_stdlib(stdlib, pinned.core),
        "stdlib_full": trim.full_stdlib(stdlib),
        "numpy": trim.core_numpy(numpy, pinned.core),
        "numpy_later": trim.later_numpy(numpy, pinned.core),
    }
    archives = {"engine": paths["engine"].read_bytes()}
    for role, files in parts.items():
        compiled = precompile.precompile(
            files, compiler=compiler, magic=pinned.magic, cache=cache, optimize=WITHOUT_DOCSTRINGS
        )
        archives[role] = pack(compiled)
    for role, data in archives.items():
        entries[role], forms = _two_forms(role, data)
        blobs |= forms
    licence = next(data for name, data in numpy.items() if name.endswith(".dist-info/LICENSE.txt"))
    blobs["LICENSES.txt"] = NOTICE.encode() + licence
    return entries, blobs


def _two_forms(role: str, data: bytes) -> tuple[Entry, Blobs]:
    packed = squeeze(data)
    plain_name, packed_name = f"{role}-{short_hash(data)}.wasm", f"{role}-{short_hash(packed)}.packed"
    entry = _entry(plain_name, data) | {"packed": _entry(packed_name, packed)}
    return entry, {plain_name: data, packed_name: packed}


def _entry(name: str, data: bytes) -> Entry:
    return {"url": f"{FOLDER}/{name}", "bytes": len(data)}


NOTICE = """\
The files beside this one run Python in the reader's browser. They contain, trimmed and compiled:

Pyodide, Mozilla Public License 2.0, https://github.com/pyodide/pyodide
CPython and its standard library, PSF License Agreement Version 2, https://docs.python.org/3.12/license.html
  Copyright (c) 2001 Python Software Foundation; All Rights Reserved
numpy, under the licence that follows.

"""

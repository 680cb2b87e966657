"""CodeMirror as the site serves it: plain ES modules that name each other by relative addresses."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .archive import short_hash
from .errors import FetchError, PrepareError
from .fetch import fetch_files
from .npm_packages import NpmPackages
from .progress import Log
from .pyodide_assets import Asset
from .sources import Cdn, Source

LIST = Path(__file__).with_name("editor_assets.toml")
FOLDER = "editor"
MODULES = "the modules of the code editor"
INSTEAD = "Until they are there, readers change code in a plain text field."

# The start of a statement that names a module: `import a from 'b'`, `export { a } from 'b'`, `import 'b'`.
STATEMENT = re.compile(
    r"^((?:(?:import|export)\s[^'\";]*?\bfrom\s*|import\s*))(['\"])([^'\"]+)\2", re.MULTILINE
)

_given_up: set[Path] = set()  # caches for which nobody had the modules: not asked again at each save


@dataclass(frozen=True)
class Package:
    """One pinned package: the module that it is, and its licence."""

    name: str
    module: Asset
    licence: Asset

    @property
    def file(self) -> str:
        """What its module is called in the site: `@lezer/lr` is `lezer-lr.js`."""
        return self.name.removeprefix("@").replace("/", "-") + ".js"


@dataclass(frozen=True)
class Editor:
    """The whole list."""

    packages: tuple[Package, ...]
    places: tuple[Source, ...]


def pinned_editor(path: Path = LIST) -> Editor:
    """The list in the repository, read."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    packages = []
    for entry in table["packages"]:
        spec = f"{entry['name']}@{entry['version']}"
        parts = {
            role: Asset(role, f"{spec}/{entry[role]['path']}", entry[role]["bytes"], entry[role]["sha256"])
            for role in ("module", "licence")
        }
        packages.append(Package(entry["name"], **parts))
    return Editor(tuple(packages), (Cdn(table["cdn"]["url"]), NpmPackages(table["npm"]["bytes"])))


def fetch_editor(
    editor: Editor, cache: Path, *, places: Sequence[Source] | None = None, log: Log = print
) -> Path:
    """The folder of the cache that holds the pinned files; raises FetchError with all that was tried."""
    folder = cache / "codemirror"
    files = [asset for package in editor.packages for asset in (package.module, package.licence)]
    fetch_files(files, folder, editor.places if places is None else places, MODULES, log)
    return folder


def ship_editor(
    cache: Path, *, places: Sequence[Source] | None = None, log: Log = print
) -> tuple[dict[str, str], dict[str, bytes]]:
    """The addresses of the modules by the names of their packages, and the files; nothing where none are had.

    The site is whole without them, so that a machine which knows no npm builds it too. It is said aloud.
    """
    if cache in _given_up:
        return {}, {}
    editor = pinned_editor()
    try:
        folder = fetch_editor(editor, cache, places=places, log=log)
    except FetchError as failed:
        _given_up.add(cache)
        log(f"{failed}\n{INSTEAD}")
        return {}, {}
    files = {package.name: package.file for package in editor.packages}
    modules = {
        package.file: name_relatively((folder / package.module.name).read_text(encoding="utf-8"), files)
        for package in editor.packages
    }
    # One folder for all, named by their content: no reader gets modules of two builds together.
    version = short_hash("\0".join(modules.values()).encode())
    blobs = {f"{version}/{file}": source.encode() for file, source in modules.items()}
    blobs["LICENSES.txt"] = _licences(editor, folder)
    return {name: f"{FOLDER}/{version}/{file}" for name, file in files.items()}, blobs


def name_relatively(source: str, files: Mapping[str, str]) -> str:
    """The source of a module whose imports name the files beside it instead of packages.

    >>> name_relatively("import { NodeProp } from '@lezer/common';", {"@lezer/common": "lezer-common.js"})
    "import { NodeProp } from './lezer-common.js';"

    Raises PrepareError for a package that is not among `files`.
    """

    def relative(found: re.Match[str]) -> str:
        before, quote, name = found.groups()
        if name not in files:
            raise PrepareError(
                f"a module of the code editor imports {name!r}, which {LIST.name} does not list"
            )
        return f"{before}{quote}./{files[name]}{quote}"

    return STATEMENT.sub(relative, source)


def _licences(editor: Editor, folder: Path) -> bytes:
    """Every licence once, below the packages that it is of."""
    owners: dict[str, list[str]] = {}
    for package in editor.packages:
        text = (folder / package.licence.name).read_text(encoding="utf-8").strip()
        owners.setdefault(text, []).append(package.name)
    parts = [f"{', '.join(names)}:\n\n{text}\n" for text, names in owners.items()]
    return "\n\n".join(
        ["The modules beside this file are CodeMirror 6, https://codemirror.net\n", *parts]
    ).encode()

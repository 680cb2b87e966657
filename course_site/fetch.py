"""Get pinned files into the cache, each checked by its SHA-256: from the cache, else from a source."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .errors import FetchError
from .files import write_changed
from .progress import Log
from .pyodide_assets import Asset, Pinned
from .sources import Source, sources

PYTHON = "the files that run Python in the browser"


def fetch(
    pinned: Pinned, cache: Path, *, places: Sequence[Source] | None = None, log: Log = print
) -> dict[str, Path]:
    """Pyodide's files as role -> path in the cache, downloaded where they are missing or damaged.

    Raises FetchError with all that was tried.
    """
    folder = cache / f"pyodide-{pinned.version}"
    fetch_files(pinned.files, folder, sources(pinned) if places is None else places, PYTHON, log)
    # Node.js takes pyodide.asm.js for the old kind of module, whatever a package.json further up says.
    write_changed(folder / "package.json", b'{"type": "commonjs"}\n')
    return {asset.role: folder / asset.name for asset in pinned.files}


def fetch_files(
    files: Sequence[Asset], folder: Path, places: Sequence[Source], what: str, log: Log = print
) -> None:
    """Put the pinned files into `folder`; `what` says in messages what they are for.

    A file enters the folder by one rename, after its hash was found right: never half a file.
    Raises FetchError with all that was tried.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [asset for asset in files if not _cached(folder / asset.name, asset, log)]
    tried: dict[str, list[str]] = {asset.name: ["the cache: not there"] for asset in missing}
    for place in places:
        if not missing:
            return
        missing = _ask(place, missing, folder, tried, log)
    if missing:
        raise FetchError(_report(missing, tried, folder, what))


def _cached(path: Path, asset: Asset, log: Log) -> bool:
    if not path.exists():
        return False
    fault = asset.fault(path)
    if fault is None:
        return True
    log(f"{asset.name} in the cache is damaged ({fault}): thrown away, to be fetched again")
    path.unlink()
    return False


def _ask(
    place: Source, missing: Sequence[Asset], folder: Path, tried: dict[str, list[str]], log: Log
) -> list[Asset]:
    """Take from `place` what it has; the files that are still missing afterwards."""
    still = []
    with tempfile.TemporaryDirectory(prefix="incoming-", dir=folder) as temporary:
        incoming = Path(temporary)
        reasons = place.get(missing, incoming, log)
        for asset in missing:
            arrived = incoming / asset.name
            fault = reasons.get(asset.name)
            if fault is None:
                damage = asset.fault(arrived)
                if damage is None:
                    (folder / asset.name).parent.mkdir(parents=True, exist_ok=True)
                    arrived.replace(folder / asset.name)
                    continue
                fault = f"refused, the download is damaged: {damage}"
                log(f"{asset.name} from {place.name}: {fault}")
            tried[asset.name].append(f"{place.name}: {fault}")
            still.append(asset)
    return still


def _report(missing: Sequence[Asset], tried: dict[str, list[str]], folder: Path, what: str) -> str:
    lines = [f"cannot get {what}:"]
    for asset in missing:
        lines.append(f"  {asset.name} ({asset.bytes:,} bytes)")
        lines += [f"    - {attempt}" for attempt in tried[asset.name]]
    lines.append(
        "Connect to the internet or to a package registry and try again, "
        f"or put the files into {folder} yourself."
    )
    return "\n".join(lines)

"""Files out of many small npm packages, which one call of `npm pack` brings together."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from .progress import Log
from .pyodide_assets import Asset
from .sources import Reasons, extract, from_tar, run_client


class NpmPackages:
    """`npm pack`, asked for each package of which a file is wanted.

    The name of a file begins with its package: `crelt@1.0.7/index.js` is `index.js` of `crelt` 1.0.7.
    """

    def __init__(self, total: int, program: Sequence[str] = ("npm",)) -> None:
        self.name, self.total, self.program = "npm", total, program

    def get(self, wanted: Sequence[Asset], into: Path, log: Log) -> Reasons:
        specs = sorted({package_of(asset.name) for asset in wanted})
        reasons: Reasons = {}
        with tempfile.TemporaryDirectory(dir=into) as folder:
            work = Path(folder)
            command = [*self.program, "pack", "--silent", *specs]
            problem = run_client(command, work, f"npm ({len(specs)} packages)", self.total, log)
            if problem is not None:
                return {asset.name: problem for asset in wanted}
            for spec in specs:
                names = [asset.name for asset in wanted if package_of(asset.name) == spec]
                archive = work / archive_of(spec)
                if archive.is_file():
                    members = {f"package{name.removeprefix(spec)}": name for name in names}
                    reasons |= extract(archive, spec, members, into, from_tar)
                else:
                    reasons |= dict.fromkeys(names, f"left no {archive.name}")
        return reasons


def package_of(name: str) -> str:
    """The package and version that a file belongs to.

    >>> package_of("@lezer/lr@1.4.12/dist/index.js")
    '@lezer/lr@1.4.12'
    """
    return name[: name.index("/", name.index("@", 1))]


def archive_of(spec: str) -> str:
    """How `npm pack` names the archive of a package.

    >>> archive_of("@lezer/lr@1.4.12")
    'lezer-lr-1.4.12.tgz'
    """
    return spec.removeprefix("@").replace("/", "-").replace("@", "-") + ".tgz"

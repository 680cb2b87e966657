"""Which parts of the standard library and of numpy come first, and which wait for an import."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from .archive import Entries
from .pyodide_assets import Core


def core_stdlib(files: Entries, core: Core) -> dict[str, bytes]:
    """The listed modules of the standard library; raises ValueError for one that it does not have."""
    modules = {module_of(name): name for name in files if name.endswith(".py")}
    unknown = sorted(core.stdlib - modules.keys())
    if unknown:
        raise ValueError(f"pyodide_assets.toml lists modules that the standard library lacks: {unknown}")
    return {modules[module]: files[modules[module]] for module in sorted(core.stdlib)}


def full_stdlib(files: Entries) -> dict[str, bytes]:
    """All modules of the standard library, without the notes beside them."""
    return {name: data for name, data in files.items() if name.endswith(".py")}


def core_numpy(files: Entries, core: Core) -> dict[str, bytes]:
    """The part of numpy that the first download carries."""
    return {
        name: data
        for name, data in files.items()
        if _is_code(name) and not _below(name, (*core.numpy_later, *core.numpy_never))
    }


def later_numpy(files: Entries, core: Core) -> dict[str, bytes]:
    """The rest of numpy that works in a browser."""
    return {
        name: data
        for name, data in files.items()
        if _is_code(name) and _below(name, core.numpy_later) and not _below(name, core.numpy_never)
    }


def module_of(name: str) -> str:
    """The module that a file is: `json/__init__.py` is `json`."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_code(name: str) -> bool:
    """Modules and libraries run; type stubs, headers, tests and licences do not."""
    return name.startswith("numpy/") and name.endswith((".py", ".so")) and "/tests/" not in name


def _below(name: str, parts: Iterable[str]) -> bool:
    """Whether the file is one of numpy's `parts` (a folder, or a module without its suffix) or inside one."""
    inside = PurePosixPath(name).relative_to("numpy").as_posix()
    return any(inside.startswith((f"{part}/", f"{part}.")) for part in parts)

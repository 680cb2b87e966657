"""Byte-compiled files, the same bytes for the same sources, kept by content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from .archive import Entries, pack, read_kept
from .compilers import Compiler, Sources
from .errors import CompileError
from .files import forget_oldest, write_atomically

UNCHECKED = (1).to_bytes(4, "little")  # PEP 552: valid by hash, and the hash is never looked at


def precompile(
    files: Entries, *, compiler: Compiler, magic: bytes, cache: Path, optimize: int = 0
) -> dict[str, bytes]:
    """`files` with every `.py` replaced by its `.pyc`, out of the cache where it holds them.

    Raises CompileError where the compiler fails or writes byte code of another version than `magic`.
    """
    if isinstance(compiler, Sources) or not any(name.endswith(".py") for name in files):
        return dict(files)
    key = hashlib.sha256(f"{compiler.ident} {optimize} ".encode() + pack(files)).hexdigest()[:32]
    kept = cache / "compiled" / f"{key}.zip"
    found = read_kept(kept)
    if found is not None:
        return found
    compiled = {}
    for name, data in compiler.compile(files, optimize).items():
        compiled[name] = stamp(name, data, files, magic) if name.endswith(".pyc") else data
    left = [name for name in files if (f"{name}c" if name.endswith(".py") else name) not in compiled]
    if left:
        raise CompileError(f"{compiler.ident} lost {', '.join(left)}")
    write_atomically(kept, pack(compiled))
    forget_oldest(kept.parent)
    return compiled


def stamp(name: str, pyc: bytes, files: Entries, magic: bytes) -> bytes:
    """The `.pyc` with a header that depends on its source alone, not on when it was compiled."""
    if pyc[:4] != magic:
        raise CompileError(f"{name}: byte code of version {pyc[:4].hex()}, the browser reads {magic.hex()}")
    source = hashlib.sha256(files[name.removesuffix("c")]).digest()[:8]
    return magic + UNCHECKED + source + pyc[16:]

"""Wrong implementations made from the right ones: the source of a module with one place changed.

    mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]
    MUTANTS = mutants("flash", {"never divided": ("check_plain", "output / row_sum", "output")})

A mutant differs from the real code in its fault alone, and goes stale with an error, not in silence.
"""

import importlib
from pathlib import Path
from types import ModuleType


def mutate(module: str, old: str, new: str) -> ModuleType:
    """A fresh copy of transformer_core.<module>, run from source in which `old`, found once, is now `new`."""
    right = importlib.import_module(f"transformer_core.{module}")
    source = Path(right.__file__).read_text(encoding="utf-8")
    found = source.count(old)
    if found != 1:
        raise ValueError(f"{old!r} must stand once in {right.__file__}, found {found} times")
    wrong = ModuleType(f"{right.__name__} with {new!r}")
    wrong.__file__ = right.__file__
    exec(compile(source.replace(old, new), right.__file__, "exec"), vars(wrong))
    return wrong


def mutants(module: str, table: dict[str, tuple[str, str, str]]) -> dict[str, tuple[ModuleType, str]]:
    """From {name: (check, old, new)}: each wrong module, and the name of the check that must reject it."""
    return {name: (mutate(module, old, new), check) for name, (check, old, new) in table.items()}

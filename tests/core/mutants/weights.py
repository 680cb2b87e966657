"""Wrong savers and loaders: the check that rejects each, what stands in weights.py, what stands there instead."""

# ruff: noqa: E501  (a row of the table stays a row)

import runpy
from pathlib import Path

mutants = runpy.run_path(str(Path(__file__).parents[1] / "source_mutants.py"))["mutants"]

READ = "replace_arrays(template, lambda path, _: content[path])"
MISSING = 'faults = [f"{path} is missing" for path in expected if path not in arrays]'
UNEXPECTED = 'faults += [f"{path} is not part of this config" for path in arrays if path not in expected]'

MUTANTS = mutants("weights", {
    "fresh parameters in place of the file's": ("check_round_trip", READ, "init_model(np.random.default_rng(0), saved)._replace(token_embedding=content['token_embedding'] * 2)"),
    "always float32": ("check_round_trip", READ, READ.replace("content[path]", "content[path].astype(np.float32)")),
    "default config": ("check_round_trip", "return ModelConfig(**described)", "return ModelConfig(**(described | {'n_heads': 1}))"),
    "extras lost": ("check_extras", "content = described | arrays | named_extras", "content = described | arrays"),
    "missing arrays not noticed": ("check_missing", MISSING, "faults = []"),
    "unexpected arrays not noticed": ("check_unexpected", UNEXPECTED, "pass"),
    "shapes not compared": ("check_misshapen", "if array.shape != expected[path]:", "if False:"),
    "sizes compared": ("check_misshapen", "if array.shape != expected[path]:", "if array.size != np.prod(expected[path]):"),
    "integers let in": ("check_not_floats", 'elif array.dtype.kind != "f":', "elif False:"),
    "first fault alone": ("check_several_faults", "sorted(faults)[:3]", "sorted(faults)[:1]"),
    "wanted config ignored": ("check_another_config", "if config is not None and saved != config:", "if False:"),
    "format ignored": ("check_wrong_configs", "described.pop(\"format\", None) != FORMAT", "described.pop(\"format\", None) is None"),
    "unknown settings dropped": ("check_wrong_configs", "if described.keys() != known:", "if not described.keys() >= known:"),
    "missing settings by default": ("check_wrong_configs", "if described.keys() != known:", "if not described.keys() <= known:"),
    "saved unchecked": ("check_saving_what_does_not_fit", '    _check_arrays(arrays, config, "params")\n', ""),
    "objects saved": ("check_saving_what_does_not_fit", "if values.dtype.hasobject:", "if False:"),
    "pickles read": ("check_no_pickle", "np.load(stream, allow_pickle=False)", "np.load(stream, allow_pickle=True)"),
    "stamped with the time": ("check_same_bytes", '{"format": FORMAT, **asdict(config)}', '{"format": FORMAT, **asdict(config), "at": __import__("time").time_ns()}'),
})  # fmt: skip

"""One file for a model: every array under its path, and the config as JSON beside them, in an .npz.

An .npz is a zip of arrays. It is read with pickle switched off, so a file from a stranger can hold nothing
but data. Its arrays are compared with what the config asks for before anything is computed with them.
"""

import json
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from transformer_core.config import ModelConfig
from transformer_core.initialize import ShapesAlone, init_model
from transformer_core.model_params import ModelParams
from transformer_core.parameters import named_arrays, replace_arrays

FORMAT = "transformer_core 1"
CONFIG, EXTRA = "config", "extra."

File = str | PathLike[str] | BinaryIO


class WeightsError(ValueError):
    """A file, or a set of parameters, is not the model that it should be."""


class SavedModel(NamedTuple):
    """What a file holds."""

    params: ModelParams
    config: ModelConfig
    extras: dict[str, npt.NDArray[Any]]  # by name, such as a vocabulary


def save_model(
    file: File,
    params: ModelParams,
    config: ModelConfig,
    *,
    extras: Mapping[str, npt.ArrayLike] | None = None,
) -> None:
    """Write parameters and config, and arrays of numbers or text of your own, into a path or an open file.

    The same model gives the same bytes. Raises WeightsError where the parameters are not those of the config.

    >>> import io
    >>> config = ModelConfig(architecture="decoder", vocab_size=5, n_layers=1, d_model=4, n_heads=2, d_ff=8)
    >>> file = io.BytesIO()
    >>> save_model(file, init_model(np.random.default_rng(0), config), config, extras={"words": ["a", "b"]})
    >>> saved = load_model(io.BytesIO(file.getvalue()))
    >>> saved.config == config, saved.extras["words"].tolist()
    (True, ['a', 'b'])
    """
    arrays = named_arrays(params)
    _check_arrays(arrays, config, "params")
    named_extras = {EXTRA + name: np.asarray(values) for name, values in (extras or {}).items()}
    for name, values in named_extras.items():
        if values.dtype.hasobject:
            raise WeightsError(f"{name} must hold numbers or text, got dtype object")
    described = {CONFIG: np.array(json.dumps({"format": FORMAT, **asdict(config)}))}
    content = described | arrays | named_extras
    if isinstance(file, str | PathLike):
        with Path(file).open("wb") as stream:
            np.savez_compressed(stream, **content)
    else:
        np.savez_compressed(file, **content)


def load_model(file: File, *, config: ModelConfig | None = None) -> SavedModel:
    """Read what `save_model` wrote; with a config, also insist that it is this one.

    Raises WeightsError for a file that is damaged or no .npz, for a config that is missing, unknown or
    another, and for an array that is missing, unexpected, of the wrong shape, or not of floats.

    >>> import io
    >>> load_model(io.BytesIO(b"no model"))
    Traceback (most recent call last):
    transformer_core.weights.WeightsError: the file is damaged, or no .npz of a model: it is no zip
    """
    name = str(file) if isinstance(file, str | PathLike) else "the file"
    with Path(file).open("rb") if isinstance(file, str | PathLike) else nullcontext(file) as stream:
        content = _read(stream, name)
    if CONFIG not in content:
        raise WeightsError(f"{name} has no entry {CONFIG!r}, so it is no model of ours")
    saved = _parse_config(content.pop(CONFIG), name)
    if config is not None and saved != config:
        raise WeightsError(f"{name} holds another model than expected: {_difference(saved, config)}")
    extras = {key.removeprefix(EXTRA): content.pop(key) for key in list(content) if key.startswith(EXTRA)}
    _check_arrays(content, saved, name)
    template = init_model(ShapesAlone(), saved)
    return SavedModel(replace_arrays(template, lambda path, _: content[path]), saved, extras)


def _read(stream: BinaryIO, name: str) -> dict[str, npt.NDArray[Any]]:
    """Every entry, read through to its end, so that the zip's own checksums are compared."""
    start = stream.tell()
    if stream.read(2) != b"PK":  # np.load would take it for a pickle, and say so
        raise WeightsError(f"{name} is damaged, or no .npz of a model: it is no zip")
    stream.seek(start)
    try:
        archive = np.load(stream, allow_pickle=False)
        with archive:
            return {key: archive[key] for key in archive.files}
    except Exception as error:  # the zip and its decompressors have a dozen kinds, for one fact
        raise WeightsError(f"{name} is damaged, or no .npz of a model: {error}") from None


def _parse_config(entry: npt.NDArray[Any], name: str) -> ModelConfig:
    try:
        described = json.loads(str(entry))
    except json.JSONDecodeError as error:
        raise WeightsError(f"{name}: its config is no JSON: {error}") from None
    if not isinstance(described, dict) or described.pop("format", None) != FORMAT:
        raise WeightsError(f"{name}: its config must say format {FORMAT!r}")
    known = {field.name for field in fields(ModelConfig)}
    if described.keys() != known:
        missing, unknown = sorted(known - described.keys()), sorted(described.keys() - known)
        raise WeightsError(f"{name}: its config lacks {missing} and has {unknown}, which nobody knows")
    try:
        return ModelConfig(**described)
    except (TypeError, ValueError) as error:
        raise WeightsError(f"{name}: its config is wrong: {error}") from None


def _check_arrays(arrays: Mapping[str, npt.NDArray[Any]], config: ModelConfig, name: str) -> None:
    """Every array of the config is there, in its shape, and no other."""
    expected = {path: array.shape for path, array in named_arrays(init_model(ShapesAlone(), config)).items()}
    faults = [f"{path} is missing" for path in expected if path not in arrays]
    faults += [f"{path} is not part of this config" for path in arrays if path not in expected]
    for path in expected.keys() & arrays.keys():
        array = arrays[path]
        if array.shape != expected[path]:
            faults.append(f"{path} must have shape {expected[path]}, got {array.shape}")
        elif array.dtype.kind != "f":
            faults.append(f"{path} must hold floats, got dtype {array.dtype}")
    if faults:
        more = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
        raise WeightsError(f"{name} does not fit its config: {'; '.join(sorted(faults)[:3])}{more}")


def _difference(saved: ModelConfig, wanted: ModelConfig) -> str:
    pairs = ((key, value, getattr(wanted, key)) for key, value in asdict(saved).items())
    return "; ".join(f"{key} is {value!r}, expected {want!r}" for key, value, want in pairs if value != want)

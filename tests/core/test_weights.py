"""Saving and loading: the same model again, and a clear word about every file that is not one."""

import dataclasses
import io
import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import (
    NAMED_MODELS,
    ModelConfig,
    WeightsError,
    init_model,
    load_model,
    named_arrays,
    weights,
)

SIZES = {"vocab_size": 7, "n_layers": 2, "d_model": 4, "n_heads": 2, "d_ff": 5}
CONFIG = ModelConfig(architecture="decoder", **SIZES)
PARAMS = init_model(np.random.default_rng(0), CONFIG)


def saved(code=weights, params=PARAMS, config=CONFIG, **options):
    file = io.BytesIO()
    code.save_model(file, params, config, **options)
    return file.getvalue()


def entries(data):
    with np.load(io.BytesIO(data)) as archive:
        return {name: archive[name] for name in archive.files}


def packed(**content):
    file = io.BytesIO()
    np.savez(file, **content)
    return file.getvalue()


def refused(data, code=weights, **options):
    """The message with which the file is refused; anything else that happens is a failure."""
    try:
        code.load_model(io.BytesIO(data), **options)
    except code.WeightsError as error:
        return str(error)
    except Exception as error:
        raise AssertionError("not refused, but broken off") from error
    raise AssertionError("not refused")


# --- what only a right pair of functions does; `code` is the module


def check_round_trip(code):
    loaded = code.load_model(io.BytesIO(saved(code)))
    assert loaded.config == CONFIG
    assert loaded.extras == {}
    assert type(loaded.params) is type(PARAMS)
    assert loaded.params.W_logits is None
    for path, array in named_arrays(PARAMS).items():
        same = named_arrays(loaded.params)[path]
        assert np.array_equal(same, array)
        assert same.dtype == array.dtype


def check_extras(code):
    words = ["它", "the", "tired"]
    loaded = code.load_model(io.BytesIO(saved(code, extras={"words": words, "token_embedding": [1, 2]})))
    assert set(loaded.extras) == {"words", "token_embedding"}
    assert loaded.extras["words"].tolist() == words
    assert loaded.extras["token_embedding"].tolist() == [1, 2]
    assert loaded.params.token_embedding.shape == (7, 4)


def check_missing(code):
    content = entries(saved(code))
    del content["decoder.1.attention.W_K"]
    assert refused(packed(**content), code) == (
        "the file does not fit its config: decoder.1.attention.W_K is missing"
    )


def check_unexpected(code):
    content = entries(saved(code)) | {"decoder.2.attention.W_K": np.ones((4, 4))}
    assert refused(packed(**content), code) == (
        "the file does not fit its config: decoder.2.attention.W_K is not part of this config"
    )


def check_misshapen(code):
    content = entries(saved(code)) | {"token_embedding": np.ones((4, 7))}
    assert refused(packed(**content), code) == (
        "the file does not fit its config: token_embedding must have shape (7, 4), got (4, 7)"
    )


def check_not_floats(code):
    content = entries(saved(code)) | {"token_embedding": np.ones((7, 4), np.int64)}
    assert refused(packed(**content), code) == (
        "the file does not fit its config: token_embedding must hold floats, got dtype int64"
    )


def check_several_faults(code):
    content = {name: array for name, array in entries(saved(code)).items() if "W_" not in name}
    assert refused(packed(**content), code) == (
        "the file does not fit its config: decoder.0.attention.W_K is missing; decoder.0.attention.W_O is "
        "missing; decoder.0.attention.W_Q is missing, and 9 more"
    )


def check_another_config(code):
    wanted = dataclasses.replace(CONFIG, n_heads=1, norm="rms")
    assert refused(saved(code), code, config=wanted) == (
        "the file holds another model than expected: n_heads is 2, expected 1; "
        "norm is 'layer', expected 'rms'"
    )
    assert code.load_model(io.BytesIO(saved(code)), config=CONFIG).config == CONFIG


def check_wrong_configs(code):
    content = entries(saved(code))
    described = json.loads(str(content["config"]))
    for change, message in (
        ({"format": "other 1"}, "the file: its config must say format 'transformer_core 1'"),
        ({"depth": 3}, "the file: its config lacks [] and has ['depth'], which nobody knows"),
        ({"norm": "batch"}, "the file: its config is wrong: norm must be one of 'layer', 'rms', got 'batch'"),
        (
            {"n_heads": 3},
            "the file: its config is wrong: n_heads must divide d_model, got n_heads=3, d_model=4",
        ),
    ):
        content["config"] = np.array(json.dumps(described | change))
        assert refused(packed(**content), code) == message
    del described["norm"]
    content["config"] = np.array(json.dumps(described))
    assert refused(packed(**content), code) == (
        "the file: its config lacks ['norm'] and has [], which nobody knows"
    )
    content["config"] = np.array("{")
    assert refused(packed(**content), code).startswith("the file: its config is no JSON: ")
    del content["config"]
    assert refused(packed(**content), code) == "the file has no entry 'config', so it is no model of ours"


def check_saving_what_does_not_fit(code):
    with pytest.raises(code.WeightsError) as error:
        saved(code, config=dataclasses.replace(CONFIG, n_layers=1))
    assert str(error.value).startswith("params does not fit its config: decoder.1.attention.W_K is not part")
    with pytest.raises(code.WeightsError) as error:
        saved(code, extras={"words": np.array([None])})
    assert str(error.value) == "extra.words must hold numbers or text, got dtype object"


def check_no_pickle(code):
    """A pickle in the zip is not run, and one in place of the zip is not either."""

    class Trap:
        def __reduce__(self):
            return (exec, ("raise SystemExit('a pickle was run')",))

    content = entries(saved(code)) | {"token_embedding": np.array([[None]])}
    assert "damaged, or no .npz of a model" in refused(packed(**content), code)
    assert refused(pickle.dumps(Trap()), code) == "the file is damaged, or no .npz of a model: it is no zip"


def check_same_bytes(code):
    assert saved(code) == saved(code)


def test_weights(check, run_check):
    run_check(check, weights)


def test_wrong_weights_are_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- second routes and properties


@pytest.mark.parametrize("name", NAMED_MODELS)
def test_models_of_every_kind(name):
    small = {"vocab_size": 9, "n_layers": 2, "d_model": 8, "n_heads": 4, "d_ff": 6, "n_kv_heads": 2}
    rows = NAMED_MODELS[name].max_positions and 5
    config = ModelConfig(**(vars(NAMED_MODELS[name]) | small | {"max_positions": rows}))
    params = init_model(np.random.default_rng(0), config, dtype=np.float32)
    loaded = load_model(io.BytesIO(saved(params=params, config=config)), config=config)
    assert repr(loaded.params) == repr(params)


@given(place=st.integers(0, len(saved()) - 1), change=st.integers(1, 255))
def test_one_byte_changed_is_noticed_or_harmless(place, change):
    """The zip's checksums find a change in any array; the rest is names and dates around them."""
    data = bytearray(saved())
    data[place] ^= change
    try:
        loaded = load_model(io.BytesIO(bytes(data)))
    except WeightsError as error:
        assert str(error)
    else:
        assert loaded.config == CONFIG
        assert repr(loaded.params) == repr(PARAMS)


def test_another_way_of_packing_is_read_or_refused():
    """The one byte that says how an entry is compressed, turned into bzip2 and LZMA."""
    data = saved()
    places = [place for place in range(len(data) - 1) if data[place : place + 2] == b"\x08\x00"]
    assert places
    for place in places:
        for method in (12, 14):
            changed = data[:place] + bytes([method]) + data[place + 1 :]
            try:
                assert repr(load_model(io.BytesIO(changed)).params) == repr(PARAMS)
            except WeightsError as error:
                assert str(error)


@given(length=st.integers(0, len(saved()) - 1))
def test_a_file_cut_short_is_refused(length):
    assert "damaged, or no .npz of a model" in refused(saved()[:length])


def test_a_path(tmp_path):
    for name in ("model.npz", "model.weights"):  # np.savez alone would write model.weights.npz
        weights.save_model(str(tmp_path / name), PARAMS, CONFIG)
        assert weights.load_model(tmp_path / name).config == CONFIG
    with pytest.raises(FileNotFoundError):
        weights.load_model(tmp_path / "other.npz")


def test_damage_is_named_with_its_file(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(b"not a model at all")
    with pytest.raises(WeightsError) as error:
        load_model(path)
    assert str(error.value) == f"{path} is damaged, or no .npz of a model: it is no zip"


def test_the_file_is_an_ordinary_npz():
    with zipfile.ZipFile(io.BytesIO(saved())) as archive:
        assert "decoder.0.attention.W_Q.npy" in archive.namelist()
    assert np.array_equal(entries(saved())["token_embedding"], PARAMS.token_embedding)


def test_reading_from_the_middle_of_an_open_file():
    file = io.BytesIO(b"before" + saved())
    file.seek(6)
    assert load_model(file).config == CONFIG

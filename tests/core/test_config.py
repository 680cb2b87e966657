"""The config: what it derives, what it refuses."""

import dataclasses

import pytest

from transformer_core import NAMED_MODELS, ModelConfig, ShapeError

SIZES = {"architecture": "decoder", "vocab_size": 11, "n_layers": 2, "d_model": 12, "n_heads": 3, "d_ff": 7}


def test_what_is_derived():
    config = ModelConfig(**SIZES)
    assert (config.head_width, config.kv_heads, config.is_gated, config.n_stacks) == (4, 3, False, 1)
    other = ModelConfig(
        **(SIZES | {"architecture": "encoder-decoder"}), d_k=6, n_kv_heads=1, feed_forward="geglu"
    )
    assert (other.head_width, other.kv_heads, other.is_gated, other.n_stacks) == (6, 1, True, 2)


def test_it_cannot_be_changed_by_accident_but_copied_with_a_change():
    config = ModelConfig(**SIZES)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.n_layers = 3
    assert dataclasses.replace(config, n_layers=3).n_layers == 3
    assert config == ModelConfig(**SIZES) != dataclasses.replace(config, n_layers=3)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"architecture": "rnn"}, ValueError,
         "architecture must be one of 'encoder', 'decoder', 'encoder-decoder', got 'rnn'"),
        ({"norm": "batch"}, ValueError, "norm must be one of 'layer', 'rms', got 'batch'"),
        ({"feed_forward": "tanh"}, ValueError,
         "feed_forward must be one of 'relu', 'gelu', 'gelu-tanh', 'swiglu', 'geglu', got 'tanh'"),
        ({"positions": "alibi"}, ValueError,
         "positions must be one of 'none', 'sinusoidal', 'learned', 'rope', got 'alibi'"),
        ({"head": "double"}, ValueError, "head must be one of 'tied', 'untied', 'none', got 'double'"),
        ({"n_layers": 0}, ValueError, "n_layers must be positive, got 0"),
        ({"vocab_size": -1}, ValueError, "vocab_size must be positive, got -1"),
        ({"window": 0}, ValueError, "window must be positive, got 0"),
        ({"d_model": 13}, ShapeError, "n_heads must divide d_model, got n_heads=3, d_model=13"),
        ({"n_kv_heads": 2}, ShapeError, "n_kv_heads must divide n_heads, got n_kv_heads=2, n_heads=3"),
        ({"d_k": 5}, ValueError, "rope turns pairs: the width of a head must be even, got 5"),
        ({"feed_forward": "swiglu", "feed_forward_bias": True}, ValueError,
         "feed_forward='swiglu' has no biases, got feed_forward_bias=True"),
        ({"positions": "learned"}, ValueError,
         "max_positions is the number of rows of the learned table, given with positions='learned' and only "
         "then, got positions='learned', max_positions=None"),
        ({"max_positions": 5}, ValueError,
         "max_positions is the number of rows of the learned table, given with positions='learned' and only "
         "then, got positions='rope', max_positions=5"),
    ],
)  # fmt: skip
def test_what_is_refused(change, error, message):
    with pytest.raises(error) as raised:
        ModelConfig(**(SIZES | change))
    assert str(raised.value) == message


def test_named_models_differ_in_what_they_are_known_for():
    assert {name: config.architecture for name, config in NAMED_MODELS.items()} == {
        "Transformer base (2017)": "encoder-decoder", "BERT-base": "encoder", "GPT-2 small": "decoder",
        "Llama 2 7B": "decoder", "Llama 3 8B": "decoder", "Qwen2.5 7B": "decoder", "Mistral 7B": "decoder",
    }  # fmt: skip
    assert [name for name, config in NAMED_MODELS.items() if not config.norm_first] == [
        "Transformer base (2017)", "BERT-base",
    ]  # fmt: skip
    group = {name: config.n_heads // config.kv_heads for name, config in NAMED_MODELS.items()}
    assert [group[name] for name in ("Llama 2 7B", "Llama 3 8B", "Qwen2.5 7B", "Mistral 7B")] == [1, 4, 7, 4]

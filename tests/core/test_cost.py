"""Parameters and operations: the published totals, and arrays and products that were really made."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_core import (
    NAMED_MODELS,
    PUBLISHED_PARAMETERS,
    ModelConfig,
    ShapesAlone,
    attention,
    cost,
    count_parameters,
    init_model,
    linear_layer,
    model_trace,
    parameter_counts,
    rule_of_twelve,
)
from transformer_core.named_models import BERT_BASE, GPT_2_SMALL, LLAMA_3_8B, MISTRAL_7B

GATED = {"swiglu", "geglu"}


@st.composite
def configs(draw, architectures=("encoder", "decoder", "encoder-decoder")):
    """Any config at all, with sizes that take no time."""
    feed_forward = draw(st.sampled_from(["relu", "gelu", "gelu-tanh", "swiglu", "geglu"]))
    positions = draw(st.sampled_from(["none", "sinusoidal", "learned", "rope"]))
    n_kv_heads, group = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    flag = st.booleans()
    return ModelConfig(
        architecture=draw(st.sampled_from(architectures)),
        vocab_size=draw(st.integers(1, 13)),
        n_layers=draw(st.integers(1, 3)),
        d_model=draw(st.integers(1, 7)),
        n_heads=n_kv_heads * group,
        n_kv_heads=n_kv_heads,
        d_k=2 * draw(st.integers(1, 3)),
        d_ff=draw(st.integers(1, 11)),
        norm=draw(st.sampled_from(["layer", "rms"])),
        norm_first=draw(flag),
        final_norm=draw(flag),
        feed_forward=feed_forward,
        feed_forward_bias=feed_forward not in GATED and draw(flag),
        positions=positions,
        max_positions=draw(st.integers(8, 9)) if positions == "learned" else None,
        n_segments=draw(st.integers(0, 2)),
        embedding_norm=draw(flag),
        qkv_bias=draw(flag),
        output_bias=draw(flag),
        pooler=draw(flag),
        head=draw(st.sampled_from(["tied", "untied", "none"])),
    )


# --- what only right formulas do; `code` is the module


def check_published(code):
    for name, published in PUBLISHED_PARAMETERS.items():
        assert code.parameter_counts(NAMED_MODELS[name]).total == published, name


def check_bert_by_hand(code):
    counts = code.parameter_counts(BERT_BASE)
    d = 768
    assert counts.token_embedding == 30_522 * d
    assert counts.position_embedding == 512 * d
    assert counts.segment_embedding == 2 * d
    assert counts.attention == 12 * 4 * (d * d + d)
    assert counts.feed_forward == 12 * (d * 3072 + 3072 + 3072 * d + d)
    assert counts.norms == (1 + 2 * 12) * 2 * d
    assert counts.pooler == d * d + d
    assert counts.logits == counts.cross_attention == 0


def check_really_initialised(code):
    """Small models of every family, with every array made and counted."""
    for config in NAMED_MODELS.values():
        sizes = {"vocab_size": 19, "n_layers": 2, "d_model": 12, "n_heads": 3, "d_ff": 17, "d_k": None}
        small = ModelConfig(
            **{**vars(config), **sizes, "n_kv_heads": 1, "max_positions": config.max_positions and 5}
        )
        made = init_model(np.random.default_rng(0), small)
        assert code.parameter_counts(small).total == count_parameters(made)


def check_encoder_decoder(code):
    """The decoder's layers have cross-attention, and a third norm with it."""
    one = {"vocab_size": 7, "n_layers": 3, "d_model": 4, "n_heads": 2, "d_ff": 5, "positions": "sinusoidal"}
    counts = code.parameter_counts(ModelConfig(architecture="encoder-decoder", final_norm=False, **one))
    assert counts.attention == 6 * 4 * 16
    assert counts.cross_attention == 3 * 4 * 16
    assert counts.norms == (6 * 2 + 3) * 8


def check_flops_by_hand(code):
    flops = code.flops_per_token(GPT_2_SMALL, context=100)
    d = 768
    assert flops.projections == 12 * 4 * 2 * d * d
    assert flops.attention == 12 * 2 * (2 * 100 * d)
    assert flops.feed_forward == 12 * 2 * 2 * d * 3072
    assert flops.logits == 2 * d * 50_257
    assert flops.training == 3 * flops.forward
    grouped = code.flops_per_token(LLAMA_3_8B, context=1)
    assert grouped.projections == 32 * 2 * (2 * 4096 * 4096 + 2 * 4096 * 1024)
    assert grouped.feed_forward == 32 * 2 * 3 * 4096 * 14_336


def check_flops_window(code):
    """Mistral sees 4096 tokens, however long the text."""
    within, at, beyond = (
        code.flops_per_token(MISTRAL_7B, context=n).attention for n in (2048, 4096, 100_000)
    )
    assert (at, beyond) == (2 * within, at)


def check_rule(code):
    assert code.rule_of_twelve(GPT_2_SMALL) == 12 * 12 * 768**2
    counts = code.parameter_counts(GPT_2_SMALL)
    biases = 12 * (4 * 768 + 3072 + 768)
    assert counts.attention + counts.feed_forward - biases == code.rule_of_twelve(GPT_2_SMALL)


def test_cost(check, run_check):
    run_check(check, cost)


def test_wrong_cost_is_rejected(mutant, assert_rejected):
    assert_rejected(mutant)


# --- second routes


@given(config=configs())
def test_parameters_are_those_of_an_initialised_model(config):
    params = init_model(np.random.default_rng(0), config)
    assert parameter_counts(config).total == count_parameters(params)
    assert parameter_counts(config).token_embedding == params.token_embedding.size


@pytest.mark.skipif(sys.platform == "emscripten", reason="32 bits cannot address the largest table")
@pytest.mark.parametrize("name", NAMED_MODELS)
def test_parameters_of_named_models_at_full_size(name):
    """Seven thousand million parameters in no memory: their arrays share one zero."""
    config = NAMED_MODELS[name]
    assert parameter_counts(config).total == count_parameters(init_model(ShapesAlone(), config))


@given(config=configs(architectures=("encoder", "decoder")), S=st.integers(1, 7))
def test_flops_are_those_of_the_products_that_were_run(config, S):
    """Every matrix product of a forward pass counted, 2 n k m for (n, k) @ (k, m), all S keys."""
    counted = 0

    def counting(left, right):
        nonlocal counted
        product = np.matmul(left, right)
        counted += 2 * product.size * left.shape[-1]
        return product

    params = init_model(np.random.default_rng(0), config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_layer, "matmul", counting)
        patch.setattr(attention, "matmul", counting)
        model_trace(np.zeros((1, S), int), params._replace(pooler=None), config)
    assert counted == S * cost.flops_per_token(config, context=S).forward


def test_how_far_off_the_rule_of_twelve_is():
    """Close for Llama 2 (little vocabulary, MHA, three matrices of 8/3 d), far off for Qwen2.5."""
    share = {name: rule_of_twelve(NAMED_MODELS[name]) / total for name, total in PUBLISHED_PARAMETERS.items()}
    assert {name: round(part, 3) for name, part in share.items()} == {
        "BERT-base": 0.776, "GPT-2 small": 0.683, "Llama 2 7B": 0.956, "Llama 3 8B": 0.802,
        "Qwen2.5 7B": 0.567, "Mistral 7B": 0.89,
    }  # fmt: skip


def test_what_is_refused():
    with pytest.raises(ValueError, match="context must be positive, got 0"):
        cost.flops_per_token(GPT_2_SMALL, context=0)
    with pytest.raises(
        ValueError, match="flops_per_token counts one stack, got architecture='encoder-decoder'"
    ):
        cost.flops_per_token(NAMED_MODELS["Transformer base (2017)"], context=1)

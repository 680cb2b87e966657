"""Models that everybody can look up: their sizes, and how many parameters their published weights hold."""

from typing import Final

from transformer_core.config import ModelConfig

TRANSFORMER_BASE: Final = ModelConfig(  # "Attention Is All You Need", table 3, with its shared vocabulary
    architecture="encoder-decoder", vocab_size=37_000, n_layers=6, d_model=512, n_heads=8, d_ff=2048,
    norm="layer", norm_first=False, final_norm=False, feed_forward="relu", feed_forward_bias=True,
    positions="sinusoidal", scale_embedding=True,
)  # fmt: skip

BERT_BASE: Final = ModelConfig(  # bert-base-uncased, without the head of its pre-training
    architecture="encoder", vocab_size=30_522, n_layers=12, d_model=768, n_heads=12, d_ff=3072,
    norm="layer", norm_first=False, final_norm=False, eps=1e-12, feed_forward="gelu", feed_forward_bias=True,
    positions="learned", max_positions=512, n_segments=2, embedding_norm=True,
    qkv_bias=True, output_bias=True, pooler=True, head="none",
)  # fmt: skip

GPT_2_SMALL: Final = ModelConfig(
    architecture="decoder", vocab_size=50_257, n_layers=12, d_model=768, n_heads=12, d_ff=3072,
    norm="layer", feed_forward="gelu-tanh", feed_forward_bias=True,
    positions="learned", max_positions=1024, qkv_bias=True, output_bias=True,
)  # fmt: skip

LLAMA_2_7B: Final = ModelConfig(
    architecture="decoder", vocab_size=32_000, n_layers=32, d_model=4096, n_heads=32, d_ff=11_008,
    norm="rms", feed_forward="swiglu", head="untied",
)  # fmt: skip

LLAMA_3_8B: Final = ModelConfig(
    architecture="decoder", vocab_size=128_256, n_layers=32, d_model=4096, n_heads=32, n_kv_heads=8,
    d_ff=14_336, norm="rms", feed_forward="swiglu", rope_base=500_000.0, head="untied",
)  # fmt: skip

QWEN_2_5_7B: Final = ModelConfig(
    architecture="decoder", vocab_size=152_064, n_layers=28, d_model=3584, n_heads=28, n_kv_heads=4,
    d_ff=18_944, norm="rms", eps=1e-6, feed_forward="swiglu", rope_base=1_000_000.0, qkv_bias=True,
    head="untied",
)  # fmt: skip

MISTRAL_7B: Final = ModelConfig(  # version 0.1, the one with the window
    architecture="decoder", vocab_size=32_000, n_layers=32, d_model=4096, n_heads=32, n_kv_heads=8,
    d_ff=14_336, window=4096, norm="rms", feed_forward="swiglu", head="untied",
)  # fmt: skip

NAMED_MODELS: Final[dict[str, ModelConfig]] = {
    "Transformer base (2017)": TRANSFORMER_BASE,
    "BERT-base": BERT_BASE,
    "GPT-2 small": GPT_2_SMALL,
    "Llama 2 7B": LLAMA_2_7B,
    "Llama 3 8B": LLAMA_3_8B,
    "Qwen2.5 7B": QWEN_2_5_7B,
    "Mistral 7B": MISTRAL_7B,
}

PUBLISHED_PARAMETERS: Final[dict[str, int]] = {  # the 2017 paper only says 65 million
    "BERT-base": 109_482_240,
    "GPT-2 small": 124_439_808,
    "Llama 2 7B": 6_738_415_616,
    "Llama 3 8B": 8_030_261_248,
    "Qwen2.5 7B": 7_615_616_512,
    "Mistral 7B": 7_241_732_096,
}

"""A pair of tiny languages and one head of cross-attention between them, built by hand, not trained.

Each language writes a meaning in random directions of its own; W_Q and W_K read them back into one space.
Random directions are nearly, not quite, at right angles: that is where the small weights come from.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from transformer_core import AttentionTrace, attention_trace

# what each word means, as parts of meaning; a word of one language shares parts with words of the other
ENGLISH = {
    "I": {"I": 1.0},
    "ate": {"EAT": 1.0, "PAST": 0.9},
    "an": {"ONE": 1.0},
    "apple": {"APPLE": 1.0},
    "yesterday": {"YESTERDAY": 1.0, "PAST": 0.3},
    "the": {},
    "black": {"BLACK": 1.0},
    "cat": {"CAT": 1.0},
    "sleeps": {"SLEEP": 1.0},
    "on": {"ON": 1.0},
    "mat": {"MAT": 1.0},
    "she": {"SHE": 1.0},
    "never": {"NEVER": 1.0},
    "drinks": {"DRINK": 1.0},
    "cold": {"COLD": 1.0},
    "coffee": {"COFFEE": 1.0, "DRINK": 0.3},
}
CHINESE = {
    "我": {"I": 1.0},
    "昨天": {"YESTERDAY": 1.0},
    "吃": {"EAT": 1.0},
    "了": {"PAST": 1.0},
    "一个": {"ONE": 1.0},
    "苹果": {"APPLE": 1.0},
    "黑": {"BLACK": 1.0},
    "猫": {"CAT": 1.0},
    "在": {"ON": 0.9},
    "垫子": {"MAT": 1.0},
    "上": {"ON": 1.0},
    "睡觉": {"SLEEP": 1.0},
    "她": {"SHE": 1.0},
    "从来": {"NEVER": 0.9},
    "不": {"NEVER": 0.9},
    "喝": {"DRINK": 1.0},
    "冷": {"COLD": 1.0},
    "咖啡": {"COFFEE": 1.0},
}
MEANINGS = list(dict.fromkeys(part for word in ENGLISH.values() for part in word))
PAIRS = [
    (["I", "ate", "an", "apple", "yesterday"], ["我", "昨天", "吃", "了", "一个", "苹果"]),
    (["the", "black", "cat", "sleeps", "on", "the", "mat"], ["黑", "猫", "在", "垫子", "上", "睡觉"]),
    (["she", "never", "drinks", "cold", "coffee"], ["她", "从来", "不", "喝", "冷", "咖啡"]),
]
S_DEC = len(PAIRS[0][1])
D_MODEL, D_K, D_V = 64, len(MEANINGS), 4
GAIN = 4.5  # length of the projections: how sharply a shared meaning stands out


class Languages(NamedTuple):
    """An embedding for each word of both languages, and the projections of one head."""

    english: dict[str, np.ndarray]  # (d_model,) each
    chinese: dict[str, np.ndarray]
    W_Q: np.ndarray  # (d_model, d_k) reads Chinese
    W_K: np.ndarray  # (d_model, d_k) reads English
    W_V: np.ndarray  # (d_model, d_v)


@cache
def languages() -> Languages:
    """The embeddings and projections, drawn with a fixed seed."""
    draw = np.random.default_rng(4).standard_normal
    writes = draw((2, D_K, D_MODEL))
    writes_english, writes_chinese = writes / np.linalg.norm(writes, axis=-1, keepdims=True)
    sides = []
    for words, writes in ((ENGLISH, writes_english), (CHINESE, writes_chinese)):
        parts = {word: [meaning.get(part, 0.0) for part in MEANINGS] for word, meaning in words.items()}
        own = dict(zip(words, 0.02 * draw((len(words), D_MODEL)), strict=True))
        sides.append({word: np.array(parts[word]) @ writes + own[word] for word in words})
    W_V = draw((D_MODEL, D_V))
    return Languages(sides[0], sides[1], GAIN * writes_chinese.T, GAIN * writes_english.T, W_V)


@cache
def attend(source: int) -> tuple[AttentionTrace, np.ndarray]:
    """Every step of the head on a pair of sentences, and its values (S_enc, d_v)."""
    made = languages()
    english, chinese = PAIRS[source]
    encoder = np.array([made.english[word] for word in english])  # (S_enc, d_model)
    decoder = np.array([made.chinese[word] for word in chinese])  # (S_dec, d_model)
    value = encoder @ made.W_V
    return attention_trace(decoder @ made.W_Q, encoder @ made.W_K, value), value

"""Two attention layers whose embeddings and projections are set by hand, to show how "it" can be resolved.

Nothing here is trained. Layer 1: the pronoun looks for the adjective and takes over what it says. Layer 2:
with that, it looks for the noun that such an adjective fits. `python -m demos.models.hand_built` writes the
weights.
"""

from functools import cache
from pathlib import Path

import numpy as np

from transformer_core import AttentionTrace, attention_trace

FILE = Path(__file__).with_name("hand_built.npz")

# what an embedding says of its word: its kind, the quality that an adjective states, the one that a noun can
# have, and the one that a pronoun is looking for (empty until layer 1 fills it)
QUALITIES = ("tired", "wide", "big", "small")
D_MODEL, D_K = 3 + 3 * len(QUALITIES), len(QUALITIES)
NOUN, PRONOUN, ADJECTIVE = range(3)
STATED, OFFERED, WANTED = (slice(3 + 4 * part, 7 + 4 * part) for part in range(3))
FITS = {"animal": "tired", "street": "wide", "trophy": "big", "suitcase": "small"}
OTHERS = ("The", "the", "did", "not", "cross", "fit", "because", "was", "too")
NOISE = 0.12  # every word also has a little of everything, so that no two rows of weights are alike


def build() -> dict[str, np.ndarray]:
    """The weights: words (V,), embeddings (V, d_model), and W_Q, W_K, W_V of both layers."""
    words = [*OTHERS, "it", *FITS, *QUALITIES]
    embedding = NOISE * np.random.default_rng(2017).standard_normal((len(words), D_MODEL))
    embedding[:, WANTED] = 0
    identity = np.eye(D_K)
    embedding[words.index("it"), PRONOUN] = 1
    for noun, quality in FITS.items():
        embedding[words.index(noun), NOUN] = 1
        embedding[words.index(noun), OFFERED] = identity[QUALITIES.index(quality)]
    for row, quality in zip(identity, QUALITIES, strict=True):
        embedding[words.index(quality), ADJECTIVE] = 1
        embedding[words.index(quality), STATED] = row

    query, key, value = np.zeros((2, D_MODEL, D_K)), np.zeros((2, D_MODEL, D_K)), np.zeros((2, D_MODEL, D_K))
    query[0, PRONOUN] = key[0, ADJECTIVE] = [3, 0, 0, 0]  # layer 1: pronouns ask for adjectives
    value[0, STATED] = identity  # ... and take what they state
    query[1, WANTED], key[1, OFFERED] = (
        3 * identity,
        3 * identity,
    )  # layer 2: the wanted quality asks for the offered
    value[1, OFFERED] = identity
    return {
        "words": np.array(words),
        "embedding": embedding.round(3),
        "W_Q": query,
        "W_K": key,
        "W_V": value,
    }


@cache
def weights() -> dict[str, np.ndarray]:
    """The weights from the file."""
    with np.load(FILE) as stored:
        return dict(stored)


@cache
def run(sentence: tuple[str, ...]) -> tuple[AttentionTrace, AttentionTrace]:
    """Both layers on a sentence; each adds what it found to the part of the stream that wants a quality."""
    made = weights()
    place = {str(word): i for i, word in enumerate(made["words"])}
    x = made["embedding"][[place[word] for word in sentence]]  # (S, d_model)
    traces = []
    for W_Q, W_K, W_V in zip(made["W_Q"], made["W_K"], made["W_V"], strict=True):
        trace = attention_trace(x @ W_Q, x @ W_K, x @ W_V)
        traces.append(trace)
        x = x.copy()
        x[:, WANTED] += trace.output
    return traces[0], traces[1]


if __name__ == "__main__":
    np.savez(FILE, **build())
    print(f"wrote {FILE.name}, {FILE.stat().st_size} bytes")

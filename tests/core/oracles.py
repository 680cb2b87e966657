"""The second route: each operation once more, by loops over Python numbers, straight from its formula.

Nothing here is fast, and nothing here uses numpy to compute: arrays are taken apart and put together only.
"""

import math
import statistics

import numpy as np


def softmax(row):
    exponentials = [math.exp(number - max(row)) for number in row]
    return [number / math.fsum(exponentials) for number in exponentials]


def dot(left, right):
    return math.fsum(float(a) * float(b) for a, b in zip(left, right, strict=True))


def matmul(left, right):
    """(n, k), (k, m) -> (n, m)."""
    return np.array([[dot(row, column) for column in right.T] for row in left]).reshape(
        len(left), right.shape[1]
    )


def attend(query, key, value, visible=None, bias=None, scale=None, soft_cap=None):
    """(S_q, d_k), (S_k, d_k), (S_k, d_v) -> (S_q, d_v); visible and bias are functions of the two indices."""
    scale = 1 / math.sqrt(query.shape[1]) if scale is None else scale
    output = np.zeros((len(query), value.shape[1]))
    for i in range(len(query)):
        seen = [j for j in range(len(key)) if visible is None or visible(i, j)]
        scores = []
        for j in seen:
            score = dot(query[i], key[j]) * scale
            if soft_cap is not None:
                score = soft_cap * math.tanh(score / soft_cap)
            scores.append(score + (0 if bias is None else bias(i, j)))
        weights = softmax(scores) if seen else []
        for column in range(value.shape[1]):
            output[i, column] = dot(weights, [value[j, column] for j in seen])
    return output


def attend_heads(query, key, value, **options):
    """(n_heads, S_q, d_k), (n_kv_heads, S_k, ...): query head h reads head h // group of key and value."""
    group = len(query) // len(key)
    return np.stack(
        [attend(query[h], key[h // group], value[h // group], **options) for h in range(len(query))]
    )


def multi_head(x, context, params, n_heads, n_kv_heads, **options):
    """One head after the other, on its own columns of the projections; then W_O on what they found."""
    projected = []
    for rows, matrix, bias in (
        (x, params.W_Q, params.b_Q), (context, params.W_K, params.b_K), (context, params.W_V, params.b_V),
    ):  # fmt: skip
        projected.append(matmul(rows, matrix) + (0 if bias is None else bias))
    query, key, value = projected
    d_k, d_v, group = query.shape[1] // n_heads, value.shape[1] // n_kv_heads, n_heads // n_kv_heads
    heads = []
    for h in range(n_heads):
        kv = h // group
        own_query = query[:, h * d_k : (h + 1) * d_k]
        own_key = key[:, kv * d_k : (kv + 1) * d_k]
        own_value = value[:, kv * d_v : (kv + 1) * d_v]
        heads.append(attend(own_query, own_key, own_value, **options))
    return matmul(np.concatenate(heads, axis=1), params.W_O) + (0 if params.b_O is None else params.b_O)


def additive(query, key, value, params):
    query_part, key_part = matmul(query, params.W_query), matmul(key, params.W_key)
    output = np.zeros((len(query), value.shape[1]))
    for i in range(len(query)):
        scores = [
            dot(params.v, [math.tanh(a + b) for a, b in zip(query_part[i], key_part[j], strict=True)])
            for j in range(len(key))
        ]
        weights = softmax(scores)
        output[i] = [dot(weights, column) for column in value.T]
    return output


def layer_norm(row, gamma, beta, eps):
    mean, variance = statistics.fmean(row), statistics.pvariance(row)
    return [(x - mean) / math.sqrt(variance + eps) * g + b for x, g, b in zip(row, gamma, beta, strict=True)]


def rms_norm(row, gamma, eps):
    root = math.sqrt(math.fsum(x * x for x in row) / len(row) + eps)
    return [x / root * g for x, g in zip(row, gamma, strict=True)]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gelu(x):
    return x * statistics.NormalDist().cdf(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def rope_interleaved(vector, position, base):
    """Each pair as a complex number, multiplied by e ** (i * angle)."""
    turned = list(map(float, vector))
    for pair in range(len(vector) // 2):
        angle = position * base ** (-2 * pair / len(vector))
        number = complex(vector[2 * pair], vector[2 * pair + 1]) * complex(math.cos(angle), math.sin(angle))
        turned[2 * pair], turned[2 * pair + 1] = number.real, number.imag
    return turned


def t5_bucket(key_minus_query, bidirectional, n_buckets, max_distance):
    """By counting how many bucket borders a distance has passed."""
    half = n_buckets // 2 if bidirectional else n_buckets
    distance = abs(key_minus_query) if bidirectional else max(-key_minus_query, 0)
    exact = half // 2
    borders = [exact * (max_distance / exact) ** (step / (half - exact)) for step in range(1, half - exact)]
    bucket = distance if distance < exact else exact + sum(distance >= border - 1e-9 for border in borders)
    return bucket + (half if bidirectional and key_minus_query > 0 else 0)

"""Wrong rotary positions, each with the check that rejects it; built like those in attention.py."""

import numpy as np


def pairs(x, layout):
    """The first and the second entry of each pair."""
    half = x.shape[-1] // 2
    return (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else (x[..., :half], x[..., half:])


def join(first, second, layout):
    if layout == "interleaved":
        return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)
    return np.concatenate([first, second], axis=-1)


def turn(first, second, cosine, sine):
    return first * cosine - second * sine, first * sine + second * cosine


def speeds(d_rot, base):
    return base ** (-np.arange(0, d_rot, 2) / d_rot)


def angles(positions, frequencies):
    return np.asarray(positions)[..., None] * frequencies


def places(x, positions):
    return np.arange(x.shape[-2]) if positions is None else positions


def rotary(d_k, rotary_dim):
    return d_k if rotary_dim is None else rotary_dim


def stretch(x, magnitude):
    return x * magnitude


STEPS = {step.__name__: step for step in (pairs, join, turn, speeds, angles, places, rotary, stretch)}


def assemble(**other):
    """A RoPE with some steps exchanged for others."""
    assert other.keys() <= STEPS.keys()
    step = STEPS | other

    def rope(
        x, positions=None, *, base=10_000.0, rotary_dim=None, frequencies=None, layout="interleaved",
        magnitude=1.0,
    ):  # fmt: skip
        x = np.asarray(x)
        d_rot = step["rotary"](x.shape[-1], rotary_dim)
        part, rest = x[..., :d_rot], x[..., d_rot:]
        frequencies = step["speeds"](d_rot, base) if frequencies is None else frequencies
        angle = step["angles"](step["places"](x, positions), frequencies)
        first, second = step["pairs"](part, layout)
        turned = step["turn"](first, second, np.cos(angle), np.sin(angle))
        turned = step["stretch"](step["join"](*turned, layout), magnitude)
        return np.concatenate([turned, rest], axis=-1).astype(x.dtype)

    return rope


as_it_should_be = assemble()


def writing_into_its_input(x, *more, **options):
    turned = as_it_should_be(x, *more, **options)
    np.asarray(x)[...] = turned
    return turned


def second_from_the_new_first(first, second, cosine, sine):
    """What happens in place without a copy."""
    first = first * cosine - second * sine
    return first, first * sine + second * cosine


def always(layout):
    return assemble(
        pairs=lambda x, asked: pairs(x, layout), join=lambda first, second, asked: join(first, second, layout)
    )


def by_head(x, positions):
    return np.arange(x.shape[-3])[:, None] if positions is None and x.ndim > 2 else places(x, positions)


def given_speeds_ignored(x, positions=None, *, frequencies=None, **options):
    return as_it_should_be(x, positions, **options)


MUTANTS = {
    "turned backwards": (assemble(turn=lambda a, b, c, s: turn(a, b, c, -s)), "check_exact"),
    "sign lost": (assemble(turn=lambda a, b, c, s: (a * c + b * s, a * s + b * c)), "check_exact"),
    "second from the new first": (assemble(turn=second_from_the_new_first), "check_exact"),
    "sine and cosine exchanged": (assemble(turn=lambda a, b, c, s: turn(a, b, s, c)), "check_exact"),
    "half-split whatever is asked": (always("half-split"), "check_loops"),
    "interleaved whatever is asked": (always("interleaved"), "check_half_split"),
    "split one way, joined the other": (
        assemble(join=lambda a, b, layout: join(a, b, "half-split")), "check_loops",
    ),
    "exponent i / d": (
        assemble(speeds=lambda d, base: base ** (-np.arange(d // 2) / d)), "check_loops",
    ),
    "one speed for all pairs": (assemble(speeds=lambda d, base: np.ones(d // 2)), "check_loops"),
    "growing speeds": (assemble(speeds=lambda d, base: speeds(d, base)[::-1]), "check_loops"),
    "base ignored": (assemble(speeds=lambda d, base: speeds(d, 10_000.0)), "check_base"),
    "from position 1": (
        assemble(places=lambda x, p: 1 + np.arange(x.shape[-2]) if p is None else p), "check_loops",
    ),
    "positions ignored": (assemble(places=lambda x, p: np.arange(x.shape[-2])), "check_positions"),
    "position by head": (assemble(places=by_head), "check_loops"),
    "rotary_dim ignored": (assemble(rotary=lambda d_k, rotary_dim: d_k), "check_partial"),
    "angles in float32": (
        assemble(angles=lambda p, f: angles(np.float32(p), np.float32(f))),
        "check_far_positions_keep_their_digits",
    ),
    "given speeds ignored": (given_speeds_ignored, "check_frequencies"),
    "given speeds from 1": (assemble(angles=lambda p, f: angles(p, f / f[0])), "check_frequencies"),
    "magnitude ignored": (assemble(stretch=lambda x, magnitude: x), "check_magnitude"),
    "magnitude squared": (assemble(stretch=lambda x, magnitude: x * magnitude**2), "check_magnitude"),
    "writing into its input": (writing_into_its_input, "check_input_untouched"),
}  # fmt: skip

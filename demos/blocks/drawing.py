"""The diagram of a block: the residual stream runs down, its sub-layers hang beside it."""

from itertools import pairwise

from demos.blocks.layers import Module, modules
from demos.blocks.wording import BOXES, DESCRIBE, name_of
from demos.kit import Box, Link, Words, diagram, setter

WIDTH, HEIGHT, GAP = 112.0, 26.0, 17.0
RAIL = 14.0  # from a box's side to the residual path around its sub-layer
COLUMN = WIDTH + RAIL + 6
SPACE = 26.0  # between the columns, for the arrow from the encoder to the decoder
ADD = 32.0  # width of a "+"


def draw(architecture: str, norm_first: bool, chosen: Module):
    """The layers of an architecture, with the chosen module pressed."""
    every = modules(architecture, norm_first)
    stacks = list(dict.fromkeys(module.stack for module in every))
    boxes, links = [], []
    places: dict[str, tuple[float, float]] = {}
    for number, stack in enumerate(stacks):
        own = [module for module in every if module.stack == stack]
        outside = -1 if number == 0 else 1  # the encoder's rails run on its left, the decoder's on its right
        x = RAIL + 6 + WIDTH / 2 + number * (WIDTH + SPACE)
        for place, module in enumerate(own):
            places[module.key] = x, HEIGHT / 2 + 2 + place * (HEIGHT + GAP)
        boxes += [_box(module, places[module.key], module == chosen) for module in own]
        links += _down(own, places) + _rails(own, places, outside)
    links += _memory(places)
    width = len(stacks) * COLUMN + (len(stacks) - 1) * (SPACE - RAIL - 6) + 6
    height = max(y for _, y in places.values()) + HEIGHT / 2 + 2
    width += RAIL if len(stacks) > 1 else 0
    return diagram(boxes, links, width=width, height=height, describe=DESCRIBE)


def _box(module: Module, place: tuple[float, float], chosen: bool) -> Box:
    x, y = place
    wide = ADD if module.role == "add" else WIDTH
    kind = module.sub_layer if module.role == "run" else module.role
    short: Words = BOXES[module.stack, kind] if (module.stack, kind) in BOXES else BOXES[kind]
    sets = setter(module=module.key)
    return Box(x, y, wide, HEIGHT, short, sets, chosen, name_of(module), kind or "")


def _down(own: list[Module], places: dict) -> list[Link]:
    links = []
    for above, below in pairwise(own):
        (x, y), (_, z) = places[above.key], places[below.key]
        links.append(Link([(x, y + HEIGHT / 2), (x, z - HEIGHT / 2 - 1)]))
    return links


def _rails(own: list[Module], places: dict, outside: int) -> list[Link]:
    """Each sub-layer's residual path: from above its first box around to its "+"."""
    links = []
    for name in dict.fromkeys(module.sub_layer for module in own if module.sub_layer):
        parts = [module for module in own if module.sub_layer == name]
        (x, first) = places[parts[0].key]
        (_, add) = places[next(module.key for module in parts if module.role == "add")]
        fork, rail = first - HEIGHT / 2 - GAP / 2 - 1, x + outside * (WIDTH / 2 + RAIL)
        links.append(Link([(x, fork), (rail, fork), (rail, add), (x + outside * (ADD / 2 + 1), add)], "rail"))
    return links


def _memory(places: dict) -> list[Link]:
    """The encoder's output on its way to the keys and values of cross-attention."""
    if "dec-cross" not in places or "enc-out" not in places:
        return []
    (x, y), (to_x, to_y) = places["enc-out"], places["dec-cross"]
    middle = (x + to_x) / 2
    return [Link([(x + WIDTH / 2, y), (middle, y), (middle, to_y), (to_x - WIDTH / 2 - 1, to_y)], "memory")]

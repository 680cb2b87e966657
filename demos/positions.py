"""How order gets in: positions in the scores, tokens in other seats, and why embeddings are scaled."""

from demos.kit import View, index, pick, slider, text, toggle
from demos.places import distance, seats, size
from demos.places.schemes import HEADS, S

TITLE = text(zh="位置怎样进入注意力", en="How positions get into attention")
SCHEMES = {
    "sinusoidal": text(zh="sinusoidal", en="sinusoidal"),
    "rope": text(zh="RoPE", en="RoPE"),
    "alibi": text(zh="ALiBi", en="ALiBi"),
    "t5": text(zh="T5 偏置", en="T5 bias"),
    "none": text(zh="不加", en="none"),
}
CONTROLS = {
    "look": pick(
        [
            ("distance", text(zh="相隔多远", en="distance")),
            ("order", text(zh="换座位", en="other seats")),
            ("size", text(zh="乘 √d_model", en="times √d_model")),
        ],
        value="distance",
        label=text(zh="看什么", en="Look at"),
    ),
    "scheme": pick(
        list(SCHEMES.items()),
        value="sinusoidal",
        label=text(zh="位置编码", en="Positions"),
        when="look=distance,order",
    ),
    "i": slider(0, S - 1, value=9, label=text(zh="位置 i", en="Position i"), when="look=distance,size"),
    "j": slider(0, S - 1, value=6, label=text(zh="位置 j", en="Position j"), when="look=distance"),
    "head": index(
        [str(head + 1) for head in range(HEADS)],
        value=0,
        label=text(zh="头", en="Head"),
        when="look=distance&scheme=alibi",
    ),
    "order": pick(
        list(seats.ORDERS.items()), value="swap", label=text(zh="次序", en="Order"), when="look=order"
    ),
    "causal": toggle(False, label=text(zh="因果掩码", en="Causal mask"), when="look=order"),
    "d_model": slider(
        value=512,
        stops=[2**n for n in range(4, 13)],
        label=text(zh="d_model", en="d_model"),
        when="look=size",
    ),
    "scaled": toggle(
        True, label=text(zh="embedding 乘 √d_model", en="Embedding × √d_model"), when="look=size"
    ),
}


def view(
    *,
    look: str,
    scheme: str,
    i: float,
    j: float,
    head: int,
    order: str,
    causal: bool,
    d_model: float,
    scaled: bool,
) -> View:
    if look == "size":
        return size.shown(int(d_model), int(i), scaled)
    if look == "order":
        return seats.shown(scheme, order, causal)
    return distance.shown(scheme, int(i), int(j), head)

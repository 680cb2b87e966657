"""What each module is called, does, and computes, for readers of the block."""

from demos.blocks.layers import D_FF, HEADS, D, Module
from demos.kit import Node, Text, Words, formula, frac, join, root, row, sub, sup, text

STACKS = {"enc": text(zh="编码器", en="encoder"), "dec": text(zh="解码器", en="decoder")}
DOT = text(zh=" · ", en=": ")
DESCRIBE = text(
    zh="一层的结构图，从上到下：按一个模块看它做什么",
    en="A layer from top to bottom: press a module to look at it",
)
BOXES: dict = {  # short names inside the boxes
    "in": text(zh="输入 x", en="input x"),
    "out": text(zh="输出", en="output"),
    "norm": "LayerNorm",
    "add": "+",
    ("enc", "attn"): text(zh="自注意力", en="self-attention"),
    ("dec", "attn"): text(zh="因果自注意力", en="causal self-att."),
    "cross": text(zh="交叉注意力", en="cross-attention"),
    "ffn": "FFN",
}
SUB_LAYERS = {
    ("enc", "attn"): text(zh="自注意力", en="self-attention"),
    ("dec", "attn"): text(zh="因果自注意力", en="causal self-attention"),
    ("dec", "cross"): text(zh="交叉注意力", en="cross-attention"),
    ("enc", "ffn"): text(zh="FFN", en="FFN"),
    ("dec", "ffn"): text(zh="FFN", en="FFN"),
}
CALLED = {"attn": "Attn", "cross": "Cross", "ffn": "FFN"}  # in formulas
ROLES = {
    "in": text(zh="输入", en="input"),
    "out": text(zh="输出", en="output"),
    "norm": text(zh="LayerNorm（{sub}）", en="LayerNorm of {sub}"),
    "add": text(zh="残差相加（{sub}）", en="residual sum of {sub}"),
    "run": text(zh="{sub}", en="{sub}"),
}


def name_of(module: Module) -> Text:
    """The module's full name, such as "decoder: residual sum of FFN"."""
    own: Words = SUB_LAYERS[module.stack, module.sub_layer] if module.sub_layer else ""
    return join([STACKS[module.stack], DOT, ROLES[module.role].format(sub=own)])


def what_it_does(module: Module, norm_first: bool, *, feeds_decoder: bool) -> Text:
    """One or two sentences."""
    if module.role == "norm":
        return DOES["norm-first" if norm_first else "norm-last"]
    if module.role == "out":
        said = DOES["out-first" if norm_first else "out-last"]
        return said + FEEDS_DECODER if feeds_decoder and module.stack == "enc" else said
    if module.role == "run":
        own = f"{module.stack}-{module.sub_layer}"
        return DOES[own] if own in DOES else DOES[module.sub_layer]
    return DOES[module.role]


def formula_of(module: Module, norm_first: bool) -> Node:
    """What the module computes; z is what it is given."""
    if module.role == "norm":
        return formula("γ ⊙", frac("z − μ", root([sup("σ", "2"), row("+ ε")])), "+ β")
    if module.role == "run":
        return _module_formula(module)
    if module.role == "add":
        name = CALLED[module.sub_layer]
        return formula(f"x + {name} ( norm ( x ) )" if norm_first else f"x + {name} ( x )")
    if module.role == "in":
        return formula("x ∈", sup("ℝ", row("S ×", sub("d", "model"))))
    return formula("y = x′ + FFN ( norm ( x′ ) )" if norm_first else "y = norm ( x′ + FFN ( x′ ) )")


def _module_formula(module: Module) -> Node:
    if module.sub_layer == "ffn":
        return formula("ReLU ( z", sub("W", "1"), ")", sub("W", "2"))
    query, key, value = (sub(name, "h") for name in "QKV")
    scores = frac([query, sup(key, "⊤")], root(sub("d", "k")))
    mask = row("+ M") if (module.stack, module.sub_layer) == ("dec", "attn") else None
    return [
        formula(sub("head", "h"), "= softmax (", scores, mask, ")", value),
        formula("concat (", sub("head", "1"), ",", sub("head", str(HEADS)), ")", sub("W", "O")),
    ]


DOES = {
    "in": text(
        zh="残差流的起点：词向量加上位置信息。之后每个子层都只往它上面加东西，形状始终不变。",
        en="Where the residual stream begins: embeddings with their positions. Every sub-layer adds to it, "
        "and its shape never changes.",
    ),
    "enc-attn": text(
        zh=f"每个 token 看全句（没有掩码），{HEADS} 个头各自按权重混合所有 token 的 value，再由 W_O 合并。"
        "token 之间只在注意力里交换信息。",
        en=f"Each token sees the whole sequence; {HEADS} heads mix the values of all tokens by their "
        "weights, and W_O joins them. Tokens exchange information in attention and nowhere else.",
    ),
    "dec-attn": text(
        zh="和自注意力一样，只多一个因果掩码 M：每个 token 只看自己和前面的 token，"
        "第 1 个 token 只能看自己。",
        en="Self-attention with a causal mask M: each token sees itself and the earlier ones; "
        "the first sees itself alone.",
    ),
    "cross": text(
        zh="query 来自解码器的 z，key 和 value 来自编码器的输出；权重有 2 行 3 列，不必是方阵。",
        en="Queries come from the decoder’s z, keys and values from the encoder’s output; the weights have "
        "2 rows and 3 columns and need not be square.",
    ),
    "ffn": text(
        zh=f"每个 token 各自从 {D} 维升到 {D_FF} 维，过 ReLU，再降回 {D} 维；不混合 token。",
        en=f"Each token alone goes from {D} to {D_FF} dimensions, through ReLU, and back to {D}; "
        "no token sees another.",
    ),
    "norm-first": text(
        zh="pre-norm：站在支路入口，把每个 token 自己的分量归一后才交给子层；残差流本身不经过它。",
        en="Pre-norm: it stands where the branch begins and normalises each token’s own entries for the "
        "sub-layer; the residual stream itself does not pass through.",
    ),
    "norm-last": text(
        zh="post-norm：站在相加之后，把每个 token 的残差流整个归一；梯度回传时也要穿过它。",
        en="Post-norm: it stands after the sum and normalises the residual stream itself; "
        "the gradient has to come back through it as well.",
    ),
    "add": text(
        zh="残差相加：把支路的输出加到原来的流上，逐元素，形状必须相同，没有参数。",
        en="The residual sum: the branch’s output is added to the stream entry by entry; "
        "shapes must agree, and there are no parameters.",
    ),
    "out-first": text(
        zh="这一层的输出，直接做下一层的输入。pre-norm 的残差流从没归一过，所以最后一层之后要再接一个 norm。",
        en="The layer’s output is the next layer’s input. In pre-norm nothing has normalised the stream, "
        "so one more norm follows the last layer.",
    ),
    "out-last": text(
        zh="这一层的输出，直接做下一层的输入；它刚刚归一过，最后一层之后不用再接 norm。",
        en="The layer’s output is the next layer’s input; it has just been normalised, "
        "so no norm follows the last layer.",
    ),
}
FEEDS_DECODER = text(
    zh="编码器的输出还要送进解码器的交叉注意力，做 key 和 value。",
    en=" The encoder’s output also goes to the decoder’s cross-attention as keys and values.",
)

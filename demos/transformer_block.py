"""A Transformer layer as a diagram to press: what each module does, and its real numbers on the example."""

from demos.blocks.drawing import draw
from demos.blocks.layers import HEADS, D, Module, Stack, modules, parameters, resolve, stacks, values
from demos.blocks.wording import formula_of, name_of, what_it_does
from demos.kit import (
    Text,
    View,
    Words,
    beside,
    flow,
    fmt,
    grouped,
    matrix_table,
    note,
    panel,
    pick,
    short,
    table,
    text,
)
from transformer_core.parameters import count_parameters, named_arrays

FULLEST = "encoder-decoder"  # has every module that the others have

TITLE = text(zh="拆开一个 Transformer 块", en="A Transformer block, taken apart")
CONTROLS = {
    "architecture": pick(
        [
            ("encoder", text(zh="编码器", en="encoder")),
            ("decoder", text(zh="仅解码器", en="decoder-only")),
            (FULLEST, text(zh="编码器-解码器", en="encoder-decoder")),
        ],
        value="encoder",
        label=text(zh="架构", en="Architecture"),
    ),
    "norm": pick(
        [("pre", "pre-norm"), ("post", "post-norm")], value="pre", label=text(zh="归一化", en="Norm")
    ),
    "module": pick(
        [(module.key, name_of(module)) for module in modules(FULLEST, True)],
        value="enc-attn",
        label=text(zh="模块", en="Module"),
        style="list",
    ),
}


def view(*, architecture: str, norm: str, module: str) -> View:
    norm_first = norm == "pre"
    shown = resolve(architecture, norm_first, module)
    every = stacks(architecture, norm_first)
    ran = every[shown.stack]
    picture = [
        beside(
            panel(DIAGRAM, draw(architecture, norm_first, shown)),
            panel(
                name_of(shown),
                note("plain", what_it_does(shown, norm_first, feeds_decoder="dec" in every)),
                formula_of(shown, norm_first),
                flow(_flow(ran, shown)),
                note("plain", _count(ran, shown)),
                *_numbers(ran, shown),
            ),
        )
    ]
    said = _say(ran, shown, norm, moved=shown.key != module)
    return View(picture, said, _shapes(ran, shown), _tables(ran, shown))


def _flow(ran: Stack, module: Module) -> list[tuple[Words, Words]]:
    shapes = values(ran, module)
    return [(GIVEN, str(shapes.given.shape)), (name_of(module), ""), (OUTPUT, str(shapes.output.shape))]


def _count(ran: Stack, module: Module) -> Text:
    own, whole = count_parameters(parameters(ran, module)), count_parameters(ran.params)
    if not own:
        return NO_PARAMETERS.format(whole=whole)
    parts = [f"{name} {array.shape}" for name, array in named_arrays(parameters(ran, module)).items()]
    return HAS_PARAMETERS.format(count=own, parts=", ".join(parts), whole=whole)


def _numbers(ran: Stack, module: Module) -> list:
    made = values(ran, module)
    columns = [str(j + 1) for j in range(D)]
    shown = {BEFORE: made.before, MODULE_OUTPUT: made.output, AFTER: made.after}
    return [
        matrix_table(
            array.tolist(),
            name=name,
            rows=ran.tokens,
            columns=columns,
            show=lambda value: short(value, 2),
            mark=lambda i, j, own=name is MODULE_OUTPUT: "lit" if own else None,
        )
        for name, array in shown.items()
    ]


def _say(ran: Stack, module: Module, norm: str, *, moved: bool) -> Text:
    made = values(ran, module)
    said = (SAY_ENDS if module.sub_layer is None else SAY).format(
        module=name_of(module),
        norm=f"{norm}-norm",
        token=ran.tokens[0],
        before=_vector(made.before),
        output=_vector(made.output),
        after=_vector(made.after),
        count=count_parameters(parameters(ran, module)),
    )
    return SAY_ELSEWHERE + said if moved else said


def _vector(rows) -> str:
    return f"[{', '.join(short(value, 3) for value in rows[0])}]"


def _shapes(ran: Stack, module: Module) -> tuple[str, ...]:
    if module.role != "run" or module.sub_layer == "ffn":
        made = values(ran, module)
        if module.sub_layer == "ffn" and module.role == "run":
            hidden = ran.sub_layer("ffn").module.hidden
            return f"z {made.given.shape}", f"hidden {hidden.shape}", f"output {made.output.shape}"
        return f"z {made.given.shape}", f"output {made.output.shape}"
    trace = ran.sub_layer(module.sub_layer).module
    return (
        f"query {trace.query.shape}",
        f"key {trace.key.shape}",
        f"value {trace.value.shape}",
        f"weights {trace.attention.weights.shape}",
        f"output {trace.output.shape}",
    )


def _tables(ran: Stack, module: Module) -> list:
    made = values(ran, module)
    columns = [str(j + 1) for j in range(D)]
    rows: list[list[Words]] = [
        [name, str(array.shape), grouped(array.size)]
        for name, array in named_arrays(parameters(ran, module)).items()
    ]
    rows.append([TOTAL, "", grouped(count_parameters(parameters(ran, module)))])
    rows.append([WHOLE_LAYER, "", grouped(count_parameters(ran.params))])
    found = [
        table(PARAMETERS, [PART, SHAPE, COUNT], rows),
        matrix_table(made.given.tolist(), name=GIVEN_EXACT, rows=ran.tokens, columns=columns, show=_exact),
        matrix_table(made.output.tolist(), name=OUTPUT_EXACT, rows=ran.tokens, columns=columns, show=_exact),
    ]
    if module.role != "run" or module.sub_layer == "ffn":
        return found
    weights = ran.sub_layer(module.sub_layer).module.attention.weights
    keys = [str(j + 1) for j in range(weights.shape[-1])]
    return found + [
        matrix_table(
            weights[head].tolist(),
            name=WEIGHTS.format(head=head + 1),
            rows=ran.tokens,
            columns=keys,
            show=_exact,
            shares=weights[head].tolist(),
        )
        for head in range(HEADS)
    ]


def _exact(value: float) -> str:
    return fmt(value, 4)


DIAGRAM = text(zh="按一个模块", en="Press a module")
GIVEN = text(zh="输入 z", en="input z")
OUTPUT = text(zh="输出", en="output")
NO_PARAMETERS = text(zh="没有参数（整层 {whole} 个）。", en="No parameters (the layer has {whole}).")
HAS_PARAMETERS = text(
    zh="参数 {count} 个：{parts}（整层 {whole} 个，都没有线性层偏置）。",
    en="{count} parameters: {parts} (the layer has {whole}; its linear layers have no biases).",
)
BEFORE = text(zh="残差流，之前", en="Residual stream before")
MODULE_OUTPUT = text(zh="这个模块的输出", en="Output of this module")
AFTER = text(zh="残差流，之后", en="Residual stream after")
PARAMETERS = text(zh="参数", en="Parameters")
PART = text(zh="部分", en="part")
SHAPE = text(zh="形状", en="shape")
COUNT = text(zh="个数", en="count")
TOTAL = text(zh="这个模块合计", en="this module")
WHOLE_LAYER = text(zh="整层合计", en="the whole layer")
GIVEN_EXACT = text(zh="模块的输入 z，四位小数", en="The module’s input z, four decimals")
OUTPUT_EXACT = text(zh="模块的输出，四位小数", en="The module’s output, four decimals")
WEIGHTS = text(
    zh="头 {head} 的权重：行是 query，列是 key", en="Weights of head {head}: queries down, keys across"
)
SAY = text(
    zh="{norm}，{module}：{token} 的残差流进这个子层时是 {before}，这个模块算出 {output}，"
    "出子层时是 {after}；模块有 {count} 个参数。",
    en="{norm}, {module}: the residual stream of {token} enters the sub-layer as {before}, this module makes "
    "{output}, and the stream leaves as {after}; the module has {count} parameters.",
)
SAY_ENDS = text(
    zh="{norm}，{module}：{token} 进这一层时是 {before}，出这一层时是 {after}，形状没变。",
    en="{norm}, {module}: {token} enters the layer as {before} and leaves as {after}, its shape unchanged.",
)
SAY_ELSEWHERE = text(
    zh="这个架构没有所选的模块，这里显示最接近的一个。",
    en="This architecture has no such module; the nearest one is shown. ",
)

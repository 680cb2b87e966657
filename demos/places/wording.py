"""What the demo of positions says about distances."""

from demos.kit import text

TABLE = text(
    zh="位置编码表：行是位置，列是 {d} 个分量", en="The table of positions: a row a place, {d} columns"
)
DESCRIBE_TABLE = text(
    zh="sinusoidal 编码表的热力图：左边的列变得快，右边的列变得慢；框住的是第 {i} 行",
    en="Heat map of the sinusoidal table: columns on the left change fast, those on the right slowly; "
    "row {i} is framed",
)
PAIRS = text(
    zh="两对分量，每个位置各转 {fast} 弧度和 {slow} 弧度（浅色）",
    en="Two pairs, which turn {fast} and {slow} (pale) radians a position",
)
DESCRIBE_TURNED = text(
    zh="位置 {i} 的 q 与位置 {j} 的 k，两对分量转过之后的箭头",
    en="Both pairs of q at position {i} and k at position {j} after turning, as arrows",
)
MAP = text(
    zh="位置给每一对带来的得分：行 query，列 key", en="Score from positions alone: rows queries, columns keys"
)
DESCRIBE_MAP = text(
    zh="每一对位置的得分，从 {low} 到 {high}；同一条对角线上颜色相同",
    en="The score of each pair of positions, from {low} to {high}; each diagonal has one tint",
)
BY_OFFSET = text(zh="同样的得分，按相隔 j − i 画", en="The same scores against the offset j − i")
OFFSET = text(zh="相隔 j − i", en="offset j − i")
SCORE = text(zh="得分", en="score")
DESCRIBE_CURVE = text(
    zh="得分随相隔变化的曲线；相隔 {offset} 处是 {score}",
    en="The score as the offset changes; at {offset} it is {score}",
)
TURN = text(
    zh="第 {pair} 对：q 转 {q}，k 转 {k}，相差 {apart} 弧度",
    en="Pair {pair}: q turns {q}, k turns {k}, the difference is {apart} radians",
)
BUCKET = text(
    zh="相隔 {offset} → 第 {bucket} 号桶（{shared}）", en="offset {offset} → bucket {bucket} ({shared})"
)
BOTH_BACK = text(zh="一起往前 1", en="both one back")
BOTH_ON = text(zh="一起往后 1", en="both one on")
KEY_ON = text(zh="只有 key 往后 1", en="only the key one on")
ROW = text(zh="第 {i} 个 query 的一行（内容全都相同）", en="Row {i}, all tokens of the same content")
SAME = text(zh="相隔相同的几对", en="Pairs of the same offset")
QUERY = text(zh="query 的位置", en="query at")
KEY = text(zh="key 的位置", en="key at")
WEIGHT = text(zh="权重", en="weight")
VECTORS = text(zh="两个位置的编码", en="The vectors of both places")
COLUMN = text(zh="分量", en="column")
NOTES = {
    "sinusoidal": text(
        zh="两个编码的点积只看相隔多远，前后对称。可它是加在输入上的，过了 W_Q、W_K 之后就不再保证如此。",
        en="The product of two places depends on their distance alone, either way. But it is added to the "
        "input; after W_Q and W_K that no longer holds.",
    ),
    "rope": text(
        zh="两支箭头一起转，夹角不变：得分里只剩相隔，绝对位置消去了。",
        en="When both arrows turn together, their angle stays: only the offset is left in the score.",
    ),
    "alibi": text(
        zh="离得越远扣得越多，每个头扣的斜率不同：头 1 只看近处，头 8 几乎不管远近。",
        en="The further, the less; each head has a slope: head 1 looks near by, head 8 hardly minds.",
    ),
    "t5": text(
        zh="近的每个距离一个数，远的几个距离合用一个；前后分开。这些数是学出来的，这里是训练前的随机值。",
        en="Near distances have a number each, further ones share; before and after are apart. The "
        "numbers are "
        "learned; these are random, as before training.",
    ),
    "none": text(
        zh="处处是 0：内容相同的 token，坐在哪里得分都一样。切到「换座位」看后果。",
        en="0 everywhere: tokens of equal content score alike wherever they sit. See “other seats”.",
    ),
}
SAY = {
    "sinusoidal": text(
        zh="位置 {i} 与 {j} 的编码点积是 {score}；凡是相隔 {apart} 的两个位置，都是这个数。",
        en="The vectors of positions {i} and {j} have the product {score}, as any two that are {apart} "
        "apart.",
    ),
    "rope": text(
        zh="q 在 {i}、k 在 {j}，相隔 {offset}：转过之后点积是 {score}；一起挪到别处还是它。",
        en="With q at {i} and k at {j}, offset {offset}, the product after turning is {score}; moved "
        "together "
        "they keep it.",
    ),
    "alibi": text(
        zh="头 {head} 的斜率是 {slope}：q 在 {i}、k 在 {j}，距离 {apart}，得分加上 {score}。",
        en="Head {head} has the slope {slope}: q at {i} and k at {j} are {apart} apart, so the score "
        "changes by "
        "{score}.",
    ),
    "t5": text(
        zh="q 在 {i}、k 在 {j}，相隔 {offset}，落进第 {bucket} 号桶，得分加上 {score}；",
        en="q at {i} and k at {j}, offset {offset}, fall into bucket {bucket}, so the score changes by "
        "{score}; ",
    ),
    "none": text(
        zh="q 在 {i}、k 在 {j}，相隔 {offset}：位置给得分带来的是 {score}，换成别的位置也一样。",
        en="q at {i} and k at {j}, offset {offset}: positions put {score} into the score, here as anywhere.",
    ),
}
ALONE = text(zh="这个相隔独占一个桶。", en="this offset has the bucket to itself.")
SHARED = text(zh="相隔 {shared} 合用这个桶。", en="offsets {shared} share it.")

"""What the mask demo says."""

from demos.kit import text

ROWS_COLUMNS = text(zh="行：query，列：key", en="rows: queries, columns: keys")
SUM = text(zh="和", en="sum")
SCALED = text(zh="① 缩放后的得分", en="① Scaled scores")
MASKED_SCORES = text(zh="② 遮住之后的得分", en="② Masked scores")
UNMASKED_WEIGHTS = text(zh="② 没遮就做的 softmax", en="② Softmax of the unmasked scores")
FINAL_WEIGHTS = text(zh="③ softmax 之后的权重", en="③ Weights after the softmax")
LATE_WEIGHTS = text(zh="③ 事后遮住的权重", en="③ Weights, masked afterwards")
EMPTY = text(zh="一个 key 也看不见的一行", en="A row that sees no key at all")
WAY = text(zh="做法", en="way")
RESULT = text(zh="每个权重", en="each weight")
OURS = text(zh="本站：认出空行", en="ours: knows an empty row")
BARE = text(zh="填 −∞，照公式算 exp ÷ 和", en="−∞ and the bare formula, exp ÷ sum")
FINITE = text(zh="填 −1e9（float32）", en="−1e9 (float32)")
ZERO_OUTPUT = text(zh="输出为 0", en="output 0")
EQUAL_SHARES = text(zh="平分", en="equal shares")
WAYS = text(zh="各种做法的行和，掩码：{mask}", en="Row sums of every way, mask: {mask}")
BEFORE = text(zh="softmax 前填 {fill}", en="{fill} before the softmax")
AFTER = text(zh="softmax 后填 {fill}", en="{fill} after the softmax")
LOWEST = text(zh="最小行和", en="smallest row sum")
HIGHEST = text(zh="最大行和", en="largest row sum")
LEAK = text(zh="漏给被遮的 key", en="leaked to hidden keys")
VERDICT = text(zh="结论", en="verdict")
VERDICTS = {
    "right": text(zh="✓ 行和为 1，没有漏", en="✓ rows add up to 1, nothing leaks"),
    "leaks": text(zh="✗ 行和为 1，但漏给了被遮的 key", en="✗ rows add up to 1, but hidden keys get a share"),
    "breaks": text(zh="✗ 行和不再是 1", en="✗ rows no longer add up to 1"),
}
MARKS = {
    "right": "✓",
    "leaks": text(zh="✗ 漏", en="✗ leaks"),
    "breaks": text(zh="✗ 和", en="✗ sum"),
}
APART = text(
    zh="（一个 key 也看不见的 {count} 行除外）",
    en=" (apart from {count} rows that see no key)",
)
NOTHING_HIDDEN = text(
    zh="没有一格被遮，谁都看得见谁；{token} 的得分是 {row}。",
    en="Nothing is hidden, everyone sees everyone; the scores of {token} are {row}.",
)
NOTHING_HIDDEN_WEIGHTS = {
    "future": text(
        zh="没有一格被遮：每行加起来是 1，可是第 1 个 token 把 {lost} 的权重给了它后面的 token。",
        en="Nothing is hidden: each row adds up to 1, but token 1 gives {lost} of its weight to the future.",
    ),
    "padding": text(
        zh="没有一格被遮：每行加起来是 1，可是 {token} 把 {lost} 的权重给了 PAD，它那一行是 {row}。",
        en="Nothing is hidden: each row adds up to 1, but {token} gives {lost} of its weight to PAD: {row}.",
    ),
}
SAY_SCORES = text(
    zh="{token} 的得分是 {row}；斜纹是「{mask}」掩码要遮住的 {hidden} 格。",
    en="The scores of {token} are {row}; the {hidden} hatched places are what the mask “{mask}” will hide.",
)
SAY_MASKED = text(
    zh="在 softmax 之前，{hidden} 格换成 {fill}，别的得分一个不动：{token} 那一行成了 {row}。",
    en="Before the softmax {hidden} places become {fill}, no other score changes: "
    "the row of {token} is now {row}.",
)
HALF = text(
    zh="float16 最小只到 −65504，装不下 −1e9，所以格子里是 −∞。",
    en=" float16 ends at −65504 and cannot hold −1e9, so the places hold −∞.",
)
SAY_TOO_LATE = text(
    zh="softmax 先做了：该遮的 {hidden} 格也进了分母，在一行里最多占走 {share}。",
    en="The softmax came first: the {hidden} places to hide are in the denominators, "
    "and take up to {share} of a row.",
)
SAY_SUMS = {
    "right": text(
        zh="被遮的权重是 0，空出来的份额在看得见的 key 之间重新分配，行和仍是 1：{token} 那一行是 {row}。",
        en="Hidden weights are 0 and their share goes to the visible keys, so rows still add up to 1: "
        "{token} has {row}.",
    ),
    "leaks": text(
        zh="填 {fill} 等于给了一个普通的得分：行和是 1，可是一行里最多有 {leak} 漏给了被遮的 key，"
        "{token} 那一行是 {row}。",
        en="{fill} is a score like any other: rows add up to 1, but up to {leak} of a row goes to hidden "
        "keys; {token} has {row}.",
    ),
}
SAY_BREAKS = {
    "zero": text(
        zh="softmax 之后再乘 0，分母里早有被遮的 key：行和不是 1，最小的只剩 {lowest}，"
        "{token} 那一行是 {row}。",
        en="Zeroed after the softmax, hidden keys are in the denominators already: rows do not add up to 1, "
        "the smallest comes to {lowest}; {token} has {row}.",
    ),
    "big": text(
        zh="softmax 之后才填 {fill}，它就成了权重本身：行和最小是 {lowest}，乘上 value 输出就毁了。",
        en="Filled in after the softmax, {fill} is a weight itself: the smallest row sum is {lowest}, "
        "and times the values it ruins the output.",
    ),
}
SAY_EMPTY = {
    "zeros": text(
        zh="另有 {count} 行一个 key 也看不见：这里的 softmax 认出它，给出全 0，照公式算则是 0 ÷ 0。",
        en=" {count} rows see no key at all: the softmax here gives them zeros, the bare formula 0 ÷ 0.",
    ),
    "equal": text(
        zh="另有 {count} 行一个 key 也看不见：整行都是 {fill}，softmax 让所有 key 平分，PAD 和未来也有份。",
        en=" {count} rows see no key at all: all their scores are {fill}, so all keys share equally, "
        "PAD and the future included.",
    ),
    "filled": text(
        zh="另有 {count} 行一个 key 也看不见：整行都是填进去的 {fill}。",
        en=" {count} rows see no key at all: they hold nothing but {fill}.",
    ),
}

"""What the slips are called."""

from demos.kit import text

ROWS_OF_W = text(
    zh="像是拿 X 的行乘了 W_{of} 的行；矩阵乘法要乘 W_{of} 的列。",
    en="This is a row of X times a row of W_{of}; a matrix product takes the columns of W_{of}.",
)
OTHER_W = text(
    zh="这是 {other} 的数：像是乘了 W_{other}，这里要乘 W_{of}。",
    en="This number belongs to {other}: it comes from W_{other}, and {of} needs W_{of}.",
)
NOT_PROJECTED = text(
    zh="还是 X 的数：忘了乘 W_{of}。", en="This is still X: the product with W_{of} is missing."
)
KEY_NOT_TRANSPOSED = text(
    zh="像是没有转置 K：把 K 的数照行的次序填进 2×3，形状对得上，数却不是 Kᵀ 的。Kᵀ 的列是 K 的行。",
    en="K seems not to be transposed: poured row by row into 2×3 it fits, but that is not Kᵀ, "
    "whose columns are the rows of K.",
)
SCALED_EARLY = text(
    zh="这一步只求点积，除以 √d_k ≈ {root} 是下一步的事。",
    en="This step is the dot product alone; dividing by √d_k ≈ {root} comes next.",
)
SWAPPED = text(
    zh="行列颠倒了：第 i 行第 j 列是 query i 对 key j。",
    en="Rows and columns are swapped: row i, column j is query i against key j.",
)
VALUE_FOR_KEY = text(zh="像是用了 V：得分是 Q 与 K 的点积。", en="This looks like V: a score is Q times K.")
SCORES_OF_X = text(
    zh="像是直接用 X 乘 Xᵀ，忘了投影成 Q 和 K。",
    en="This looks like X times Xᵀ, without the projections to Q and K.",
)
SAME_TWICE = text(
    zh="两边都用了 {name}：得分是 Q 与 K 的点积。",
    en="Both sides are {name}: a score is Q times K.",
)
NOT_SCALED = text(zh="像是忘了除以 √d_k ≈ {root}。", en="The division by √d_k ≈ {root} seems forgotten.")
DIVIDED_BY_WIDTH = text(
    zh="像是除以了 d_k = {d_k}；该除的是它的平方根 {root}。",
    en="This is divided by d_k = {d_k}; it should be its square root, {root}.",
)
MULTIPLIED = text(
    zh="像是乘了 √d_k ≈ {root}；这里是除。",
    en="This is multiplied by √d_k ≈ {root}; it should be divided.",
)
ROOT_OF_TOKENS = text(
    zh="像是除以了 √{tokens}，那是 token 数；根号里是 d_k = {d_k}。",
    en="This is divided by √{tokens}, the number of tokens; under the root stands d_k = {d_k}.",
)
SOFTMAX_EARLY = text(
    zh="这已经是 softmax 之后的数了；这一步只缩放。",
    en="This is after the softmax already; this step only scales.",
)
SOFTMAX_OF_COLUMNS = text(
    zh="像是对列做了 softmax；要对每一行做，一行的权重加起来才是 1。",
    en="This softmax runs down the columns; it must run along each row, so that a row adds up to 1.",
)
MASK_FORGOTTEN = text(
    zh="像是忘了掩码：后面的 token 不该出现在行和里。",
    en="The mask seems forgotten: later tokens have no place in the row's sum.",
)
MASK_LATE = text(
    zh="像是先 softmax、后遮住：剩下的权重加起来不到 1。要先遮住得分。",
    en="Masked after the softmax: what is left adds up to less than 1. Mask the scores first.",
)
MASK_OF_ZERO = text(
    zh="像是把遮住的得分填成了 0：e^0 = 1，仍然分走权重。要填 −∞。",
    en="The hidden scores seem filled with 0: e^0 = 1 still takes its share. Fill in −∞.",
)
NOT_NORMALISED = text(
    zh="像是只取了 exp，没有除以行和。",
    en="These are the exponentials; they still have to be divided by their row's sum.",
)
NO_EXP = text(
    zh="像是没有取 exp，直接按得分的比例分。",
    en="Without exp: the scores themselves divided by their sum.",
)
WHOLE_MATRIX = text(
    zh="像是对整个矩阵做了一次 softmax；每一行各做一次。",
    en="This is one softmax over the whole matrix; each row has its own.",
)
KEY_FOR_VALUE = text(
    zh="像是乘了 K；K 只管匹配，取走的内容在 V 里。",
    en="This is weights times K; K is for matching, what is taken away is in V.",
)
X_FOR_VALUE = text(
    zh="像是乘了 X；要乘投影过的 V。",
    en="This is weights times X; it should be V, the projection.",
)
COLUMNS_OF_A = text(
    zh="像是用了 A 的列；输出的第 i 行用 A 的第 i 行。",
    en="This takes a column of A; row i of the output takes row i of A.",
)
NO_SOFTMAX = text(
    zh="像是拿缩放后的得分直接乘 V，跳过了 softmax。",
    en="These are scaled scores times V; the softmax is missing.",
)
ROUNDED_EARLY = text(
    zh="像是先把权重舍入到一位小数再乘；中间至少留三位。",
    en="The weights seem rounded to one decimal first; keep three at least until the end.",
)
NEARLY = text(
    zh="很接近：方法大概没错，多留几位小数，最后再舍入。",
    en="Very close: the method seems right. Keep more decimals and round at the end.",
)
WRONG_SIGN = text(zh="正负号反了。", en="The sign is wrong.")
ONCE_MORE = text(zh="再算一遍：{letters}。", en="Work it out once more: {letters}.")

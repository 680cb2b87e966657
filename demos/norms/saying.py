"""What each step of each norm does to the selected group, in a sentence with its numbers."""

import math

from demos.kit import Text, fmt, short, text
from demos.norms.calculation import NORMALISE, SCALE, Group, Steps, in_group, token
from transformer_core import layer_norm_trace, rms_norm_trace


def say(norm: str, step: int, made: Steps, group: Group, cell: tuple, moved: float) -> Text:
    values = in_group(norm, made.normalized, group.number)
    normalized, after = layer_norm_trace(values), fmt(moved)
    figures = {
        "group": group.name,
        "token": token(cell[0]),
        "mean": short(made.mean[group.number], 4),
        "variance": short(made.variance[group.number], 4),
        "inverse": short(made.inverse[group.number], 4),
        "new_mean": fmt(normalized.mean[0]),
        "new_std": fmt(math.sqrt(normalized.variance[0])),
        "new_rms": fmt(math.sqrt(rms_norm_trace(values).mean_square[0])),
        "before": fmt(made.output[cell]),
    }
    said = SAYS[norm][step].format(**figures)
    if step == NORMALISE and norm != "rms" and round(float(made.variance[group.number]), 9) == 0:
        return said + SAY_CONSTANT
    if step == SCALE:
        same = after == figures["before"]
        return said + (SAY_SAME if same else SAY_MOVED).format(before=figures["before"], after=after)
    return said


SAYS = {
    "layer": [
        text(
            zh="LayerNorm 只看 {group} 自己的 4 个分量，均值是 {mean}；别的 token、别的句子都不参与。",
            en="LayerNorm looks at the 4 features of {group} alone: their mean is {mean}. "
            "No other token or sequence takes part.",
        ),
        text(
            zh="减去均值后，{group} 的 4 个平方取平均，得到方差 {variance}（除以 4，不是 3）。",
            en="With the mean taken away, the average of the 4 squares of {group} is the variance, "
            "{variance} (divided by 4, not by 3).",
        ),
        text(
            zh="{group} 整行乘上 {inverse}：现在均值 {new_mean}，标准差 {new_std}。",
            en="All of {group} is multiplied by {inverse}: mean {new_mean} now, deviation {new_std}.",
        ),
        text(
            zh="γ 和 β 每个特征一个数，所有 token 共用。",
            en="γ and β have one number for each feature, the same for all tokens. ",
        ),
    ],
    "rms": [
        text(
            zh="RMSNorm 跳过均值：{group} 的均值 {mean} 原样留着。",
            en="RMSNorm skips the mean: {group} keeps its {mean}.",
        ),
        text(
            zh="{group} 的 4 个分量各自平方再平均，得到 {variance}；没有先减均值，所以它不是方差。",
            en="The 4 features of {group} squared and averaged give {variance}; "
            "no mean was taken away first, so this is no variance.",
        ),
        text(
            zh="{group} 整行乘上 {inverse}：均方根变成 {new_rms}；均值只是跟着缩放，现在是 {new_mean}。",
            en="All of {group} is multiplied by {inverse}: its root mean square is now {new_rms}, "
            "and its mean, scaled along, {new_mean}.",
        ),
        text(
            zh="RMSNorm 只有 γ，没有 β。",
            en="RMSNorm has γ and no β. ",
        ),
    ],
    "batch": [
        text(
            zh="BatchNorm 对每个特征，在整个 batch 的 4 行上取均值：{group} 的均值是 {mean}，"
            "两个句子的 token 都算在内。",
            en="BatchNorm averages each feature over all 4 rows of the batch: the mean of {group} is {mean}, "
            "with the tokens of both sequences in it.",
        ),
        text(
            zh="{group} 这一列减去均值，4 个平方取平均，方差是 {variance}。",
            en="The column of {group}, its mean taken away, has the mean square {variance}: its variance.",
        ),
        text(
            zh="{group} 整列乘上 {inverse}：这一列均值 {new_mean}、标准差 {new_std}，"
            "而一个 token 自己的 4 个分量并没有被归一。",
            en="The column of {group} is multiplied by {inverse}: mean {new_mean} now, deviation {new_std}; "
            "the 4 features of one token are not normalised.",
        ),
        text(
            zh="推理时 BatchNorm 不看当前的 batch，改用训练时攒下的均值和方差。",
            en="At inference BatchNorm ignores the batch and uses the mean and variance kept from training. ",
        ),
    ],
}
SAY_CONSTANT = text(
    zh="这一组的数全都相等，减掉均值只剩 0，放大多少倍都还是 0。",
    en=" All numbers of this group are equal: nothing is left but 0, whatever the factor.",
)
SAY_SAME = text(
    zh="把另一个句子的所有分量都加 1，选中的输出仍是 {before}。",
    en="Add 1 to every number of the other sequence, and the selected output is still {before}.",
)
SAY_MOVED = text(
    zh="把另一个句子的所有分量都加 1，选中的输出就从 {before} 变成 {after}：结果取决于同一批里的别人。",
    en="Add 1 to every number of the other sequence, and the selected output goes from {before} to {after}: "
    "it depends on who else is in the batch.",
)

"""Embedding and position before they are added: which of the two is longer."""

from demos.kit import View, bars, fmt, note, panel, percent, table, text, working
from demos.places.schemes import sizes


def shown(d_model: int, i: int, scaled: bool) -> View:
    """Both lengths, and whose direction the sum takes."""
    made = sizes(d_model, i, scaled)
    word, place = made.lengths
    longest = max(word, place)
    factor = f"√{d_model}" if scaled else "1"
    picture = [
        panel(
            LENGTHS,
            bars(
                [(EMBEDDING, word / longest), (POSITION, place / longest)],
                show=lambda part: fmt(part * longest, 2),
            ),
        ),
        panel(SHARES, bars([(EMBEDDING, made.share), (POSITION, 1 - made.share)], lit=[0])),
        working(
            WORD.format(factor=factor, length=fmt(word, 2)),
            PLACE.format(d=d_model, length=fmt(place, 2)),
        ),
        note("right" if scaled else "warn", NOTES[scaled]),
    ]
    numbers = table(
        NUMBERS,
        ["", LENGTH, MEAN_SQUARE, SHARE],
        [
            [EMBEDDING, fmt(word), fmt(word**2 / d_model, 5), percent(made.share)],
            [POSITION, fmt(place), fmt(place**2 / d_model, 5), percent(1 - made.share)],
        ],
    )
    say = SAY[scaled].format(d=d_model, word=fmt(word, 2), place=fmt(place, 2), share=percent(made.share))
    return View(picture, say, (f"embedding ({d_model},)", f"PE ({d_model},)"), numbers)


EMBEDDING = text(zh="embedding", en="embedding")
POSITION = text(zh="位置", en="position")
LENGTHS = text(zh="两个加数的长度", en="The lengths of the two that are added")
SHARES = text(zh="各占两个平方长度之和的几成", en="Each one’s share of the squared lengths")
WORD = text(
    zh="embedding：方差 1/d_model 的随机向量 × {factor}，长 {length}",
    en="embedding: random with variance 1/d_model, × {factor}, of length {length}",
)
PLACE = text(
    zh="位置编码：√({d}/2) = {length}，哪个位置都一样", en="position: √({d}/2) = {length}, at every place"
)
NUMBERS = text(zh="相加之前", en="Before they are added")
LENGTH = text(zh="长度", en="length")
MEAN_SQUARE = text(zh="每个分量的均方", en="mean square of an entry")
SHARE = text(zh="占", en="share")
NOTES = {
    True: text(
        zh="大小相当：相加之后，词义和位置都读得出来。", en="Of one size: both can be read from the sum."
    ),
    False: text(zh="位置盖过了词义。", en="The position drowns the word."),
}
SAY = {
    True: text(
        zh="d_model = {d}，乘了 √d_model：embedding 长 {word}，位置编码长 {place}，词义占 {share}；"
        "把 d_model 拖到哪里，这一份都差不多。",
        en="d_model = {d}, with × √d_model: the embedding has length {word}, the position {place}; the "
        "word’s "
        "share is {share}, and stays about the same wherever you drag d_model.",
    ),
    False: text(
        zh="d_model = {d}，没有乘：embedding 长 {word}，位置编码长 {place}，词义只占 {share}；d_model "
        "越大越少。",
        en="d_model = {d}, not scaled: the embedding has length {word}, the position {place}; the word’s "
        "share "
        "is {share}, and shrinks as d_model grows.",
    ),
}

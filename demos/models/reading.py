"""From a typed line to tokens that the trained encoder knows, and from a state's column to one of them."""

import re
from difflib import get_close_matches

from demos.kit import StateError, text
from demos.models import coreference

LONGEST = coreference.longest()


def tokens_of(line: str) -> tuple[str, ...]:
    """The typed words, in lower case, without full stops; StateError for one that the model cannot read."""
    words = tuple(re.findall(r"[^\s.,;:!?。，]+", line.lower()))
    if not 1 <= len(words) <= LONGEST:
        raise StateError(WRONG_LENGTH.format(longest=LONGEST, got=len(words)))
    for word in words:
        if word not in coreference.vocabulary():
            close = get_close_matches(word, coreference.vocabulary(), n=3, cutoff=0.6)
            cure = CLOSE.format(words=", ".join(close)) if close else SEE_BELOW
            raise StateError(UNKNOWN.format(word=word, known=len(coreference.vocabulary())) + cure)
    return words


def it_of(tokens: tuple[str, ...]) -> int | None:
    """Where "it" stands first, if it does."""
    return tokens.index("it") if "it" in tokens else None


def place(tokens: tuple[str, ...], column: int) -> int:
    """The token that a column of the state stands for; the last one, where the sentence is too short."""
    it = it_of(tokens)
    if column == 0 and it is not None:
        return it
    return min(max(column, 1), len(tokens)) - 1


WRONG_LENGTH = text(
    zh="句子要有 1 到 {longest} 个词，现在有 {got} 个",
    en="A sentence has 1 to {longest} words here, got {got}",
)
UNKNOWN = text(
    zh="模型不认识 “{word}”，它只学过 {known} 个词。",
    en="The model does not know “{word}”: it has learnt {known} words. ",
)
CLOSE = text(zh="相近的有：{words}", en="Close to it are: {words}")
SEE_BELOW = text(zh="可用的词列在图的下面", en="They are listed below the picture")

"""What the tests of the demos share: a frame's tables as text, checks for every frame, random states."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import strategies as st

from demos import kit

SUSPECT = r"\bnan\b|\binf\b|∞|\bundefined\b|\{\w*\}|Text\(|−0(?:\.0+)?(?![.\d])"  # a hole in a text, or -0
Table = list[list[str]]


class _Tables(HTMLParser):
    """Reads tables: caption -> rows of cell texts, header cells included."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Table] = {}
        self.text: list[str] = []
        self._rows: Table = []
        self._into: list[str] | None = None
        self._caption = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td", "caption"):
            self._into = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            assert self._caption not in self.found, f"two tables are called {self._caption!r}"
            self.found[self._caption] = self._rows
        elif tag in ("th", "td", "caption") and self._into is not None:
            read, self._into = "".join(self._into).strip(), None
            if tag == "caption":
                self._caption = read
            else:
                self._rows[-1].append(read)

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._into is not None:
            self._into.append(data)


@pytest.fixture(scope="session")
def tables() -> Callable[[str], dict[str, Table]]:
    """Reads the tables of a frame's markup: caption -> rows of cell texts."""

    def read(html: str) -> dict[str, Table]:
        reader = _Tables()
        reader.feed(html)
        return reader.found

    return read


@pytest.fixture(scope="session")
def sound_frame() -> Callable[..., kit.Frame]:
    """Makes a demo's frame and checks what holds for every frame; returns the one in `lang`.

    `may_say` lists what is suspect elsewhere (∞, NaN) and meant here; `foreign` the Han characters of tokens.
    """

    def make(
        name: str,
        state: dict[str, str] | None = None,
        lang: str = "en",
        *,
        may_say: str = "",
        foreign: str = "",
    ) -> kit.Frame:
        made = {each: kit.frame(name, state, each) for each in kit.LANGUAGES}
        for each, shown in made.items():
            assert shown == kit.frame(name, state, each), "the same state gives two frames"
            reader = _Tables()
            reader.feed(shown.html)
            read = " ".join([*reader.text, shown.say])
            for bad in re.findall(SUSPECT, read, re.IGNORECASE):
                assert bad in may_say, f"{bad!r} in {read}"
            attributes = re.sub(r">[^<]*<", "><", shown.html)
            assert not re.search(r"\b(nan|inf)\b", attributes, re.IGNORECASE), "a drawing holds nan or inf"
            assert shown.say.strip()
            assert reader.found, "no table of numbers"
        # an English frame without Han characters, but for tokens that are Chinese, is wholly translated
        han = set(re.findall("[\u4e00-\u9fff]", made["en"].html + made["en"].say))
        assert han <= set(foreign), f"not translated: {han - set(foreign)}"
        assert re.search("[\u4e00-\u9fff]", made["zh"].say)
        return made[lang]

    return make


@pytest.fixture(scope="session")
def any_state() -> Callable[[str], st.SearchStrategy[dict[str, str]]]:
    """A strategy for the states of a demo that its controls allow."""

    def states(name: str) -> st.SearchStrategy[dict[str, str]]:
        return st.fixed_dictionaries(
            {control_name: _texts(control) for control_name, control in kit.load(name).controls.items()}
        )

    return states


def _texts(control: object) -> st.SearchStrategy[str]:
    values = control.values()
    if values is not None:
        return st.sampled_from([control.show(value) for value in values])
    if isinstance(control, kit.controls.Slider):
        steps = round((control.high - control.low) / control.step)
        return st.integers(0, steps).map(lambda n: control.show(round(control.low + n * control.step, 10)))
    assert isinstance(control, kit.controls.Matrix), f"no random values for {control!r} yet"
    rows, columns = control.shape
    cell = st.integers(0, round((control.high - control.low) / control.step)).map(
        lambda n: f"{round(control.low + n * control.step, 10):g}"
    )
    cell = st.one_of(st.just(""), cell) if control.blank else cell
    return st.lists(cell, min_size=rows * columns, max_size=rows * columns).map(",".join)

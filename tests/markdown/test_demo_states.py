"""Links into a demo name a state that it can show: the demo, the control and the value."""

from __future__ import annotations

from typing import Any

import pytest

import demos.kit


@pytest.fixture(autouse=True)
def real_demos(monkeypatch: pytest.MonkeyPatch, kit: None) -> None:
    monkeypatch.undo()
    assert "scaling" in demos.kit.names()


@pytest.mark.parametrize(
    "link",
    [
        "?scaling.d_k=64#demo-scaling",
        "a.md?scaling.d_k=64&scaling.rule=sqrt#demo-scaling",
        "?n=1#part",
        "#demo-scaling",
    ],
)
def test_states_that_exist(render: Any, link: str) -> None:
    assert render(f"[字]({link})\n", strict=True).codes == []


@pytest.mark.parametrize(
    ("link", "code", "said"),
    [
        ("?scaling.d_k=64#demo-scalin", "E104", "did you mean 'scaling'?"),
        ("?scaling.dk=64#demo-scaling", "E266", "there is no control “dk”"),
        ("?scaling.d_k=9999#demo-scaling", "E266", "512"),
        ("?softmax.d_k=64#demo-scaling", "E266", "write 'scaling.d_k'"),
    ],
)
def test_states_that_do_not(render: Any, link: str, code: str, said: str) -> None:
    page = render(f"# 题\n\n字\n[字](b.md{link})\n", strict=True)
    assert page.codes == [(4, code)]
    assert said in page.problems[0]


def test_raw_html_and_second_copies(render: Any) -> None:
    assert render('<a href="?scaling-2.d_k=64#demo-scaling-2">字</a>\n', strict=True).codes == []
    assert render('<a href="?scaling-2.d_k=0#demo-scaling-2">字</a>\n', strict=True).codes == [(1, "E266")]


def test_guest_page_is_left_alone(render: Any) -> None:
    assert render("[字](?scaling.dk=64#demo-scaling)\n").problems == []

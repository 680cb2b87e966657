"""The views: real tables, tints within bounds, buttons that set controls, charts within their axes."""

import re

import pytest

from demos.kit import (
    Axis,
    Line,
    bars,
    beside,
    chart,
    flow,
    heat,
    matrix_table,
    note,
    panel,
    percent,
    plane,
    presets,
    render,
    setter,
    short,
    table,
    text,
    token_row,
    working,
)

NAME = text(zh="名字", en="name")


def html(node):
    return render(node, "en")


def grid(**more):
    return html(
        matrix_table([[0.5, -1], [2, 0.25]], name=NAME, rows=["q₁", "q₂"], columns=["k₁", "k₂"], **more)
    )


def test_a_matrix_is_a_table_with_caption_and_headers(tables):
    made = grid(show=short)
    assert tables(made) == {"name": [["", "k₁", "k₂"], ["q₁", "0.5", "−1"], ["q₂", "2", "0.25"]]}
    assert made.count('<th scope="col">') == made.count('<th scope="row">') == 2


def test_words_may_stand_in_a_matrix_as_well(tables):
    made = matrix_table([["?", NAME]], name="m", rows=["r"], columns=["a", "b"], show=lambda cell: cell)
    assert tables(html(made))["m"][1] == ["r", "?", "name"]


def test_totals_are_a_last_column(tables):
    assert [row[-1] for row in tables(grid(totals=(NAME, ["−0.5", "2.25"])))["name"]] == [
        "name",
        "−0.5",
        "2.25",
    ]


def test_cells_that_can_be_pressed_say_which_one_is():
    made = grid(selected=(1, 0), set_cell=lambda i, j: setter(cell=f"{i},{j}"))
    assert re.findall(r'aria-pressed="(\w+)" data-set="cell=(\d,\d)"', made) == [
        ("false", "0,0"),
        ("false", "0,1"),
        ("true", "1,0"),
        ("false", "1,1"),
    ]
    assert '<td class="selected">' in made
    assert "<button" not in grid(selected=(1, 0))


def test_marks_and_lit_rows_and_columns_are_classes():
    made = grid(lit_rows=[0], lit_columns=[1], mark=lambda i, j: "hidden" if i == j else None)
    assert re.findall(r'<td class="([^"]*)"', made) == ["hidden lit", "lit", "hidden lit"]
    assert made.count('class="lit">') == 3  # a header of each kind, and the cell that is nothing else


@pytest.mark.parametrize(
    ("share", "tint"), [(0, "0.000"), (0.5, "0.500"), (0.9, "0.900"), (7, "1.000"), (-1, "0.000")]
)
def test_a_tint_stays_between_none_and_all(share, tint):
    assert heat(share) == {"style": f"--heat:{tint}"}
    assert f'style="--heat:{tint}"' in grid(shares=[[share, 0], [0, 0]])


def test_a_setter_names_all_its_controls():
    assert setter(a=1, b="x,y") == {"data-set": "a=1&b=x,y"}


def test_a_table_has_row_headers(tables):
    made = html(table(NAME, ["", "value"], [["a", 1], [NAME, "2"]]))
    assert tables(made) == {"name": [["", "value"], ["a", "1"], ["name", "2"]]}
    assert made.count('scope="row"') == 2


def test_bars_have_names_numbers_and_bounded_lengths():
    made = html(bars([("a", 0.25), (NAME, 1.5), ("c", -0.5)], lit=[1]))
    assert re.findall(r'bar-name">([^<]*)<', made) == ["a", "name", "c"]
    assert re.findall(r'bar-number">([^<]*)<', made) == [percent(0.25), percent(1.5), percent(-0.5)]
    assert re.findall(r"--share:([\d.]+)", made) == ["0.2500", "1.0000", "0.0000"]
    assert made.count('class="bar lit"') == 1


def test_tokens_are_buttons_where_they_can_be_pressed():
    plain = html(token_row(["the", "cat"], shares=[0.1, 0.9], chosen=1))
    assert re.findall(r'<span class="([^"]*)" style="--heat:([\d.]+)">(\w+)<', plain) == [
        ("token", "0.100", "the"),
        ("token chosen", "0.900", "cat"),
    ]
    pressed = html(token_row(["the", "cat"], chosen=1, set_token=lambda i: setter(query=i)))
    assert re.findall(r'aria-pressed="(\w+)"[^>]*data-set="query=(\d)">(\w+)<', pressed) == [
        ("false", "0", "the"),
        ("true", "1", "cat"),
    ]


def test_a_flow_marks_its_current_step():
    made = html(flow([("X", "(3, 2)"), (NAME, "(3, 3)")], current=1))
    assert made == (
        '<ol class="flow"><li><span>X</span><code>(3, 2)</code></li>'
        '<li aria-current="step"><span>name</span><code>(3, 3)</code></li></ol>'
    )


def test_presets_are_buttons_and_one_may_be_the_present_state():
    options = [("a", setter(x=1)), (NAME, setter(x=2, y=3))]
    assert re.findall(
        r'aria-pressed="(\w+)" data-set="([^"]*)">(\w+)<', html(presets(options, chosen=1))
    ) == [
        ("false", "x=1", "a"),
        ("true", "x=2&amp;y=3", "name"),
    ]
    assert 'aria-pressed="true"' not in html(presets(options))


def test_parts_of_a_picture():
    assert html(panel(NAME, "x")) == '<div class="panel"><p class="panel-name">name</p>x</div>'
    assert html(beside("a", "b")) == '<div class="beside">ab</div>'
    assert html(working("1 + 1", NAME)) == '<div class="working"><p>1 + 1</p><p>name</p></div>'
    assert html(note("warn", NAME, "!")) == '<p class="remark warn">name!</p>'


X_AXIS = Axis(0, 10, [0, 5, 10], "x")
Y_AXIS = Axis(1, 100, [1, 10, 100], NAME, warp=lambda value: value**0.5)


@pytest.mark.parametrize(("value", "share"), [(0, 0), (5, 0.5), (10, 1), (-3, 0), (99, 1)])
def test_an_axis_places_values_and_keeps_what_is_beyond_at_its_ends(value, share):
    assert X_AXIS.place(value) == pytest.approx(share)


def test_a_warped_axis_still_has_its_ends():
    assert [Y_AXIS.place(value) for value in (1, 30.25, 100)] == pytest.approx([0, 0.5, 1])


def test_a_chart_draws_its_parts_and_says_what_it_shows():
    line = Line([(0, 1), (10, 100)], "theory", NAME)
    histogram = [(0.0, 5.0, 100.0), (5.0, 10.0, 1.0)]
    made = html(
        chart(X_AXIS, Y_AXIS, lines=[line], histogram=histogram, markers=[(5, 30.25, "good")], describe=NAME)
    )
    assert "<title>name</title>" in made
    assert '<polyline class="line theory" points="40.00,176.00 350.00,12.00">' in made
    assert [float(height) for height in re.findall(r'class="bin"[^>]*height="([\d.]+)"', made)] == [164, 0]
    assert '<circle class="marker good" cx="195" cy="94" r="4">' in made
    assert re.findall(r'class="tick"[^>]*>(\d+)<', made) == ["0", "5", "10", "1", "10", "100"]
    assert '<span class="key theory">name</span>' in made


def test_a_chart_of_unnamed_lines_has_no_key():
    assert "keys" not in html(chart(X_AXIS, Y_AXIS, lines=[Line([(0, 1)], "good", "")], describe=NAME))


def test_a_plane_points_arrows_up_and_to_the_right():
    made = html(plane([(1, 0.5, "query", "q")], reach=1, describe=NAME))
    assert re.search(r'class="arrow-head query" d="M300.00 75.00L', made)
    assert 'data-reach="1"' in made
    assert ">q</text>" in made


def test_an_arrow_of_no_length_is_a_dot():
    made = html(plane([(0, 0, "query", "q")], reach=1, describe=NAME))
    assert '<circle class="arrow query" cx="150" cy="150" r="3">' in made
    assert "nan" not in made.lower()


def test_a_planes_hull_dashes_and_origin():
    made = html(
        plane(
            [],
            reach=1,
            hull=[(0, 0), (1, 0), (0, 1)],
            dashes=[((0, 0), (1, 1))],
            origin=(0, 0),
            describe=NAME,
        )
    )
    assert 'class="hull" points="0.00,300.00 150.00,300.00 0.00,150.00"' in made
    assert '<line class="dash" x1="0" y1="300" x2="150" y2="150">' in made

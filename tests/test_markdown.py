"""Markdown as it is shown."""

import pytest

from memories.markdown import plain, rendered

ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://elsewhere.example/pixel.png)",
    '![x" onerror="alert(1)](x)',
    "<svg onload=alert(1)>",
    "<a href='vbscript:x'>x</a>",
    "<style>*{display:none}</style>",
    "<iframe src=//elsewhere.example>",
    "```<script>\nalert(1)\n```",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_in_it_runs_or_loads_anything(attack: str) -> None:
    html = rendered(attack).lower()
    for sign in ("<script", "<img", "<svg", "<style", "<iframe", 'href="javascript', 'href="data', '<a href="vb'):
        assert sign not in html


def test_what_people_write_is_shaped() -> None:
    html = rendered("**Berth 7** is ~~open~~ closed\n\n| a |\n|---|\n| 1 |\n\n- [x] told the pilots")
    assert "<strong>Berth 7</strong>" in html
    assert "<del>open</del>" in html
    assert "<td>1</td>" in html
    assert "☑ told the pilots" in html


def test_headings_fit_below_the_pages_and_skip_no_level() -> None:
    assert rendered("# A\n\n### B\n\n## C") == "<h3>A</h3>\n<h4>B</h4>\n<h4>C</h4>\n"
    assert rendered("#### deep", below=1) == "<h2>deep</h2>\n"


def test_a_language_for_programs_is_not_one_for_screen_readers() -> None:
    assert rendered("```bash\nls\n```") == "<pre><code>ls\n</code></pre>\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Berths\n\n> **Berth 7** is `closed`\n", "Berths Berth 7 is closed"),
        ("Roll back:\n\n```bash\nmake back\n```\n", "Roll back: make back"),
        ("See [the tides](https://tides.example/).", "See the tides."),
        ("2 ** 3 ** 4, `open, __init__ and #7", "2 ** 3 ** 4, `open, __init__ and #7"),
        ("- one\n- two", "- one - two"),
    ],
)
def test_a_line_of_a_list_has_the_words_alone(text: str, words: str) -> None:
    assert plain(text) == words

"""Markdown as it is shown."""

import pytest

from memories.text.markdown import render_markdown, strip_markdown
from tests.effort import cpu_seconds

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
    html = render_markdown(attack).lower()
    for sign in ("<script", "<img", "<svg", "<style", "<iframe", 'href="javascript', 'href="data', '<a href="vb'):
        assert sign not in html


def test_what_people_write_is_shaped() -> None:
    html = render_markdown("**Berth 7** is ~~open~~ closed\n\n| a |\n|---|\n| 1 |\n\n- [x] told the pilots")
    assert "<strong>Berth 7</strong>" in html
    assert "<del>open</del>" in html
    assert "<td>1</td>" in html
    assert "☑ told the pilots" in html


def test_headings_fit_below_the_pages_and_skip_no_level() -> None:
    assert render_markdown("# A\n\n### B\n\n## C") == "<h3>A</h3>\n<h4>B</h4>\n<h4>C</h4>\n"
    assert render_markdown("#### deep", below=1) == "<h2>deep</h2>\n"


def test_a_language_for_programs_is_not_one_for_screen_readers() -> None:
    assert render_markdown("```bash\nls\n```") == "<pre><code>ls\n</code></pre>\n"


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
    assert strip_markdown(text) == words


def table(columns: int, rows: str) -> str:
    return f"{'a|' * columns}\n{'-|' * columns}\n{rows}"


ORDINARY = "The **quick** brown fox [jumps](http://x.example) over `the` dog.\n\n- a\n- b\n\n> said\n\n"
WORST = {
    "quotations in each other": ">" * 50_000,
    "quotations in each other, apart": "> " * 25_000,
    "a quotation that goes on": ">" * 25_000 + "a\n" * 12_500,
    "lists in each other": "+ " * 25_000,
    "blank lines in lists in each other": "+ " * 5_000 + "a" + "\n" * 40_000,
    "blank lines in lists indented further and further": "".join(f"{'  ' * deep}- a\n" for deep in range(180))
    + "\n" * 16_000,
    "short rows of a wide table": table(8_000, "a\n" * 8_000),
    "short rows of a wide table, by other spaces": table(8_000, "a\n" * 8_000).replace("-", "-\v"),
    "short rows of a wide table in a quotation": "> " + table(8_000, "a\n" * 8_000).replace("\n", "\n> "),
    "short rows of a wide table, by carriage returns": table(8_000, "a\n" * 8_000).replace("\n", "\r"),
    "brackets": "[" * 50_000,
    "links that do not end": "[a](" * 12_500,
    "pictures in each other": "![" * 10_000 + "a" + "](b)" * 7_000,
    "emphasis that does not end": "*a _b " * 8_000,
    "emphasis in each other": "*a " * 8_000 + " b*" * 8_000,
    "runs of backticks": "".join("`" * length + " " for length in range(1, 315)),
    "comments that do not end": "a <!-- " * 7_000,
    "entities": "&" * 50_000,
    "addresses": "http://a.b/" + "(" * 25_000 + ")" * 25_000,
    "footnotes": "[^a]: x\n" + "[^a]" * 12_000,
    "references": "[a]: " + "x" * 25_000 + "\n\n" + "[a]" * 8_000,
    "one letter": "a" * 50_000,
}


@pytest.mark.parametrize("text", WORST.values(), ids=WORST)
def test_no_text_takes_much_longer_than_others_of_its_length(text: str) -> None:
    ordinary = ORDINARY * (50_000 // len(ORDINARY))
    assert cpu_seconds(lambda: render_markdown(text)) < 6 * cpu_seconds(lambda: render_markdown(ordinary))
    assert cpu_seconds(lambda: strip_markdown(text)) < 6 * cpu_seconds(lambda: strip_markdown(ordinary))


def test_a_text_that_would_take_too_long_is_shown_as_it_was_written() -> None:
    assert render_markdown(f"{'> ' * 21}<b>") == f"<pre>{'&gt; ' * 21}&lt;b&gt;</pre>"
    assert render_markdown("> " * 20 + "a").count("<blockquote>") == 20


def test_a_full_table_is_one_however_large() -> None:
    rows = table(20, f"{'1|' * 20}\n" * 1_000)
    assert render_markdown(rows).count("<td>") == 20_000
    assert render_markdown(table(200, "a\n" * 100)).startswith("<pre>")


def test_of_blank_lines_a_few_are_enough() -> None:
    assert render_markdown("```\na" + "\n" * 40 + "b\n```") == "<pre><code>a" + "\n" * 20 + "b\n</code></pre>\n"

"""Figures, statistics, and reports that stand alone."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from core.engine.found.translate import translate
from core.errors import AppError
from core.events import ErrorInfo
from core.experiment import contents
from core.experiment.plots import bars, dots, nice_ticks
from core.experiment.report_html import as_html
from core.experiment.report_markdown import as_markdown
from core.experiment.result import Answer, Proved, Result, Run, as_json
from core.experiment.spec import Comparison, Order, read_variant, variant
from core.experiment.statistics import first_difference, ratio, summarise
from core.planning.choices import Choices
from core.planning.hardware import CardMemory
from tests.support.builds import CPU, capabilities

BASE = Choices(context=512, enforce_eager=False)


def run(label: str, number: int, rates: tuple[float, ...], text: str = "The same.") -> Run:
    answers = tuple(Answer(0, n, text, 0.1 + n / 100, rate, 5, 20) for n, rate in enumerate(rates, 1))
    return Run(
        label, number, command=f"vllm serve <m> --{label}", version="0.32.0", engine="cpu", ready_s=30.0 + number,
        phases=(("load", 3.0), ("compile", 20.0)), memory=(("ram.processes", 1.6e9),), kv_tokens=46592,
        proof=(Proved("enforce_eager", "True", "took_effect", "True"),), answers=answers, log=f"run-{number}.log",
    )  # fmt: skip


def result(*runs: Run, state: str = "done") -> Result:
    comparison = Comparison(
        "my|model <x>", variant("A", "--enforce-eager", BASE), variant("B", "", BASE), prompts=("Why?",)
    )
    return Result(comparison, "/m", "", "Ryzen", "1.0", 1_700_000_000.0, state, 1_700_000_100.0, runs)


WHOLE = result(run("A", 1, (10.0, 10.2, 9.9, 10.1)), run("B", 2, (15.0, 15.1, 14.9, 15.2)))


# ---- options -------------------------------------------------------------------------------------------------------


def test_known_options_become_choices_and_others_are_passed_on() -> None:
    text = "--enforce-eager --max-num-seqs 4 --max-model-len=1024 VLLM_CPU_KVCACHE_SPACE=2 --dtype float16 --seed=3"
    read = variant("A", text, BASE).choices
    assert (read.enforce_eager, read.max_num_seqs, read.context, read.cpu_kv_cache_gib) == (True, 4, 1024, 2)
    assert read.more.extra == ("--dtype", "float16", "--seed=3")
    assert variant("B", "", BASE).choices == BASE


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("--max-num-seqs four", "compare.bad_option"), ("--max-num-seqs", "compare.bad_option"),
        ("--max-model-len -1", "compare.bad_option"), ("--served-model-name x", "compare.reserved_option"),
        ("--api-key=abc", "compare.reserved_option"), ("'unclosed", "compare.bad_option"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_compared(text: str, code: str) -> None:
    with pytest.raises(AppError) as caught:
        variant("A", text, BASE)
    assert caught.value.code == code


def test_the_engine_s_own_options_get_their_fields() -> None:
    text = "VLLM_CPU_KVCACHE_SPACE=2 --dtype float16 --enable-prefix-caching --max-model-len 1k --block-size 32"
    read = read_variant("A", text, BASE, translate(text, capabilities(CPU))).choices
    assert (read.context, read.cpu_kv_cache_gib) == (1000, 2)
    assert (read.more.dtype, read.more.prefix_caching, read.more.extra) == ("float16", True, ("--block-size", "32"))
    assert read.more.env == ()
    with pytest.raises(AppError) as caught:
        read_variant("A", "--not-an-option 4", BASE, translate("--not-an-option 4", capabilities(CPU)))
    assert caught.value.code == "option.unknown"


def test_a_share_of_the_card_is_compared_and_not_dropped() -> None:
    text = "--gpu-memory-utilization 0.8"
    found = translate(text, capabilities("0.33.0"))
    assert read_variant("A", text, BASE, found, CardMemory(10 << 30, 9 << 30)).choices.leave_free_gib == 1.0
    with pytest.raises(AppError) as caught:
        read_variant("A", text, BASE, found)
    assert caught.value.code == "compare.bad_option"


def test_the_orders() -> None:
    comparison = WHOLE.comparison
    assert [v.label for v in comparison.runs] == ["A", "B"]
    assert [v.label for v in replace(comparison, order=Order.ABBA).runs] == ["A", "B", "B", "A"]


# ---- statistics ----------------------------------------------------------------------------------------------------


def test_the_median_with_its_scatter() -> None:
    found = summarise([10.0, 11.0, 12.0, 13.0, 100.0])
    assert found is not None
    assert (found.count, found.median, found.deviation, found.smallest, found.largest) == (5, 12.0, 1.0, 10.0, 100.0)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 12.0 <= found.high
    wide = summarise([float(n) for n in range(1, 102)])
    assert wide is not None
    assert wide.low is not None
    assert wide.high is not None
    # The median's standard error is 1.25 x 29 / sqrt(101): 95 % lie within 7.1 of 51.
    assert 40.5 < wide.low < 47
    assert 55 < wide.high < 61.5
    assert summarise([]) is None
    two = summarise([1.0, 2.0])
    assert two is not None
    assert two.low is None


def test_a_difference_is_clear_only_beyond_the_scatter() -> None:
    clear = ratio([10.0, 10.1, 9.9, 10.0], [15.0, 15.2, 14.9, 15.1])
    assert clear is not None
    assert clear.clear
    assert clear.value == pytest.approx(1.505)
    same = ratio([10.0, 12.0, 9.0, 11.0], [10.5, 11.5, 9.5, 10.0])
    assert same is not None
    assert not same.clear
    few = ratio([10.0, 10.1], [15.0, 15.1])
    assert few is not None
    assert not few.clear, "two figures prove nothing"
    assert ratio([], [1.0]) is None


@pytest.mark.parametrize(("a", "b", "at"), [("abc", "abc", None), ("abc", "abd", 2), ("ab", "abc", 2), ("", "x", 0)])
def test_where_two_answers_part(a: str, b: str, at: int | None) -> None:
    assert first_difference(a, b) == at


# ---- the report ----------------------------------------------------------------------------------------------------


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_html_report_stands_alone_and_escapes_what_came_from_outside() -> None:
    reader = _Reader()
    reader.feed(as_html(WHOLE))
    text = " ".join(reader.words)
    assert reader.tags.count("svg") == 4
    assert not {"script", "link", "img", "x", "m"} & set(reader.tags)
    assert set(reader.links) == {"run-1.log", "run-2.log"}
    for expected in ("B decodes 50% faster than A", "my|model <x>", "All greedy answers are equal.", "took effect"):
        assert expected in text
    assert "prefers-color-scheme: dark" in text


def test_the_markdown_report_has_every_table_whole() -> None:
    text = as_markdown(WHOLE)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert any("my\\|model &lt;x>" in row for row in rows)
    assert "vllm serve <m> --A" in text
    assert text.count("data:image/svg+xml;base64,") == 4
    assert "-inf" not in text
    assert "None" not in text


def test_answers_that_differ_are_shown_where_they_part() -> None:
    made = result(run("A", 1, (10.0,), "Because of light."), run("B", 2, (10.0,), "Because of air."))
    (row,) = contents.differences(made).rows
    assert row == ("Why?", "at character 12", "…light.", "…air.")
    assert contents.equality(made) == "The greedy answers to 1 of 1 prompts differ."
    shaky = replace(made.runs[0], answers=(*made.runs[0].answers, replace(made.runs[0].answers[0], text="Else.")))
    assert "A did not repeat its own answers" in contents.equality(made.with_run(shaky))


def test_what_was_cut_short_says_so() -> None:
    assert "ended before" in contents.headline(result(run("A", 1, (10.0,)), state="cancelled"))
    assert contents.headline(replace(WHOLE, state="cancelled")).startswith("Not finished.")
    failed = Run("B", 2, error=ErrorInfo("server.start_failed", facts={"exit_code": 1, "reason": "x"}))
    text = contents.headline(result(run("A", 1, (10.0,)), failed, state="failed"))
    assert text.startswith("B failed: ")
    for report in (as_html, as_markdown):
        assert "None" not in report(result(failed, state="failed"))


def test_the_json_is_plain_and_whole() -> None:
    data = json.loads(json.dumps(as_json(WHOLE), allow_nan=False))
    assert data["summary"]["A"]["rate"]["median"] == pytest.approx(10.05)
    assert data["ratio_b_to_a"]["rate"]["clear"] is True
    assert len(data["runs"][0]["answers"]) == 4


# ---- plots ---------------------------------------------------------------------------------------------------------


def test_dots_lie_where_their_values_are() -> None:
    root = ET.fromstring(dots("t", {"A": [0.0, 50.0], "B": [100.0]}, str))
    circles = [float(c.attrib["cx"]) for c in root if c.tag.endswith("circle")]
    assert circles[0] < circles[1] < circles[2]
    assert circles[1] == pytest.approx((circles[0] + circles[2]) / 2, abs=0.1)
    assert dots("t", {"A": [], "B": []}, str) == ""


def test_bars_are_as_long_as_their_values() -> None:
    root = ET.fromstring(bars("a & <b>", [("x", 1.0, 2.0), ("y", None, 0.5)], str, contents.LIGHT))
    widths = [float(r.attrib["width"]) for r in root if r.tag.endswith("rect")]
    assert widths == pytest.approx([widths[1] / 2, widths[1], widths[1] / 4])


@pytest.mark.parametrize("largest", [0.003, 1, 7.2, 48.9, 1000, 123456])
def test_ticks_are_few_round_and_reach_the_end(largest: float) -> None:
    ticks = nice_ticks(largest)
    assert 3 <= len(ticks) <= 6
    assert ticks[0] == 0
    assert ticks[-1] >= largest

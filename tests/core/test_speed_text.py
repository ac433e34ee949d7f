"""What `stowage ask` says of an answer's cost."""

from __future__ import annotations

from core.cli.console import Console
from core.cli.speed_text import speed_lines, speed_object
from core.speed_card import Disagreement, SpeedCard

CARD = SpeedCard(
    1234, 56, 0.456, 78.94, 3.2, True, True, 2700.0, 1000, 0.0126, 0.0404, 1.25, 20, 0.75, checked=True,
    disagreements=(Disagreement("decode_tokens_per_s", 78.94, 90.5, "delivery"),),
)  # fmt: skip


def test_all_figures_in_words() -> None:
    assert speed_lines(CARD, Console("en")) == [
        "First token 0.46 s · 78.9 tok/s · 1,234 prompt tokens · 56 answer tokens · 3.2 s in all",
        "Prompt read at 2,700 tok/s, 1,000 tokens came from the prefix cache",
        "Between tokens 12.6 ms (median), 40.4 ms (99 %)",
        "Thinking took 1.2 s and 20 tokens",
        "Speculative decoding: 75 % of the drafted tokens were kept",
        "The server counts otherwise: tokens per second 90.50, here 78.94 "
        "(chunks reached this computer later than the server made them)",
    ]
    assert len(speed_lines(CARD, Console("ru"))) == 6


def test_what_is_unknown_is_left_out_and_what_is_not_compared_is_said() -> None:
    lines = speed_lines(SpeedCard(unchecked="others"), Console("en"))
    assert lines[0].startswith("First token – · – tok/s")
    assert lines[0].endswith("(the server sent no token counts)")
    assert lines[1:] == ["Not compared with the server's counters: other requests ran at the same time"]


def test_the_object_has_every_figure() -> None:
    found = speed_object(CARD)
    assert (found["itl_p99_s"], found["acceptance"], found["exact"]) == (0.0404, 0.75, True)
    assert next(iter(found["disagreements"]))["cause"] == "delivery"

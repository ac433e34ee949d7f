"""Answers as models write them, for measurements: prose, lists, tables, code and maths."""

from __future__ import annotations

from typing import Final

CHARACTERS_PER_TOKEN: Final = 2.93
"""Of the corpus of the measurements that chose this way of rendering: 11.7 kB in 4,000 tokens."""

SECTION = """\
## Part {number}: what memory is for

A paragraph with **bold**, *italic*, `code()` and a [link](https://example.com). It costs $148+ → $19, not more. The \
identity $e^{{i\\pi}} + {number} = 0$ and $\\frac{{a_{number}}}{{b}}$ sit in a line, so does \\(x_{number}\\). More \
prose follows, because answers are mostly prose, in sentences of the usual length, one after another.

$$
\\int_0^\\infty e^{{-x^2}}\\,dx = \\frac{{\\sqrt{{\\pi}}}}{{2}} + {number}
$$

1. First **step** with `pip`, explained in a few words
2. Second step
   - nested *one*
   - nested two
3. Third

| Model | Size | Speed |
|:------|-----:|:-----:|
| Qwen3-8B | 15.3 GiB | fast |
| Llama-70B | 131 GiB | slow |

```python
@dataclass
class Point{number}:
    \"\"\"A point.\"\"\"
    x: float = 1.5  # metres

    def norm(self) -> float:
        return (self.x ** 2 + self.y ** 2) ** 0.5
```

> A quotation with **weight**, in one line.

"""
LONG_CODE = (
    "```python\n"
    + "".join(
        f"def function_{n}(a: int, b: str = 'x') -> int:  # {n}\n"
        if n % 4 == 0
        else f"    value_{n} = len(b) + a * {n}\n"
        for n in range(500)
    )
    + "```\n"
)


def stream(tokens: int) -> str:
    """So many tokens of it."""
    text, number = "", 0
    while len(text) < tokens * CHARACTERS_PER_TOKEN:
        number += 1
        text += SECTION.format(number=number)
    return text[: round(tokens * CHARACTERS_PER_TOKEN)]

"""Pictures of one long answer without a screen: `python scripts/chat_pictures.py [--out FOLDER]`.

Code, a table, maths, thinking, a quotation, tasks, Russian, Arabic, emoji; light and dark, small and large, enlarged,
and half written. Only the list of messages, without a window or a server.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SIZES = {"small": (700, 560), "large": (1180, 860)}
DEADLINE_MS = 20_000
QUESTION = "Explain unified memory, with code, a table and the maths behind it.\nПо-русски тоже, пожалуйста."
THOUGHTS = "The person wants an overview. I should name **bandwidth** first:\n\n1. what moves\n2. how fast, $b / t$\n"
# A model does not wrap its lines.
ANSWER = r"""# Unified memory in short

One address space for the processor and the graphics card: pages move when they are touched. That costs bandwidth,~
not money: a card for $149 or one for $1,999 does the same. The time per token is about $t = \frac{m}{b}$, with $m$~
bytes and the bandwidth $b$; \(b_{\text{PCIe}} \approx 24\) GiB/s.

$$
t_{\text{token}} = \sum_{i=1}^{n} \frac{w_i}{b_i} + \int_0^{T} \ell(\tau)\,d\tau, \qquad
A = \begin{pmatrix} 1 & 0 \\ \alpha & 1 \end{pmatrix}
$$

```python
@dataclass(frozen=True)
class Move:
    bytes_: int = 2 * 1024**2  # 2 MiB

    def seconds(self, rate: float) -> float:
        return self.bytes_ / rate if rate else float("inf")
```

| Model      |     Size | Where it goes | Time          |
|:-----------|---------:|:-------------:|:--------------|
| Qwen3-8B   | 15.3 GiB |  card + RAM   | $O(n)$        |
| Llama-70B  |  131 GiB |      RAM      | `too long`    |

1. **Measure** the bandwidth with `nvbandwidth`
2. Choose what to offload
   - the last layers
   - or the experts
3. Look at the result

- [x] weights in RAM
- [ ] KV cache in RAM

> Memory is cheap, *moving* it is not.
>
> ```sh
> vllm serve Qwen/Qwen3-8B --cpu-offload-gb 6
> ```

---

### По-русски

Единая память — это общее адресное пространство. Страницы переезжают, когда к ним обращаются: $v \le b$.

### بالعربية

الذاكرة الموحدة تعني أن المعالج وبطاقة الرسوم يتشاركان مساحة عناوين واحدة.

- العنصر الأول
- العنصر الثاني

Emoji 🙂 🚀 ✅, a link to [the manual](https://docs.example.com/memory), and a picture:~
![bandwidth](https://example.com/plot.png?who=me). No <b>HTML</b>, and $\text{what cannot be set: 你好}$ stays as text.
""".replace("~\n", " ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "artefacts" / "chat-pictures")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        take(args.child[0], args.child[1], args.out)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    for theme, size in product(("light", "dark"), SIZES):
        command = [sys.executable, __file__, "--out", str(args.out), "--child", theme, size]
        subprocess.run(command, check=True, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"})
        print(f"{theme}-{size}")


def take(theme: str, size: str, out: Path) -> None:
    """One theme and size, in this process."""
    from PySide6.QtWidgets import QApplication, QScrollArea

    from core.runtime import Runtime
    from core.speed_card import SpeedCard
    from gui.bridge import Bridge
    from gui.pages.chat.message_list import MessageList
    from gui.pages.chat.messages import Answer, Question
    from gui.pages.chat.rendering import Rendering
    from gui.theme import Theme

    application = QApplication([])
    Theme(application, theme)
    bridge, runtime, heard = Bridge(), Runtime(), list[str]()

    def start() -> tuple[Runtime, str]:
        runtime.start()
        return runtime, ""

    bridge.start(start, owner=bridge, done=heard.append)
    wait(lambda: bool(heard))
    messages, rendering = MessageList(), Rendering(bridge, bridge)
    messages.setAutoFillBackground(True)
    messages.resize(*SIZES[size])
    messages.show()
    answer = Answer("Qwen3-8B", "en", rendering)
    messages.add(Question(QUESTION))
    messages.add(answer)
    area = messages.findChild(QScrollArea)
    assert area is not None
    bar = area.verticalScrollBar()

    def save(name: str) -> None:
        messages.grab().save(str(out / f"{name}-{theme}-{size}.png"))

    card = SpeedCard(212, 96, 0.18, 64.2, 1.6, thinking_s=1.4, thinking_tokens=84)
    answer.add("", THOUGHTS, card)
    wait(lambda: not answer.busy)
    save("thinking")
    answer.add(ANSWER[: ANSWER.index("    def seconds") + 60], "", card)
    wait(lambda: not answer.busy, 600)
    save("writing")
    final = SpeedCard(212, 740, 0.18, 64.2, 11.9, exact=True, final=True, thinking_s=1.4, thinking_tokens=84)
    answer.finish(ANSWER, THOUGHTS, final, "", None)
    wait(lambda: not answer.busy, 1500)
    for name, place in (("top", 0.0), ("middle", 0.5), ("end", 1.0)):
        bar.setValue(round(place * bar.maximum()))
        wait(lambda: True, 50)
        save(name)
    messages.zoom(1)
    messages.zoom(1)
    wait(lambda: not messages.restyling and not answer.busy, 500)
    save("enlarged")
    wait(bridge.stop)


def wait(condition: Callable[[], bool], and_ms: int = 0) -> None:
    """Until `condition`, and some time for what is drawn elsewhere."""
    from PySide6.QtCore import QElapsedTimer, QEventLoop, QTimer

    loop, timer, clock = QEventLoop(), QTimer(), QElapsedTimer()
    clock.start()

    def look() -> None:
        if (condition() and clock.elapsed() >= and_ms) or clock.hasExpired(DEADLINE_MS):
            loop.quit()

    timer.timeout.connect(look)
    timer.start(20)
    loop.exec()
    assert condition(), "nothing came of it"


if __name__ == "__main__":
    main()

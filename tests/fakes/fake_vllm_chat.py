"""`fake_vllm.py` that also answers: streams `/v1/chat/completions` word by word, with usage as vLLM 0.32 sends it.

Runs inside the fake engine of `tests/support/fake_engine.py`, whose `switches` file adds to the arguments.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import fake_vllm

ANSWER_ENV = "FAKE_ANSWER_FILE"
RATE_ENV = "FAKE_TOKENS_PER_S"


class ChatHandler(fake_vllm.Handler):
    """The answer is the file named by `FAKE_ANSWER_FILE`, else "echo: " and the question; a word is a token."""

    def do_POST(self) -> None:
        if not self.path.startswith("/v1/chat"):
            super().do_POST()
            return
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._authorized():
            return
        if self.path == "/tokenize":
            self._count(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self._stream(body)
        except (BrokenPipeError, ConnectionResetError):
            return

    def _count(self, body: dict[str, Any]) -> None:
        data = json.dumps({"count": _words(body), "max_model_len": self.args.max_model_len}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, body: dict[str, Any]) -> None:
        path = os.environ.get(ANSWER_ENV)
        question = str(body["messages"][-1]["content"])
        text = Path(path).read_text(encoding="utf-8") if path else f"echo: {question}"
        words = re.findall(r"\S+\s*|\s+", text)
        rate = float(os.environ.get(RATE_ENV, "0"))
        prompt = _words(body)
        fake_vllm.fake_table.look_up(prompt + len(words), self.args.table)
        for number, word in enumerate(words, 1):
            usage = {"prompt_tokens": prompt, "completion_tokens": number, "total_tokens": prompt + number}
            last = "stop" if number == len(words) else None
            self._send({"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": last}], "usage": usage})
            if rate:
                time.sleep(1 / rate)
        total = {"prompt_tokens": prompt, "completion_tokens": len(words), "total_tokens": prompt + len(words)}
        self._send({"choices": [], "usage": total})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, chunk: dict[str, Any]) -> None:
        self.wfile.write(
            b"data: " + json.dumps({"id": "fake", "object": "chat.completion.chunk", **chunk}).encode() + b"\n\n"
        )
        self.wfile.flush()


def _words(body: dict[str, Any]) -> int:
    return sum(len(str(message["content"]).split()) for message in body["messages"])


if __name__ == "__main__":
    fake_vllm.Handler = ChatHandler
    fake_vllm.main()

"""gradio's ChatInterface on a streaming server: `gradio_child.py PORT BASE_URL`. Run by the rivals' own Python.

The generator gives the whole text again for every token, as ChatInterface takes it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import gradio
import httpx


async def answer(message: str, history: list[dict[str, Any]]) -> AsyncIterator[str]:
    text = ""
    body = {"model": "fake", "stream": True, "messages": [{"role": "user", "content": message}]}
    async with (
        httpx.AsyncClient(timeout=120, trust_env=False) as client,
        client.stream("POST", f"{sys.argv[2]}/v1/chat/completions", json=body) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
                    yield text


if __name__ == "__main__":
    maths = [{"left": left, "right": right, "display": left != "$"} for left, right in (("$$", "$$"), ("$", "$"))]
    chat = gradio.Chatbot(latex_delimiters=maths, height=700)
    gradio.ChatInterface(answer, chatbot=chat).launch(server_name="127.0.0.1", server_port=int(sys.argv[1]))

"""How to use a ready server from elsewhere: lines to paste. Pure."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Final

from core.engine.endpoint import Endpoint

HIDDEN_KEY: Final = "$STOWAGE_API_KEY"
QUESTION: Final = "Say hello in one sentence."


@dataclass(frozen=True, slots=True)
class Snippet:
    """`language` is a name to show: "curl", "Python", "JavaScript"."""

    language: str
    text: str


def snippets(endpoint: Endpoint, *, show_key: bool = False) -> tuple[Snippet, ...]:
    """curl, the `openai` package of Python, and JavaScript's own fetch.

    Args:
        show_key: with the key itself; else with the variable `STOWAGE_API_KEY` in its place.
    """
    key = endpoint.api_key if show_key else None
    return (
        Snippet("curl", _curl(endpoint, key)),
        Snippet("Python", _python(endpoint, key)),
        Snippet("JavaScript", _javascript(endpoint, key)),
    )


def _body(endpoint: Endpoint) -> dict[str, object]:
    return {"model": endpoint.model, "messages": [{"role": "user", "content": QUESTION}]}


def _curl(endpoint: Endpoint, key: str | None) -> str:
    # In double quotes the shell puts the variable in; a key of its own is taken as it is.
    header = f'"Authorization: Bearer {HIDDEN_KEY}"' if key is None else shlex.quote(f"Authorization: Bearer {key}")
    return "\n".join(
        (
            f"curl {shlex.quote(f'{endpoint.base_url}/v1/chat/completions')} \\",
            f"  -H {header} \\",
            "  -H 'Content-Type: application/json' \\",
            f"  -d {shlex.quote(json.dumps(_body(endpoint), ensure_ascii=False))}",
        )
    )


def _python(endpoint: Endpoint, key: str | None) -> str:
    value = 'os.environ["STOWAGE_API_KEY"]' if key is None else json.dumps(key)
    imports = ["import os", "", "from openai import OpenAI"] if key is None else ["from openai import OpenAI"]
    base_url, model, question = (json.dumps(text) for text in (f"{endpoint.base_url}/v1", endpoint.model, QUESTION))
    return "\n".join(
        (
            *imports,
            "",
            f"client = OpenAI(base_url={base_url}, api_key={value})",
            "answer = client.chat.completions.create(",
            f"    model={model},",
            f'    messages=[{{"role": "user", "content": {question}}}],',
            ")",
            "print(answer.choices[0].message.content)",
        )
    )


def _javascript(endpoint: Endpoint, key: str | None) -> str:
    value = "process.env.STOWAGE_API_KEY" if key is None else json.dumps(key)
    model, question = (json.dumps(text) for text in (endpoint.model, QUESTION))
    return "\n".join(
        (
            f"const answer = await fetch({json.dumps(f'{endpoint.base_url}/v1/chat/completions')}, {{",
            '  method: "POST",',
            f'  headers: {{ "Authorization": "Bearer " + {value}, "Content-Type": "application/json" }},',
            f'  body: JSON.stringify({{ model: {model}, messages: [{{ role: "user", content: {question} }}] }}),',
            "});",
            "console.log((await answer.json()).choices[0].message.content);",
        )
    )

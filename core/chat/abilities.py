"""What the running server takes: asked of itself, and read from the model's own files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, cast

import httpx2
import msgspec

from core.chat.records import Abilities
from core.engine.endpoint import Endpoint

ASK_S: Final = 5.0
_THINKING: Final = re.compile(r"\benable_thinking\b|\bthinking\b\s*(?:is|==|%|\)|and|or|not)|\bif thinking\b")
_EFFORT: Final = re.compile(r"\breasoning_effort\b")
# The words of `ChatCompletionRequest.reasoning_effort` (0.32) that templates know; a template names the ones it does.
_EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_USUAL_EFFORTS: Final = ("low", "medium", "high")
_SAMPLING: Final = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
)
_MOST_BYTES: Final = 4 * 1024**2


async def ask_server(endpoint: Endpoint) -> tuple[tuple[str, ...], int, tuple[int, ...]]:
    """LoRA adapters by served name, `max_model_len`, and vLLM's version; empty and 0 where it does not say.

    An adapter's card has a `parent`, the model that it adapts (vLLM 0.32, `serve/engine/protocol.py`).
    """
    headers = {"Authorization": f"Bearer {endpoint.api_key}"}
    limits = httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(
        trust_env=False, verify=False, timeout=ASK_S, headers=headers, limits=limits
    ) as client:
        models = await _json(client, f"{endpoint.base_url}/v1/models")
        version = await _json(client, f"{endpoint.base_url}/version")
    cards = cast("list[dict[str, Any]]", models.get("data") or [])
    adapters = tuple(str(card["id"]) for card in cards if card.get("parent") and card.get("id") != endpoint.model)
    own = next((card for card in cards if card.get("id") == endpoint.model), dict[str, Any]())
    numbers = re.findall(r"\d+", str(version.get("version", "")))[:3]
    return adapters, int(own.get("max_model_len") or 0), tuple(int(number) for number in numbers)


async def _json(client: httpx2.AsyncClient, url: str) -> dict[str, Any]:
    try:
        response = await client.get(url)
        return msgspec.json.decode(response.content, type=dict[str, Any]) if response.status_code == 200 else {}
    except (httpx2.HTTPError, msgspec.MsgspecError):
        return {}


def of_model(model: str, folder: Path | None) -> Abilities:
    """What the files of a checkpoint say. Blocking; a file that is missing or odd says nothing."""
    if folder is None:
        return Abilities(model)
    template = chat_template(folder)
    return Abilities(
        model=model,
        images=_sees(_read(folder / "config.json")),
        thinking=_THINKING.search(template) is not None,
        efforts=efforts_of(template),
        defaults=sampling_of(_read(folder / "generation_config.json")),
    )


def chat_template(folder: Path) -> str:
    """`chat_template.jinja`, or the one in the tokenizer's or processor's JSON; of several the default one."""
    path = folder / "chat_template.jinja"
    if path.is_file() and path.stat().st_size < _MOST_BYTES:
        return path.read_text("utf-8", errors="replace")
    for name in ("chat_template.json", "tokenizer_config.json"):
        found: Any = _read(folder / name).get("chat_template")
        if isinstance(found, list):
            named = cast("list[dict[str, Any]]", found)
            found = next((one.get("template") for one in named if one.get("name") == "default"), None)
        if isinstance(found, str):
            return found
    return ""


def efforts_of(template: str) -> tuple[str, ...]:
    """The words that the template compares its effort with, or the usual three."""
    if not _EFFORT.search(template):
        return ()
    named = tuple(effort for effort in _EFFORTS if re.search(rf"""["']{effort}["']""", template))
    return named if len(named) > 1 else _USUAL_EFFORTS


def sampling_of(config: dict[str, Any]) -> dict[str, Any]:
    """What vLLM takes from `generation_config.json` as defaults (0.32, `ModelConfig.get_diff_sampling_param`)."""
    found = {name: config[name] for name in _SAMPLING if isinstance(config.get(name), int | float)}
    if isinstance(longest := config.get("max_new_tokens"), int):
        found["max_tokens"] = longest
    return found


def _sees(config: dict[str, Any]) -> bool:
    """A vision tower, under any of the names that models of vLLM 0.32 give it."""
    names = ("vision_config", "visual", "vision_tower", "mm_vision_tower", "image_token_id", "image_token_index")
    return any(config.get(name) is not None for name in names)


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return {}
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return {}

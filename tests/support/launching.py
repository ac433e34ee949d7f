"""A user with a fake engine and a checkpoint, and the product's own services around them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from core.chat.conversation import Conversation
from core.events import ChatDone, Event, EventBus
from core.paths import Paths
from core.services import Services
from core.settings import SettingsStore
from tests.support.fake_engine import FakeEngine, make_checkpoint

T = TypeVar("T")
# What makes a checkpoint with one small layer plannable, and its chat template present.
CONFIG = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "torch_dtype": "bfloat16",
}  # fmt: skip


@dataclass
class Launching:
    """`run` opens services, hands them to `work` and closes them; `heard` are all events of all runs."""

    paths: Paths
    engine: FakeEngine
    model: Path
    heard: list[Event] = field(default_factory=list[Event])

    def run(self, work: Callable[[Services], Awaitable[T]], **settings: Any) -> T:
        async def main() -> T:
            bus = EventBus()
            bus.subscribe(self.heard.append)
            services = Services(self.paths, SettingsStore(self.paths.settings_file), bus)
            await services.open()
            try:
                if not await services.list_engines():
                    await services.add_engine(str(self.engine.folder))
                if settings:
                    await services.change_settings(**settings)
                return await work(services)
            finally:
                await services.close()

        return asyncio.run(main())


async def asked(
    services: Services, text: str = "hello", answer_id: str = "a", max_tokens: int | None = None
) -> ChatDone:
    """One whole answer of the running server."""
    done: asyncio.Future[ChatDone] = asyncio.get_running_loop().create_future()

    def heard(event: Event) -> None:
        if isinstance(event, ChatDone) and event.answer_id == answer_id and not done.done():
            done.set_result(event)

    unsubscribe = services.bus.subscribe(heard)
    try:
        await services.ask(Conversation().asked(text), answer_id, max_tokens=max_tokens)
        return await done
    finally:
        unsubscribe()


def make_launching(paths: Paths, folder: Path) -> Launching:
    model = make_checkpoint(folder / "models" / "Tiny-1B", config=CONFIG)
    (model / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}', encoding="utf-8")
    return Launching(paths, FakeEngine(folder / "engine"), model)

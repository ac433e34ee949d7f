"""The chat's verbs over the running server: where it answers, what it counts, which checkpoint it runs."""

from __future__ import annotations

from pathlib import Path

from core.chat.answer import Rouse
from core.chat.conversations import Conversations
from core.chat.service import ChatService
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import EventBus
from core.models import Models
from core.paths import Paths
from core.settings import SettingsStore
from core.speed_counters import counters


def chat_service(bus: EventBus, supervisor: Supervisor, rouse: Rouse) -> ChatService:
    return ChatService(bus, lambda: supervisor.endpoint, look=counters, rouse=rouse)


def conversations(
    paths: Paths, settings: SettingsStore, bus: EventBus, chat: ChatService, supervisor: Supervisor, models: Models
) -> Conversations:
    async def folder() -> Path | None:
        """The checkpoint of the running server, None when it is not known (any more)."""
        try:
            model = await models.resolve(supervisor.status.model)
        except AppError:
            return None
        return None if model.path is None else Path(model.path)

    return Conversations(
        paths.conversations_file,
        bus,
        chat,
        lambda: supervisor.endpoint,
        folder=folder,
        system=lambda: settings.current.system_prompt,
        most_tokens=lambda: settings.current.max_answer_tokens,
    )

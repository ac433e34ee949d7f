"""What is heard of conversations, beside the deltas and the end of an answer (`core.events`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.chat.records import ContextMeter
from core.chat.tree import Message
from core.events import Delivery, Event


@dataclass(frozen=True, slots=True)
class ConversationsChanged(Event):
    """The list is another: ask for it again."""

    delivery: ClassVar[Delivery] = Delivery.LATEST


@dataclass(frozen=True, slots=True)
class ConversationChanged(Event):
    """One conversation was changed: a view that shows an older revision opens it again. `elsewhere`: another Stowage
    did it, perhaps finished an answer, and the view opens it again whatever its revision."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    conversation: str
    revision: int
    elsewhere: bool = False

    @property
    def key(self) -> str:
        return f"{self.conversation} {self.elsewhere}"


@dataclass(frozen=True, slots=True)
class AnswerBegan(Event):
    """An answer is on its way in `conversation`; its `ChatDelta`s carry the message's id. With text in `answer` it goes
    on from there."""

    conversation: str
    answer: Message


@dataclass(frozen=True, slots=True)
class ContextChanged(Event):
    """The context meter of the conversation that was measured last."""

    delivery: ClassVar[Delivery] = Delivery.LATEST

    meter: ContextMeter

    @property
    def key(self) -> str:
        return self.meter.conversation

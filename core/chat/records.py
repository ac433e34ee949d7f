"""What the chat's verbs give: frozen snapshots of what is stored and of what the running server can do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from core.chat.params import Params
from core.chat.tree import Attachment, Message, Role


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A row of the list. Times are Unix seconds; `revision` grows with every change; `title` "" until there is one;
    `count`: visible messages on all branches."""

    id: str
    title: str
    created: float
    updated: float
    revision: int
    pinned: bool = False
    tags: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """What was written and not sent."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """The newest messages of a conversation's active path, oldest first. `older`: how many come before them.
    `answering`: the message that is being written ("" for none); `elsewhere`: another Stowage writes it."""

    info: ConversationInfo
    system: str
    params: Params
    draft: Draft
    messages: tuple[Message, ...]
    older: int = 0
    answering: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class OlderMessages:
    """Messages before those already seen, oldest first; `older` come before them."""

    messages: tuple[Message, ...]
    older: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A message found by its words. `marks`: where they stand in `snippet`, as (begin, end). `message` is "" when the
    title was found."""

    conversation: str
    title: str
    message: str
    role: Role
    snippet: str
    marks: tuple[tuple[int, int], ...]
    created: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the answer to it, which begins now; both are on the page of revision `revision`."""

    question: Message | None
    answer: Message
    revision: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """`token` gives it back for as long as the deletion is remembered (a week)."""

    token: str
    count: int


@dataclass(frozen=True, slots=True)
class Preset:
    """A system prompt and parameters under a name. `id` "" for one that is not saved yet."""

    name: str
    system: str = ""
    params: Params = field(default_factory=Params)
    id: str = ""


@dataclass(frozen=True, slots=True)
class ContextMeter:
    """How full the context is, by the server's own tokenizer. `tokens`: the conversation with the draft, as the
    template writes it; `limit`: the running `max_model_len`; `reply_tokens`: room that the answer asks for, None when
    it takes what is left. `exact` is False for pictures, whose tokens `/tokenize` does not always count."""

    conversation: str
    tokens: int
    limit: int
    reply_tokens: int | None = None
    exact: bool = True

    @property
    def left(self) -> int:
        return max(0, self.limit - self.tokens)

    @property
    def share(self) -> float:
        return min(1.0, self.tokens / self.limit) if self.limit else 0.0

    @property
    def over(self) -> bool:
        """No room for a single token of an answer."""
        return self.tokens >= self.limit


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the running server takes. `defaults`: the model's own sampling (`generation_config.json`), by the name of
    the `Params` field; `efforts`: words that `Params.effort` may be, () when the template has none."""

    model: str
    images: bool = False
    thinking: bool = False
    efforts: tuple[str, ...] = ()
    adapters: tuple[str, ...] = ()
    max_model_len: int = 0
    version: tuple[int, ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict[str, Any])


ExportFormat = Literal["markdown", "json"]

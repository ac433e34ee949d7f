"""Another Stowage with the same conversations, in a process of its own.

`python -m tests.support.chat_child FOLDER URL MODEL CONVERSATION QUESTION...`, with the key in `CHAT_KEY`: asks one
after the other, prints `WROTE <characters>` whenever a delta came and `DONE` at each end, then waits until its input
closes.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from core.engine.endpoint import Endpoint
from core.errors import AppError
from core.events import ChatDelta, ChatDone, Event
from tests.support.chats import Chats


async def main(folder: str, url: str, model: str, conversation: str, *questions: str) -> None:
    chats = Chats(Path(folder), Endpoint(url, model, os.environ["CHAT_KEY"]))
    length = 0

    def hear(event: Event) -> None:
        nonlocal length
        if isinstance(event, ChatDelta):
            length += len(event.text)
            print(f"WROTE {length}", flush=True)
        elif isinstance(event, ChatDone):
            length = 0
            print("DONE", flush=True)

    chats.bus.subscribe(hear)
    try:
        for question in questions:
            await chats.done(await chats.verbs.send(conversation, question))
    except AppError as error:
        print(f"REFUSED {error.code}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await chats.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

"""An app without a window: owns a supervisor and obeys JSON lines on stdin, one JSON line back for each.

    ["start", switch, ...]  ["keep"]  ["reattach"]  ["chat", text]  ["stop"]  ["close"]

Run as `python -m tests.fakes.server_owner ENGINE_PYTHON MODEL_FOLDER` with STOWAGE_HOME set.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
from typing import Any
from urllib.parse import urlsplit

from core.engine.command import LaunchRequest
from core.engine.endpoint import Endpoint
from core.engine.supervisor import Supervisor
from core.errors import AppError
from core.events import EngineInfo, EngineState, EventBus
from core.paths import Paths


def chat(endpoint: Endpoint, text: str) -> str:
    address = urlsplit(endpoint.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
    body = {"model": endpoint.model, "messages": [{"role": "user", "content": text}], "max_tokens": 8}
    headers = {"Authorization": f"Bearer {endpoint.api_key}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer["choices"][0]["message"]["content"]


async def obey(supervisor: Supervisor, engine: EngineInfo, model: str, order: list[str]) -> Any:
    verb, *arguments = order
    if verb == "start":
        await supervisor.start(LaunchRequest("fake-model", model, engine, extra_args=tuple(arguments)))
    elif verb == "keep":
        await supervisor.keep()
    elif verb == "reattach":
        return await supervisor.reattach()
    elif verb == "chat" and supervisor.endpoint is not None:
        return await asyncio.to_thread(chat, supervisor.endpoint, arguments[0])
    elif verb == "stop":
        await supervisor.stop()
    elif verb == "close":
        await supervisor.close()
    return supervisor.status.state


async def main() -> None:
    python, model = sys.argv[1:]
    engine = EngineInfo("fake-1.0", EngineState.READY, "1.0", "cpu", python, "3.11", ours=False)
    paths = Paths.of_user()
    paths.ensure()
    supervisor = Supervisor(paths, EventBus())
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = await obey(supervisor, engine, model, json.loads(line))
        except AppError as error:
            answer = {"error": error.code}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())

"""A scripted `/v1/chat/completions`: streams tokens as vLLM 0.32 does, and misbehaves on request.

Run as a program; prints `PORT <n>` and serves until its standard input closes. `GET /seen` gives the bodies of all
requests, `GET /metrics` counters in Prometheus text, `POST /tokenize` a token per word.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

WORDS = ("Paris ", "ist ", "schön, ", "naïve ", "日本 ", "🙂 ")
PROMPT_TOKENS = 17
COUNTED = (
    "request_success_total",
    "prompt_tokens_total",
    "prompt_tokens_cached_total",
    "time_to_first_token_seconds_sum",
    "time_to_first_token_seconds_count",
    "request_time_per_output_token_seconds_sum",
    "request_time_per_output_token_seconds_count",
    "spec_decode_num_draft_tokens_total",
    "spec_decode_num_accepted_tokens_total",
    "wrong",
)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    say = parser.add_argument
    say("--tokens", type=int, default=20, help="completion tokens")
    say("--rate", type=float, default=0.0, help="tokens per second, 0: as fast as it goes")
    say("--per-chunk", type=int, default=1, help="tokens per chunk")
    say("--first-chunk", type=int, default=0, help="tokens in the first chunk, 0: as the others")
    say("--reasoning", type=int, default=0, help="the first so many tokens are reasoning")
    say("--reasoning-field", default="reasoning")
    say("--empty-every", type=int, default=0, help="every so many chunks one has a token but no text")
    say("--usage", choices=("all", "end", "none"), default="all")
    say("--finish", default="stop", help='finish reason, "" for none')
    say("--no-done", action="store_true")
    say("--odd-chunks", action="store_true", help="null choices, no choices, empty deltas, comments, unknown fields")
    say("--drop-after", type=int, default=-1, help="close the socket after so many tokens")
    say("--end-after", type=int, default=-1, help="end the stream properly after so many tokens, without a finish")
    say("--silent-after", type=int, default=-1, help="say nothing more after so many tokens")
    say("--keep-alive", type=float, default=0.0, help="seconds between comments while silent")
    say("--silence", type=float, default=3600.0, help="how long it stays silent")
    say("--error-after", type=int, default=-1, help="an error object after so many tokens")
    say("--garbage-after", type=int, default=-1, help="an event that is no JSON after so many tokens")
    say("--status", type=int, default=200)
    say("--body", default='{"error": "Unauthorized"}', help="what a status other than 200 carries")
    say("--content-type", default="text/event-stream; charset=utf-8")
    say("--reject", default="", help="400 when the request has a key of this name anywhere")
    say("--reject-system", action="store_true", help="400 when there is a system role")
    say("--max-model-len", type=int, default=0, help="400 when max_tokens goes beyond it")
    say("--key", default="", help="401 without this bearer token")
    say("--newline", choices=("lf", "crlf", "cr"), default="lf")
    say("--cut", type=int, default=0, help="write in pieces of so many bytes")
    say("--text", default="", help="the answer, in pieces of --piece characters, instead of words")
    say("--piece", type=int, default=5)
    say("--context", type=int, default=0, help="tokens that the model takes; 400 in the words of 0.32 beyond")
    say("--tools", action="store_true", help="deltas of a tool call among the others")
    say("--adapter", default="", help="a LoRA adapter beside the model")
    say("--count-wrong", type=int, default=0, help="the counters say so many tokens more than were sent")
    say("--late", type=float, default=0.0, help="seconds until the counters know of an answer")
    say("--drafted", type=int, default=0, help="tokens that speculative decoding drafted per answer")
    say("--no-counters", action="store_true", help="an empty page of metrics")
    say("--queued", action="store_true", help="the counters show the request as waiting")
    say("--first-after", type=float, default=0.0, help="seconds before the first token")
    return parser.parse_args()


class Fake:
    def __init__(self, chosen: argparse.Namespace) -> None:
        self.chosen = chosen
        self.seen: list[Any] = []
        self.running = 0
        self.generated = 0
        self.counters = dict.fromkeys(COUNTED, 0.0)
        self.pieces = pieces_of(chosen)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            fields = {
                name.strip().lower(): value.strip()
                for name, _, value in (line.partition(":") for line in head.splitlines()[1:])
            }
            body = await reader.readexactly(int(fields.get("content-length", "0")))
            path = head.split()[1]
            if path == "/seen":
                plain(writer, 200, json.dumps(self.seen))
            elif path == "/metrics":
                plain(writer, 200, self.metrics())
            elif path == "/tokenize":
                plain(writer, 200, json.dumps({"count": words_of(json.loads(body)), "max_model_len": self.limit}))
            elif path == "/version":
                plain(writer, 200, '{"version": "0.32.0"}')
            elif path == "/v1/models":
                plain(writer, 200, json.dumps({"object": "list", "data": self.cards()}))
            else:
                await self.answer(reader, writer, json.loads(body), fields)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @property
    def limit(self) -> int:
        return self.chosen.context or 4096

    def cards(self) -> list[dict[str, Any]]:
        own = {"id": "fake", "root": "fake", "parent": None, "max_model_len": self.limit}
        adapter = {"id": self.chosen.adapter, "root": "adapters/x", "parent": "fake", "max_model_len": None}
        return [own, adapter] if self.chosen.adapter else [own]

    def metrics(self) -> str:
        if self.chosen.no_counters:
            return ""
        counted = {
            "num_requests_running": 0 if self.chosen.queued else self.running,
            "num_requests_waiting": self.running if self.chosen.queued else 0,
            "generation_tokens_total": self.generated + self.counters["wrong"],
        } | {name: value for name, value in self.counters.items() if name != "wrong"}
        return "".join(f'vllm:{name}{{engine="0"}} {value}\n' for name, value in counted.items())

    async def count(self, began: float, first: float, done: int) -> None:
        """What vLLM's counters make of a finished answer."""
        took = time.monotonic() - began
        await asyncio.sleep(self.chosen.late)
        drafted = self.chosen.drafted
        per_token = (took - first) / max(1, done - 1)
        added = (1, PROMPT_TOKENS, 0, first, 1, per_token, 1, drafted, drafted // 2, self.chosen.count_wrong)
        for name, value in zip(COUNTED, added, strict=True):
            self.counters[name] += value

    async def answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: dict[str, Any], fields: dict[str, str]
    ) -> None:
        self.seen.append(body)
        if refused := self.refusal(body, fields):
            plain(writer, *refused)
            return
        self.running += 1
        streaming = asyncio.ensure_future(self.stream(writer))
        # A client that stops closes its connection: that ends the generation, as in vLLM.
        leaving = asyncio.ensure_future(reader.read())
        try:
            await asyncio.wait({streaming, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.running -= 1
            for task in (streaming, leaving):
                task.cancel()
            await asyncio.gather(streaming, leaving, return_exceptions=True)

    def refusal(self, body: dict[str, Any], fields: dict[str, str]) -> tuple[int, str] | None:
        chosen = self.chosen
        if chosen.key and fields.get("authorization") != f"Bearer {chosen.key}":
            return 401, '{"error":"Unauthorized"}'
        if chosen.status != 200:
            return chosen.status, chosen.body
        if chosen.reject and f'"{chosen.reject}"' in json.dumps(body):
            return 400, error_body(f"Extra inputs are not permitted: {chosen.reject}")
        if chosen.reject_system and any(message["role"] == "system" for message in body["messages"]):
            return 400, error_body("System role not supported")
        if chosen.context and words_of(body) >= chosen.context:
            return 400, error_body(
                f"This model's maximum context length is {chosen.context} tokens. However, your prompt contains at "
                f"least {words_of(body)} input tokens, which exceeds this limit even without any output tokens. "
                "Please reduce the length of the input prompt."
            )
        wanted = body.get("max_tokens", 0)
        if chosen.max_model_len and wanted > chosen.max_model_len:
            return 400, error_body(
                f"max_tokens={wanted} cannot be greater than max_model_len={chosen.max_model_len}. "
                "Please request fewer output tokens."
            )
        return None

    async def stream(self, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {self.chosen.content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
        writer.write(head.encode())
        newline = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}[self.chosen.newline]
        async for text in self.script():
            data = text.encode().replace(b"\n", newline)
            size = self.chosen.cut or len(data)
            for start in range(0, len(data), size):
                piece = data[start : start + size]
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                if self.chosen.cut:
                    await writer.drain()
                    await asyncio.sleep(0)
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def script(self) -> AsyncIterator[str]:
        chosen = self.chosen
        yield event([{"index": 0, "delta": {"role": "assistant", "content": ""}}], self.usage(0))
        if chosen.odd_chunks:
            yield ": a comment\n\n" + 'data: {"choices": null}\n\nretry: 7\nnobody: knows\n' + event([], None)
            yield 'data: {"choices": [{"delta": null}], "usage": null}\n\ndata: {"object": "x"}\n\n'
        await asyncio.sleep(chosen.first_after)
        began, done, chunks = time.monotonic(), 0, 0
        first, tokens = 0.0, len(self.pieces)
        while done < tokens:
            size = min(chosen.first_chunk if chosen.first_chunk and not done else chosen.per_chunk, tokens - done)
            if chosen.rate:
                await asyncio.sleep(max(0.0, began + (done + size) / chosen.rate - time.monotonic()))
            async for extra in self.trouble(done):
                yield extra
            if done in (chosen.drop_after, chosen.end_after):
                if done == chosen.drop_after:
                    raise ConnectionResetError
                return
            chunks += 1
            field = chosen.reasoning_field if done < chosen.reasoning else "content"
            text = "".join(self.pieces[done : done + size])
            first = first or time.monotonic() - began + chosen.first_after
            done += size
            self.generated += size
            hidden = chosen.empty_every and chunks % chosen.empty_every == 0
            yield event(
                [{"index": 0, "delta": {field: "" if hidden else text}, "finish_reason": None}], self.usage(done)
            )
            if chosen.tools:
                call = {"index": 0, "id": "call-1", "type": "function", "function": {"name": "f", "arguments": "{"}}
                yield event([{"index": 0, "delta": {"content": None, "tool_calls": [call]}}], self.usage(done))
        async for last in self.ending(began, first, done):
            yield last

    async def ending(self, began: float, first: float, done: int) -> AsyncIterator[str]:
        chosen = self.chosen
        if chosen.finish:
            yield event([{"index": 0, "delta": {"content": ""}, "finish_reason": chosen.finish}], self.usage(done))
        counted = asyncio.ensure_future(self.count(began - chosen.first_after, first, done))
        if not chosen.late:
            await counted
        if chosen.usage != "none":
            yield event([], counts(done))
        if not chosen.no_done:
            yield "data: [DONE]\n\n"

    async def trouble(self, done: int) -> AsyncIterator[str]:
        chosen = self.chosen
        if done == chosen.error_after:
            yield "data: " + error_body("EngineCore died unexpectedly", 500) + "\n\n"
        if done == chosen.garbage_after:
            yield "data: <html>not JSON</html>\n\n"
        if done == chosen.silent_after:
            until = time.monotonic() + chosen.silence
            while time.monotonic() < until:
                await asyncio.sleep(min(chosen.keep_alive or chosen.silence, chosen.silence))
                if chosen.keep_alive:
                    yield ": keep-alive\n\n"

    def usage(self, done: int) -> dict[str, int] | None:
        return counts(done) if self.chosen.usage == "all" else None


def counts(done: int) -> dict[str, int]:
    return {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": done, "total_tokens": PROMPT_TOKENS + done}


def pieces_of(chosen: argparse.Namespace) -> list[str]:
    """The answer, a token each."""
    if chosen.text:
        return [chosen.text[at : at + chosen.piece] for at in range(0, len(chosen.text), chosen.piece)]
    return [WORDS[number % len(WORDS)] for number in range(chosen.tokens)]


def words_of(body: dict[str, Any]) -> int:
    """Tokens of a prompt: its words, and two for each message."""
    parts = [
        part if isinstance(part, str) else part.get("text", "picture")
        for message in body["messages"]
        for part in ([message["content"]] if isinstance(message["content"], str) else message["content"])
    ]
    return sum(len(part.split()) for part in parts) + 2 * len(body["messages"])


def event(choices: list[dict[str, Any]], usage: dict[str, int] | None) -> str:
    chunk: dict[str, Any] = {"id": "chat-1", "object": "chat.completion.chunk", "choices": choices}
    return f"data: {json.dumps(chunk | ({'usage': usage} if usage else {}), ensure_ascii=False)}\n\n"


def error_body(message: str, code: int = 400) -> str:
    return json.dumps({"error": {"message": message, "type": "BadRequestError", "param": None, "code": code}})


def plain(writer: asyncio.StreamWriter, status: int, body: str) -> None:
    data = body.encode()
    writer.write(
        f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        "Connection: close\r\n\r\n".encode()
        + data
    )


async def main() -> None:
    server = await asyncio.start_server(Fake(options()).serve, "127.0.0.1", 0)
    print(f"PORT {server.sockets[0].getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())

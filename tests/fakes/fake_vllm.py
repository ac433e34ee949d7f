"""A server that looks like vLLM from outside and misbehaves on request. Run as `fake_vllm.py -m MODULE ARGS`.

It takes vLLM's own arguments and these switches; unknown ones end it like argparse ends vLLM. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType
from typing import ClassVar

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_table

PHASES = {
    "environment": ["(APIServer pid={pid}) INFO 11-29 20:47:20 [a.py:286] non-default args: {{'port': {port}{more}}}"],
    "load": [
        "(Worker pid={pid}) INFO 11-29 20:47:48 [cpu_model_runner.py:68] Starting to load model ./fake...",
        "Loading safetensors checkpoint shards:   0% Completed | 0/2 [00:00<?, ?it/s]",
        "Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:00<00:00,  1.26it/s]",
        "Loading safetensors checkpoint shards: 100% Completed | 2/2 [00:00<00:00,  1.26it/s]",
    ],
    "compile": ["(Worker pid={pid}) INFO 11-29 20:41:20 [r.py:87] Warming up model for the compilation..."],
    "kv_cache": ["(Worker pid={pid}) INFO 11-29 20:47:50 [w.py:2] Explicitly set (1.0/8.2) GiB for KV cache on node"],
    "warm_up": [
        "(EngineCore pid={pid}) INFO 11-29 20:47:50 [kv.py:2327] CPU KV cache size: 46,592 tokens, Maximum concurrency"
        " for 2,048 tokens per request: 22.75x",
    ],
}  # fmt: skip


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fake_vllm", allow_abbrev=False)
    parser.add_argument("-m", dest="module")
    parser.add_argument("--model", required=True)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--served-model-name", nargs="+", required=True)
    parser.add_argument("--max-model-len", type=int, default=2048)
    parser.add_argument("--enforce-eager", action="store_true")
    parser.add_argument("--max-num-seqs", type=int)
    parser.add_argument("--enable-prefix-caching", action="store_true")
    parser.add_argument("--enable-sleep-mode", action="store_true")
    parser.add_argument("--gpu-memory-utilization", type=float)
    parser.add_argument("--max-num-batched-tokens", type=int)
    parser.add_argument("--trust-remote-code", action="store_true")
    parser.add_argument("--step", type=float, default=0.02, help="seconds between phases")
    parser.add_argument("--hang-in", choices=[*PHASES, "bound"], help="stay there for ever, silently; bound: before")
    parser.add_argument("--busy-in", choices=list(PHASES), help="stay in this phase using CPU, silently, --busy-for s")
    parser.add_argument("--busy-for", type=float, default=0.0)
    parser.add_argument("--die-in", choices=list(PHASES))
    parser.add_argument("--die-after", type=float, help="seconds after it answers")
    parser.add_argument("--exit-code", type=int, default=3)
    parser.add_argument("--die-by", type=int, help="signal number instead of an exit code")
    parser.add_argument("--ignore-term", action="store_true")
    parser.add_argument("--fork", type=int, default=0, help="renamed grandchildren; one of two leaves the session")
    parser.add_argument("--fork-ignore-term", action="store_true")
    parser.add_argument("--one-megabyte-line", action="store_true")
    parser.add_argument("--carriage-returns", type=int, default=0)
    parser.add_argument("--invalid-utf8", action="store_true")
    parser.add_argument("--flood", type=float, default=0.0, help="megabytes per second of log, as long as it runs")
    parser.add_argument("--kv-usage", type=float, help="the share of the KV cache that /metrics tells")
    parser.add_argument(
        "--counters", action="store_true", help="/metrics counts prompts; a repeated one hits the cache"
    )
    parser.add_argument("--no-hits", action="store_true", help="with --counters: the cache never hits")
    parser.add_argument("--chat-only", action="store_true", help="refuse /v1/completions")
    parser.add_argument("--always-running", type=int, default=0, help="with --counters: requests that never end")
    parser.add_argument("--fail-unless-eager", help="end with this message unless --enforce-eager is given")
    parser.add_argument("--eat-megabytes", type=int, default=0, help="take so much memory while loading")
    parser.add_argument("--join-cgroup", help="a file cgroup.procs to write the own pid into, at the start")
    parser.add_argument("--unhealthy-after", type=float, help="seconds after which /health answers 503")
    parser.add_argument("--say", action="append", default=[], help="print this before the first phase")
    parser.add_argument(
        "--first-time-taken", help="a file: while it does not exist, make it and fail like a taken port"
    )
    parser.add_argument("--table", choices=fake_table.MODES, default="kept", help="what becomes of a per-layer table")
    parser.add_argument("--say-secrets", nargs="*", default=[], help="print these variables, as a library might")
    return parser.parse_args()


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def raw(data: bytes) -> None:
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


def fork_grandchildren(count: int, ignore_term: bool) -> None:
    """Sleepers with the names of vLLM's; every other one in a session of its own. They outlive us unless ended."""
    code = (
        "import ctypes, signal, sys, time\n"
        "ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)\n"
        "if sys.argv[2] == '1': signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(3600)\n"
    )
    for index in range(count):
        name = "VLLM::EngineCore" if index == 0 else f"VLLM::Worker{index}"
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code, name[:15], str(int(ignore_term))],
            stdout=subprocess.PIPE,
            start_new_session=index % 2 == 1,
        )
        assert child.stdout is not None
        child.stdout.readline()


class Handler(BaseHTTPRequestHandler):
    args: argparse.Namespace
    began: float
    prompts: ClassVar[list[str]] = []
    hits: ClassVar[int] = 0
    sleeping: ClassVar[bool] = False

    def do_GET(self) -> None:
        if self.path == "/health":
            late = self.args.unhealthy_after is not None and time.monotonic() - self.began > self.args.unhealthy_after
            self._answer(503 if late else 200, b"")
        elif self.path == "/v1/models" and self._authorized():
            entries = [{"id": name, "max_model_len": self.args.max_model_len} for name in self.args.served_model_name]
            self._answer(200, json.dumps({"data": entries}).encode())
        elif self.path == "/metrics" and self.args.kv_usage is not None:
            self._answer(200, f'vllm:kv_cache_usage_perc{{engine="0"}} {self.args.kv_usage}\n'.encode())
        elif self.path == "/is_sleeping" and os.environ.get("VLLM_SERVER_DEV_MODE") == "1":
            self._answer(200, json.dumps({"is_sleeping": Handler.sleeping}).encode())
        elif self.path == "/metrics" and self.args.counters:
            self._answer(200, self._counters().encode())
        else:
            self._answer(404, b"{}")

    def _counters(self) -> str:
        tokens = sum(len(prompt.split()) for prompt in self.prompts)
        values = {
            "prefix_cache_queries_total": tokens,
            "prefix_cache_hits_total": Handler.hits,
            "prompt_tokens_total": tokens,
            "generation_tokens_total": len(self.prompts),
            "num_requests_running": self.args.always_running,
            "num_requests_waiting": 0,
            "kv_cache_usage_perc": 0.25,
            "num_preemptions_total": 0,
        }
        config = 'vllm:cache_config_info{enable_prefix_caching="True"} 1.0\n'
        return config + "".join(f'vllm:{name}{{engine="0"}} {value}\n' for name, value in values.items())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or b"{}")
        if not self._authorized():
            return
        if self.path.startswith(("/sleep", "/wake_up")) and os.environ.get("VLLM_SERVER_DEV_MODE") == "1":
            # A build that cannot answers 200 and goes on as before.
            Handler.sleeping = self.path.startswith("/sleep") and self.args.enable_sleep_mode
            self._answer(200, b"")
            return
        if self.path == "/v1/completions" and self.args.chat_only:
            self._answer(404, b"{}")
        elif self.path == "/v1/completions":
            if body["prompt"] in self.prompts and not self.args.no_hits:
                Handler.hits += len(body["prompt"].split())
            self.prompts.append(body["prompt"])
            fake_table.look_up(len(body["prompt"].split()), self.args.table)
            self._answer(200, b'{"choices": [{"text": "x"}]}')
        else:
            answer = {"choices": [{"message": {"content": "echo: " + body["messages"][-1]["content"]}}]}
            self._answer(200, json.dumps(answer).encode())

    def _authorized(self) -> bool:
        if self.headers.get("Authorization") == f"Bearer {os.environ['VLLM_API_KEY']}":
            return True
        self._answer(401, b'{"error":"Unauthorized"}')
        return False

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        say(f'INFO:     127.0.0.1:1 - "{self.requestline}" {args[1]} OK')


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


def bind(args: argparse.Namespace) -> Server:
    """Bound early and listening late, like vLLM."""
    if args.first_time_taken and not os.path.exists(args.first_time_taken):
        with socket.create_server((args.host, args.port)), open(args.first_time_taken, "w", encoding="ascii") as file:
            file.write(str(args.port))
            bind(argparse.Namespace(**{**vars(args), "first_time_taken": None}))
    server = Server((args.host, args.port), Handler, bind_and_activate=False)
    server.server_bind()
    return server


def misbehave(args: argparse.Namespace) -> None:
    if args.join_cgroup:
        with open(args.join_cgroup, "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
    if args.fail_unless_eager and not args.enforce_eager:
        say(
            f"(EngineCore pid={os.getpid()}) ERROR 11-29 20:53:36 [core.py:1510] RuntimeError: {args.fail_unless_eager}"
        )
        os._exit(1)
    for text in args.say:
        say(text)
    for name in args.say_secrets:
        say(f"{name} is {os.environ[name]}, that is {os.environ[name]}.")
    if args.one_megabyte_line:
        raw(b"x" * 1_000_000 + b"\n")
    for number in range(args.carriage_returns):
        raw(b"\rprogress %d%%" % number)
    if args.carriage_returns:
        raw(b"\n")
    if args.invalid_utf8:
        raw(b"bad \xff\xfe\xc3( bytes\n")
    if args.flood:
        threading.Thread(target=flood, args=(args.flood,), daemon=True).start()


def flood(megabytes_per_s: float) -> None:
    line = ("flood " + "0123456789" * 11)[:99] + "\n"
    block = (line * 1000).encode()
    began, sent = time.monotonic(), 0
    while True:
        raw(block)
        sent += len(block)
        ahead = sent / (megabytes_per_s * 1e6) - (time.monotonic() - began)
        if ahead > 0:
            time.sleep(ahead)
        elif ahead < -0.5:
            say(f"flood: BLOCKED {-ahead:.1f} s behind")
            began, sent = time.monotonic(), 0


def die(args: argparse.Namespace) -> None:
    """End like vLLM does: the cause first, then its echo."""
    pid = os.getpid()
    say(f"(EngineCore pid={pid}) ERROR 11-29 20:53:36 [core.py:1510] Traceback (most recent call last):")
    say(f"(EngineCore pid={pid}) ERROR 11-29 20:53:36 [core.py:1510] ValueError: the fake cause")
    raw(b"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n")
    if args.die_by:
        os.kill(pid, args.die_by)
        time.sleep(60)
    os._exit(args.exit_code)


def told(args: argparse.Namespace) -> str:
    """What vLLM would list beside the port."""
    named = {name: getattr(args, name) for name in ("max_num_seqs", "max_num_batched_tokens")}
    return "".join(f", {name!r}: {value}" for name, value in named.items() if value is not None)


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(0)


def act_in(phase: str, args: argparse.Namespace) -> None:
    if args.hang_in == phase:
        time.sleep(3600)
    if args.busy_in == phase:
        spin(args.busy_for)
    if args.die_in == phase:
        die(args)
    if phase == "load":
        for text in fake_table.lines(args.table):
            say(text)
    if phase == "load" and args.eat_megabytes:
        eaten = bytearray(os.urandom(1 << 20)) * args.eat_megabytes
        say(f"eaten {len(eaten)}")


def main() -> None:
    args = parse()
    if args.ignore_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, leave)
    if args.hang_in == "bound":
        time.sleep(3600)
    server = bind(args)
    fork_grandchildren(args.fork, args.fork_ignore_term)
    misbehave(args)
    for phase, lines in PHASES.items():
        if phase == "compile" and args.enforce_eager:
            continue
        for line in lines:
            say(line.format(pid=os.getpid(), port=args.port, more=told(args)))
        act_in(phase, args)
        time.sleep(args.step)
    say(f"(APIServer pid={os.getpid()}) INFO 11-29 20:47:57 [entry.py:140] Starting vLLM server on http://...")
    server.server_activate()
    Handler.args, Handler.began = args, time.monotonic()
    raw(b"INFO:     Application startup complete.\n")
    if args.die_after is not None:
        threading.Timer(args.die_after, die, (args,)).start()
    server.serve_forever()


if __name__ == "__main__":
    main()

"""The plan against real starts on the CPU: what vLLM's own log says of weights and KV cache, and what was said before.

The starter's is among the tests of the chat, which have it running in a real server. These start one after another in
one process: a server of each would spend most of its time on importing vLLM thrice.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.engine.child_env import inspection_env
from core.events import EngineInfo
from tests.support import engine_cache
from tests.support.plan_log import CONTEXT, assert_as_planned

PROGRAM = """
import sys
from vllm import LLM
from vllm import logger
from vllm.distributed import cleanup_dist_env_and_memory
context, *folders = sys.argv[1:]
for number, folder in enumerate(folders):
    print(f"STOWAGE {number}", flush=True)
    logger._print_info_once.cache_clear()  # what it said of one model it would not say of the next
    LLM(folder, max_model_len=int(context), enforce_eager=True, distributed_executor_backend="uni")
    cleanup_dist_env_and_memory()
"""
# Full attention; sliding windows beside full attention; per-layer embeddings with shared KV.
NAMES = ("qwen3", "gemma3", "gemma3n")
# As the product starts a server whose KV cache nobody chose; all in one process.
ENV = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}

pytestmark = [pytest.mark.timeout(240), pytest.mark.patient]


@pytest.fixture(scope="module")
def models(real_engine: EngineInfo, starter_path: Path) -> Iterator[dict[str, Path]]:
    with ExitStack() as stack:
        yield {name: stack.enter_context(engine_cache.checkpoint(real_engine, starter_path, name)) for name in NAMES}


@pytest.fixture(scope="module")
def logs(real_engine: EngineInfo, models: dict[str, Path]) -> dict[str, str]:
    done = subprocess.run(
        [real_engine.python, "-I", "-c", PROGRAM, str(CONTEXT), *map(str, models.values())],
        env=inspection_env() | ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    _before, *logs = re.split(r"^STOWAGE \d$", done.stdout, flags=re.MULTILINE)
    return dict(zip(models, logs, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_weights_and_kv_tokens_are_what_the_engine_says(
    real_engine: EngineInfo, models: dict[str, Path], logs: dict[str, str], name: str
) -> None:
    assert_as_planned(real_engine, models[name], logs[name])

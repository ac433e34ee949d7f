"""A model in any spelling that people paste."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hub.model import RepoRef
from core.hub.refs import is_address, is_elsewhere, parse_reference

QWEN = RepoRef("Qwen/Qwen3-8B")
SHA = "0123456789abcdef0123456789abcdef01234567"
MIRROR = "https://my.mirror:8443/hf"

SPELLINGS = {
    "Qwen/Qwen3-8B": QWEN,
    "  Qwen/Qwen3-8B \n": QWEN,
    '"Qwen/Qwen3-8B"': QWEN,
    "`Qwen/Qwen3-8B`": QWEN,
    "“Qwen/Qwen3-8B”": QWEN,
    "Qwen / Qwen3-8B": QWEN,
    "Qwen/Qwen3-8B/": QWEN,
    "(Qwen/Qwen3-8B).": QWEN,
    "\ufeffQwen/Qwen3-8B\u200b": QWEN,
    "Qwen/Qwen3\u20118B": QWEN,  # a hyphen that a word processor made of "-"
    "qwen/qwen3-8b": RepoRef("qwen/qwen3-8b"),
    "Qwen/Qwen3-8B@v1.0": RepoRef("Qwen/Qwen3-8B", "v1.0"),
    f"Qwen/Qwen3-8B@{SHA}": RepoRef("Qwen/Qwen3-8B", SHA),
    "hf.co/Qwen/Qwen3-8B": QWEN,
    "huggingface.co/Qwen/Qwen3-8B": QWEN,
    "HuggingFace.co/Qwen/Qwen3-8B": QWEN,
    "www.huggingface.co/Qwen/Qwen3-8B": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B/": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B?library=vllm": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B#usage": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B/tree/main": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B/discussions/3": QWEN,
    "https://huggingface.co/Qwen/Qwen3-8B/tree/refs%2Fpr%2F7": RepoRef("Qwen/Qwen3-8B", "refs/pr/7"),
    "https://huggingface.co/Qwen/Qwen3-8B/tree/refs/pr/7": RepoRef("Qwen/Qwen3-8B", "refs/pr/7"),
    f"https://huggingface.co/Qwen/Qwen3-8B/blob/{SHA}/config.json": RepoRef("Qwen/Qwen3-8B", SHA),
    "https://huggingface.co/Qwen/Qwen3-8B/resolve/v2/a.safetensors?download=true": RepoRef("Qwen/Qwen3-8B", "v2"),
    "https://huggingface.co/api/models/Qwen/Qwen3-8B/revision/v2": RepoRef("Qwen/Qwen3-8B", "v2"),
    "https://hf-mirror.com/Qwen/Qwen3-8B/tree/main": QWEN,
    "https://my.mirror:8443/hf/Qwen/Qwen3-8B/tree/v2": RepoRef("Qwen/Qwen3-8B", "v2"),
    "127.0.0.1:8090/Qwen/Qwen3-8B": QWEN,
    "hf://Qwen/Qwen3-8B@v2/config.json": RepoRef("Qwen/Qwen3-8B", "v2"),
    "hf.co/Qwen/Qwen3-8B:Q4_K_M": QWEN,
    "ollama run hf.co/Qwen/Qwen3-8B:Q4_K_M": QWEN,
    "[Qwen3 8B](https://huggingface.co/Qwen/Qwen3-8B)": QWEN,
    "hf download Qwen/Qwen3-8B": QWEN,
    "hf download Qwen/Qwen3-8B config.json --revision v2 --local-dir x/y": RepoRef("Qwen/Qwen3-8B", "v2"),
    "huggingface-cli download --revision=v2 Qwen/Qwen3-8B": RepoRef("Qwen/Qwen3-8B", "v2"),
    "$ vllm serve Qwen/Qwen3-8B --max-model-len 8192": QWEN,
    "vllm serve 'Qwen/Qwen3-8B' \\\n  --port 8000": QWEN,
    "VLLM_USE_V1=1 vllm serve Qwen/Qwen3-8B": QWEN,
    "docker run --gpus all vllm/vllm-openai:latest --model Qwen/Qwen3-8B": QWEN,
    "git clone https://huggingface.co/Qwen/Qwen3-8B.git": QWEN,
    "python -m vllm.entrypoints.openai.api_server --model=Qwen/Qwen3-8B": QWEN,
    'AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", revision="v2")': RepoRef("Qwen/Qwen3-8B", "v2"),
    "llm = LLM(model='Qwen/Qwen3-8B')": QWEN,
    f"models--Qwen--Qwen3-8B/snapshots/{SHA}": RepoRef("Qwen/Qwen3-8B", SHA),
    "https://huggingface.co/gpt2": RepoRef("gpt2"),
    "https://huggingface.co/gpt2/tree/main": RepoRef("gpt2"),
}
WORDS = [
    "",
    "   ",
    "qwen",
    "gpt2",
    "llama 3 8b instruct",
    "what is the best model for coding?",
    "/data/models/qwen",
    "~/models/qwen",
    "a/b/c",
    "and --or",
    "https://huggingface.co/datasets/org/data",
    "https://huggingface.co/spaces/org/demo",
    "https://huggingface.co/",
    "ftp://huggingface.co/Qwen/Qwen3-8B",
    "-x/y",
    "x/y--z",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_of_a_model_is_that_model(text: str) -> None:
    assert parse_reference(text, MIRROR) == SPELLINGS[text]


@pytest.mark.parametrize("text", WORDS)
def test_what_names_no_model_is_something_to_search_for(text: str) -> None:
    assert parse_reference(text, MIRROR) is None


def test_an_address_is_told_from_words_that_might_be_an_id() -> None:
    assert is_address("https://huggingface.co/Qwen/Qwen3-8B")
    assert is_address("hf.co/Qwen/Qwen3-8B")
    assert not is_address("Qwen/Qwen3-8B")
    assert not is_address("llama 3")


def test_an_address_of_another_site_is_told_from_those_of_the_hub() -> None:
    for text in (
        "https://github.com/Qwen/Qwen3-8B",
        "github.com/Qwen/Qwen3-8B",
        "http://[bad",
        "https://a.example/x/y",
    ):
        assert is_elsewhere(text, MIRROR), text
    for text in (
        "https://huggingface.co/Qwen/Qwen3-8B",
        "hf.co/a/b",
        f"{MIRROR}/a/b",
        "hf://a/b",
        "Qwen/Qwen3-8B",
        "a b",
    ):
        assert not is_elsewhere(text, MIRROR), text


_part = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9_.]{0,18}[A-Za-z0-9_])?", fullmatch=True).filter(
    lambda text: ".." not in text
)
_revision = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,20}[A-Za-z0-9]", fullmatch=True).filter(
    lambda text: text not in ("main", "refs")
)
_ADDRESSES = (
    "https://huggingface.co/{id}/tree/{revision}",
    "hf.co/{id}/blob/{revision}/config.json",
    "  {id}@{revision} ",
    "hf download {id} --revision {revision}",
    "vllm serve {id} --revision={revision} --port 1",
)


@given(org=_part, name=_part, revision=_revision, spelling=st.sampled_from(_ADDRESSES))
def test_an_id_and_a_revision_survive_every_spelling(org: str, name: str, revision: str, spelling: str) -> None:
    if org.lower() in ("datasets", "spaces", "docs", "blog", "models", "api"):
        return
    repo = f"{org}/{name.removesuffix('.git')}"
    assert parse_reference(spelling.format(id=repo, revision=revision)) == RepoRef(repo, revision)


@given(st.text(max_size=200))
def test_no_text_breaks_it_and_every_answer_is_a_valid_id(text: str) -> None:
    found = parse_reference(text)
    if found is not None:
        assert 0 < len(found.repo_id) <= 96
        assert found.repo_id.count("/") <= 1
        assert not any(character.isspace() for character in str(found))

"""Who the Hub takes us for. The token is kept where `hf auth login` keeps it, so every tool is signed in at once.

Files (huggingface_hub 2.4, utils/_auth.py): the active token alone in `token`, all tokens by name in the INI file
`stored_tokens` beside it, both for the user alone (mode 600).
"""

from __future__ import annotations

import configparser
import io
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from core.errors import AppError
from core.events import ErrorInfo
from core.files import write_whole
from core.hub.api import HubApi
from core.hub.connection import Connection, clean_token, token_from_environment, token_from_file, token_path
from core.hub.model import Account


def known_account(environ: Mapping[str, str] = os.environ) -> Account:
    """Where the token comes from, without asking the Hub."""
    if token_from_environment(environ):
        return Account("env")
    return Account("file" if token_from_file(environ) else "")


async def check_account(api: HubApi, environ: Mapping[str, str] = os.environ) -> Account:
    """The account behind the token; `problem` tells why it could not be checked or is not accepted."""
    account = known_account(environ)
    if not account.source:
        return account
    try:
        user, _ = await api.whoami()
    except AppError as error:
        return replace(account, problem=ErrorInfo.of(error))
    return replace(account, user=user)


async def sign_in(pasted: str, connection: Connection, environ: Mapping[str, str] = os.environ) -> Account:
    """Check a pasted token with the Hub and keep it.

    Raises:
        AppError: `hub.no_token` when there is none in the text, `hub.token_from_env` when HF_TOKEN would win over it,
            `hub.bad_token`, `hub.token_not_saved`, or what kept the Hub from answering; nothing is kept then.
    """
    token = clean_token(pasted)
    if not token or not token.isascii() or any(character.isspace() for character in token):
        raise AppError("hub.no_token")
    if token_from_environment(environ):
        raise AppError("hub.token_from_env")
    api = HubApi(replace(connection, token=token))
    try:
        user, name = await api.whoami()
    finally:
        await api.close()
    _keep(token_path(environ), token, name)
    return Account("file", user)


def sign_out(environ: Mapping[str, str] = os.environ) -> None:
    """Forget the saved token here; on the Hub it stays valid.

    Raises:
        AppError: `hub.token_from_env`, `hub.token_not_saved`.
    """
    if token_from_environment(environ):
        raise AppError("hub.token_from_env")
    path, token = token_path(environ), token_from_file(environ)
    stored = _stored(path)
    for name in stored.sections():
        if stored.get(name, "hf_token", fallback="") == token:
            stored.remove_section(name)
    try:
        if _stored_path(path).exists():
            _write_stored(path, stored)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _not_saved(path, error) from error


def _keep(path: Path, token: str, name: str) -> None:
    stored = _stored(path)
    if name == configparser.DEFAULTSECT:
        name = f"{name}-token"
    stored.remove_section(name)
    stored.add_section(name)
    stored.set(name, "hf_token", token)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_stored(path, stored)
        write_whole(path, token.encode())
    except OSError as error:
        raise _not_saved(path, error) from error


def _stored(path: Path) -> configparser.ConfigParser:
    """All tokens by name. A file that cannot be read counts as empty, as it does for `hf`."""
    stored = configparser.ConfigParser(interpolation=None)
    try:
        stored.read(_stored_path(path), encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return configparser.ConfigParser(interpolation=None)
    return stored


def _write_stored(path: Path, stored: configparser.ConfigParser) -> None:
    text = io.StringIO()
    stored.write(text)
    write_whole(_stored_path(path), text.getvalue().encode())


def _stored_path(path: Path) -> Path:
    return path.parent / "stored_tokens"


def _not_saved(path: Path, error: OSError) -> AppError:
    return AppError("hub.token_not_saved", repr(error), path=str(path), reason=error.strerror or str(error))

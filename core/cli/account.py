"""`stowage login`, `logout`, `whoami`."""

from __future__ import annotations

import getpass
import sys

from core import words
from core.cli.console import Console
from core.errors import AppError
from core.hub.model import Account
from core.services import Services


def ask_token() -> str:
    """From the terminal without showing it, else from a pipe."""
    if not sys.stdin.isatty():
        return sys.stdin.read()
    return getpass.getpass(f"{words.term('cli', 'token_question', words.resolve_language('system'))} ")


async def login(services: Services, console: Console, token: str) -> None:
    """Raises: AppError: `hub.no_token`, `hub.bad_token`, `hub.token_from_env`, `hub.token_not_saved`, or why the Hub
    could not be asked."""
    _tell(await services.hub.sign_in(token), console)


async def logout(services: Services, console: Console) -> None:
    """Raises: AppError: `hub.token_from_env`, `hub.token_not_saved`."""
    _tell(await services.hub.sign_out(), console)


async def whoami(services: Services, console: Console) -> None:
    """Raises: AppError: why the token does not do, or why the Hub could not be asked."""
    _tell(await services.hub.account(), console)


def _tell(account: Account, console: Console) -> None:
    if account.problem is not None:
        raise AppError(account.problem.code, account.problem.detail, **account.problem.facts)
    if console.as_json:
        console.object({"user": account.user or None, "token_from": account.source or None})
    elif account.user:
        console.out(console.text("signed_in", user=account.user))
    else:
        console.out(console.text("signed_out"))

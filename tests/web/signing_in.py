"""What somebody without scripts does to sign in."""

from __future__ import annotations

import re
from typing import Any


def csrf_in(page: str) -> str:
    """The token that a page's forms send."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page)
    assert found is not None
    return found.group(1)


def sign_in(browser: Any, name: str, password: str) -> Any:
    """The answer to a name and a password in the form."""
    token = csrf_in(browser.get("/sign-in").text)
    return browser.post("/sign-in", {"csrf": token, "name": name, "password": password})

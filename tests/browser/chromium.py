"""The browser that the tests look through: the machine's own Chromium, or one that is fetched once."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.async_api import Browser, Playwright

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
NONE_FOUND = (
    "the browser tests need Chromium: apt install chromium, or python -m playwright install --with-deps chromium"
)


async def launched(playwright: Playwright) -> Browser:
    """A browser of our own; it ends with an error that says what to install where there is none."""
    path = installed() or from_apt() or from_playwright(playwright)
    if path is None:
        raise RuntimeError(NONE_FOUND)
    return await playwright.chromium.launch(executable_path=path, args=FLAGS)


def installed() -> str | None:
    """Where the machine has it."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def from_apt() -> str | None:
    """Install it as the machine's packages have it, where we may."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    for words in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(["apt-get", "--quiet", *words], check=False, capture_output=True)
    return installed()


def from_playwright(playwright: Playwright) -> str | None:
    """Have the test tool fetch its own."""
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, capture_output=True)
    path = playwright.chromium.executable_path
    return path if Path(path).exists() else None

"""Starts the Chromium that the tests use: the one on this machine, or one that is installed once."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Playwright

DISABLED_FEATURES = (
    # each user's window would load two pages behind the address bar, which no test sees
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    # each user's window would start a process for a page that may be opened next
    "SpareRendererForSitePerProcess",
    # what Playwright disables: Chromium obeys only the last list that it is given
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
"""What costs time and shows no test anything. The flags halve what it costs to show a user a page."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=" + ",".join(DISABLED_FEATURES),
)
CANDIDATES = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
MISSING = "the browser tests need Chromium: apt install chromium, or python -m playwright install --with-deps chromium"


async def launched(playwright: Playwright) -> Browser:
    """Starts Chromium. Raises `RuntimeError`, which says what to install, if there is none."""
    path = find_chromium() or install_with_apt() or install_with_playwright(playwright)
    if path is None:
        raise RuntimeError(MISSING)
    return await playwright.chromium.launch(executable_path=path, args=FLAGS)


def find_chromium() -> str | None:
    """The path of an installed Chromium or Chrome, None if there is none."""
    return next((path for name in CANDIDATES if (path := shutil.which(name))), None)


def install_with_apt() -> str | None:
    """Installs the package of the system, if this user may. One process does it, and others wait for that."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    with (Path(tempfile.gettempdir()) / "liarsdice-install-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if find_chromium() is None:
            for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
                subprocess.run(["apt-get", "--quiet", *arguments], check=False, capture_output=True)
    return find_chromium()


def install_with_playwright(playwright: Playwright) -> str | None:
    """Lets Playwright download its own Chromium."""
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False, capture_output=True)
    path = playwright.chromium.executable_path
    return path if Path(path).exists() else None

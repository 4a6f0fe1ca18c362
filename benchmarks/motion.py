"""How smoothly the dice roll and the cups lift on a phone: frames at 390x844 with a CPU that is four times as slow.

It plays matches against five bots at the usual pace, and measures some rolls and reveals. `frames_over_50_ms` counts
frames of all of them. Other programs lengthen frames, but hardly the CPU time of the page's main thread, whose longest
task is measured as well. The CPU of a machine without a graphics card also draws the pixels.
"""

import json
import os
import statistics
from collections import defaultdict
from itertools import pairwise
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

from benchmarks.figures import Figures, save_figures
from benchmarks.page_server import run_with_server
from tests.browser.chromium import launched
from tests.browser.users import PHONE, WITHIN_MS, User
from tests.processes import Server

SLOWNESS = 4
SCENES = 5
"""Of each kind."""
LIMIT_MS = 50
BOTS = ("threshold", "novice", "greedy", "novice", "threshold")
MAX_STEPS = 2_000
TRACED = ["toplevel", "blink.user_timing"]
RECORD_SCENES = """() => {
  globalThis.scenes = [];
  let scene = null;
  let last = performance.now();
  const kind = () => {
    if (document.querySelector(".throw")) return "roll";
    return document.querySelector(".seats.reveal") && !document.querySelector(".verdict") ? "reveal" : null;
  };
  requestAnimationFrame(function frame(now) {
    const current = kind();
    if (scene?.kind !== current) {
      performance.mark(`scene:${current ?? "none"}`);
      if (scene) scenes.push(scene);
      scene = current && { kind: current, frames: [] };
    }
    scene?.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  });
}"""


PRESS_BUTTON = """() => {
  const panel = document.querySelector(".action-panel");
  const doubt = document.querySelector(".bid-dice") && panel.querySelector(".danger:enabled");
  (doubt || panel.querySelector(".btn.big.primary:enabled") || panel.querySelector("[role=grid] [data-bid]"))?.click();
}"""
"""Doubts, or presses the main button, or chooses a bid."""


async def play(browser: Browser, server: Server) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Play until there are enough scenes. Return them, and the trace of the browser."""
    width, height = PHONE
    context = await browser.new_context(
        viewport={"width": width, "height": height},
        has_touch=True,
        is_mobile=True,
        device_scale_factor=1,
        service_workers="block",
    )
    context.set_default_timeout(WITHIN_MS)
    user = User("Ann", server, await context.new_page())
    devices = await context.new_cdp_session(user.page)
    await devices.send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
    await user.open_table("perudo", seats=len(BOTS) + 1, bots=list(BOTS), begin=True)
    await user.page.evaluate(RECORD_SCENES)
    await browser.start_tracing(page=user.page, categories=TRACED)
    scenes = await take_turns(user)
    trace = json.loads(await browser.stop_tracing())["traceEvents"]
    await context.close()
    return scenes, trace


async def take_turns(user: User) -> list[dict[str, Any]]:
    """Doubt every bid, so that there are many reveals, until there are enough scenes of each kind."""
    page = user.page
    for _ in range(MAX_STEPS):
        scenes: list[dict[str, Any]] = await page.evaluate("scenes")
        if all(sum(scene["kind"] == kind for scene in scenes) >= SCENES for kind in ("roll", "reveal")):
            return scenes
        await take_step(page)
    raise RuntimeError("the match had too few rolls and reveals")


async def take_step(page: Page) -> None:
    """Press the button that the page offers now, if there is one, after a while in which the page is not disturbed."""
    await page.wait_for_timeout(500)
    await page.evaluate(PRESS_BUTTON)


def main_thread_tasks(trace: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return the CPU milliseconds of the tasks of the page's main thread by the kind of scene that they were in."""
    marks = sorted((event for event in trace if event["name"].startswith("scene:")), key=lambda event: event["ts"])
    tasks: dict[str, list[float]] = defaultdict(list)
    for mark, following in pairwise(marks):
        kind = mark["name"].removeprefix("scene:")
        tasks[kind] += [
            event["tdur"] / 1000
            for event in trace
            if event["name"].endswith("RunTask")
            and (event["pid"], event["tid"]) == (mark["pid"], mark["tid"])
            and mark["ts"] <= event["ts"] < following["ts"]
            and "tdur" in event
        ]
    return tasks


def moments(trace: list[dict[str, Any]]) -> dict[str, list[float]]:
    """Return the CPU milliseconds of the longest task around each moment at which much changes at once.

    A roll and a reveal begin with a message, whose task is before their first frame.
    """
    marks = sorted((event for event in trace if event["name"].startswith("scene:")), key=lambda event: event["ts"])
    page = (marks[0]["pid"], marks[0]["tid"])
    tasks = [
        (event["ts"] / 1000, event["tdur"] / 1000)
        for event in trace
        if event["name"].endswith("RunTask") and (event["pid"], event["tid"]) == page and "tdur" in event
    ]
    found: dict[str, list[float]] = defaultdict(list)
    for mark, following in pairwise(marks):
        start, end = mark["ts"] / 1000, following["ts"] / 1000
        windows = {
            "scene:roll": {"a roll begins": (start - 500, start + 500), "the dice leave the cup": (start + 500, end)},
            "scene:reveal": {"the call": (start - 500, start + 300), "the outcome": (end - 250, end + 150)},
        }
        for moment, (first, last) in windows.get(mark["name"], {}).items():
            found[moment].append(max((cpu for begun, cpu in tasks if first <= begun < last), default=0.0))
    return found


def summary(frames: list[list[float]], tasks: list[float]) -> Figures:
    """Return the figures of all scenes of a kind, given the milliseconds of the frames of each."""
    all_frames = sorted(frame for scene in frames for frame in scene)
    return {
        "scenes": len(frames),
        "median_length_s": round(statistics.median(sum(scene) for scene in frames) / 1000, 2),
        "longest_s": round(max(sum(scene) for scene in frames) / 1000, 2),
        "frames": len(all_frames),
        "median_frame_ms": round(statistics.median(all_frames), 1),
        "p95_frame_ms": round(all_frames[int(0.95 * len(all_frames))], 1),
        "longest_frame_ms": round(all_frames[-1], 1),
        "median_of_the_longest_frames_ms": round(statistics.median(max(scene) for scene in frames), 1),
        "frames_over_50_ms": sum(frame > LIMIT_MS for frame in all_frames),
        "longest_task_cpu_ms": round(max(tasks), 1),
        "tasks_over_50_ms_of_cpu": sum(task > LIMIT_MS for task in tasks),
    }


async def measure(server: Server) -> dict[str, Figures]:
    """Measure the scenes, and return the figures of each kind with the load of the machine."""
    expect.set_options(timeout=WITHIN_MS)
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        scenes, trace = await play(browser, server)
        await browser.close()
    tasks = main_thread_tasks(trace)
    figures = {
        kind: summary([scene["frames"] for scene in scenes if scene["kind"] == kind][:SCENES], tasks[kind])
        | {"load_average": round(os.getloadavg()[0], 1)}
        for kind in ("roll", "reveal")
    }
    for moment, longest in moments(trace).items():
        figures[moment] = {
            "times": len(longest),
            "longest_task_cpu_ms_median": round(statistics.median(longest)),
            "longest_task_cpu_ms": round(max(longest)),
        }
    return figures


def main() -> None:
    """Measure, and save the figures."""
    save_figures("motion", run_with_server(measure))


if __name__ == "__main__":
    main()

import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderScenario, useTablePage } from "../testing/tablePage";
import { formatClock } from "./countdown.svelte";

useTablePage();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the clock of a turn changes the page once a second, and not between", async () => {
  await renderScenario("wait");
  await vi.advanceTimersByTimeAsync(500);
  const clock = document.querySelector("[role=timer]");
  const seat = document.querySelector<HTMLElement>(".seat.turn .avatar-button");
  expect(clock?.textContent).toBe("0:19");
  const changes: MutationRecord[] = [];
  const observer = new MutationObserver((records) => changes.push(...records));
  observer.observe(document.body, { subtree: true, attributes: true, characterData: true });
  for (const time of ["0:18", "0:17", "0:16"]) {
    await vi.advanceTimersByTimeAsync(1000);
    await tick();
    expect(clock?.textContent).toBe(time);
  }
  observer.disconnect();
  expect(changes.filter(({ target }) => target === seat)).toHaveLength(3);
  expect(vi.getTimerCount()).toBeLessThan(4);
});

test("a clock shows minutes and seconds, and hours if there are any", () => {
  expect([24_000, 62_000, 3_723_000].map(formatClock)).toEqual(["0:24", "1:02", "1:02:03"]);
});

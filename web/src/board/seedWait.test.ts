import { screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { PublicMatch } from "../lib/protocol";
import { newCommitment } from "../lib/seeds";
import { setting, update, SCENARIOS } from "../testing/tableFrames";
import { renderScenario, useTablePage } from "../testing/tablePage";

useTablePage();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Renders a table that waits for seeds, after the time in which pages usually reveal them. */
async function renderWait(commitments: string[], revealed: number[]): Promise<void> {
  const match: Partial<PublicMatch> = {
    ...{ round_number: 0, phase: "deal", turn: null, bids: [], resumes_ms: 20_000 },
    seeds: { commitments, revealed },
  };
  SCENARIOS.seeds = [setting(), update(match, { bids: [], challenge: false })];
  await renderScenario("seeds");
  expect(screen.queryByText(/part of the dice/)).toBeNull();
  await vi.advanceTimersByTimeAsync(2000);
}

test("a player whose seed is in another browser reads what the match waits for, and how long", async () => {
  await renderWait(["5d".repeat(32), "", "", "", "", ""], []);
  expect(screen.getByText(/in the browser in which you took your seat/)).toBeTruthy();
  expect(screen.getByText("0:18 at most.")).toBeTruthy();
});

test("while the seeds of others are awaited, the page names them", async () => {
  const own = newCommitment();
  await renderWait([own, "5d".repeat(32), "6e".repeat(32), "", "", ""], [0, 2]);
  expect(screen.getByText("Waiting for the part of the dice that the browser of Tobias adds.")).toBeTruthy();
});

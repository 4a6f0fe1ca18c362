import { expect, test } from "vitest";
import { OUTCOME_MS, revealScore } from "./revealAnimation.svelte";

test("a reveal takes less than six seconds, however many cups there are", () => {
  for (let cups = 1; cups <= 10; cups += 1) {
    const { doneMs, stampMs, lifts } = revealScore(cups, "normal");
    expect(doneMs + OUTCOME_MS).toBeLessThan(6000);
    expect(lifts).toEqual([...lifts].sort((a, b) => a - b));
    expect(lifts).toHaveLength(cups);
    expect(stampMs).toBeGreaterThan(lifts.at(-1) ?? 0);
  }
});

test("the last cup waits, except in quick reveals", () => {
  const [, second = 0, third = 0] = revealScore(3, "normal").lifts;
  expect(third - second).toBe(330 + 380);
  expect(revealScore(6, "quick").doneMs).toBeLessThan(0.6 * revealScore(6, "normal").doneMs);
});

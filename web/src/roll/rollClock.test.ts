import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RollClock, ROLL_MS } from "../board/boardState.svelte";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the dice roll once for each round, the first times slowly, and come to rest", () => {
  const roll = new RollClock();
  const factors = ["1/1", "1/2", "1/3", "1/4"].map((round) => {
    roll.follow(round, true);
    roll.follow(round, true);
    expect([roll.rolling, roll.count]).toEqual([true, Number(round.slice(2))]);
    vi.advanceTimersByTime(ROLL_MS * roll.factor);
    expect(roll.rolling).toBe(false);
    return roll.factor;
  });
  expect(factors).toEqual([1, 1, 1, 0.55]);
});

test("a round that has begun before is not rolled, and a shake starts the roll anew", () => {
  const roll = new RollClock();
  roll.follow("1/1", false);
  expect(roll.rolling).toBe(false);
  roll.roll();
  roll.roll();
  expect([roll.rolling, roll.count]).toEqual([true, 2]);
  roll.finish();
  expect(roll.rolling).toBe(false);
});

test("without motion nothing rolls", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  const roll = new RollClock();
  roll.roll();
  expect(roll.rolling).toBe(false);
});

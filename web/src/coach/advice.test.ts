import { expect, test } from "vitest";
import { advise } from "./advice";

type Turn = Parameters<typeof advise>[0];

function turn(bids: [number, number, number][], standing_odds: number | null): Turn {
  return {
    bids: bids.map(([quantity, face]) => [quantity, face]),
    odds: bids.map(([, , odds]) => odds),
    standing_odds,
    challenge: standing_odds !== null,
  };
}

test("who opens is advised the highest bid that their own dice prove", () => {
  const advice = advise(turn([[1, 2, 42], [1, 5, 100], [2, 5, 100], [3, 5, 42]], null)); // prettier-ignore
  expect(advice).toEqual({ type: "bid", bid: [2, 5], chance: 100 });
});

test("an unlikely bid is challenged, although a raise would be safe", () => {
  expect(advise(turn([[4, 5, 100]], 49))).toEqual({ type: "call" });
});

test("a likely bid is raised by what the own dice prove", () => {
  expect(advise(turn([[2, 3, 58], [2, 5, 100]], 58))).toEqual({ type: "bid", bid: [2, 5], chance: 100 }); // prettier-ignore
});

test("where no raise is safe, the more likely of call and raise is advised", () => {
  expect(advise(turn([[3, 3, 30], [3, 4, 41]], 60))).toEqual({ type: "bid", bid: [3, 4], chance: 41 }); // prettier-ignore
  expect(advise(turn([[3, 3, 30]], 60))).toEqual({ type: "call" });
  expect(advise(turn([], 80))).toEqual({ type: "call" });
});

test("there is no advice without odds, and none before the turn", () => {
  expect(advise({ ...turn([[1, 2, 42]], null), odds: [] })).toBeNull();
  expect(advise(turn([], null))).toBeNull();
});

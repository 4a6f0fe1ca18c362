import { expect, test } from "vitest";
import type { MoveWorth } from "../lib/protocol";
import { expectedCount, listedMoves, usualChoice } from "./estimates";

function bid(quantity: number, played = 0): MoveWorth {
  return { move: { type: "bid", quantity, face: 2 }, value: 500 - quantity, played, right: 50, tells: null };
}
const CALL: MoveWorth = { move: { type: "challenge" }, value: 100, played: 0, right: 20, tells: null };

test("the best bids, every call and the champion's usual choice are listed", () => {
  const moves = [...Array.from({ length: 9 }, (_, index) => bid(index + 1)), bid(10, 80), CALL];
  expect(listedMoves(moves).map(({ value }) => value)).toEqual([499, 498, 497, 496, 495, 494, 490, 100]);
  expect(usualChoice(moves)).toBe(moves[9]);
  expect(usualChoice([])).toBeNull();
});

test("the expected count is that of the distribution, whatever its percentages add up to", () => {
  expect(expectedCount([25, 50, 25])).toBe(1);
  expect(expectedCount([0, 0, 99])).toBe(2);
  expect(expectedCount([])).toBe(0);
});

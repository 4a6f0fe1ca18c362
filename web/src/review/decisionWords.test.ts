import { expect, test } from "vitest";
import type { DecisionReview } from "../lib/protocol";
import { hasOtherMoves, otherMoves, worthNote } from "./decisionWords";

const MADE = { type: "bid", quantity: 2, face: 3 } as const;
const BETTER = { type: "challenge" } as const;

function decision(moves: (typeof MADE | typeof BETTER)[], bids: [number, number][], exact = false): DecisionReview {
  const values = moves.map((move) => ({ move, value: 0.5, error: 0, p_right: null }));
  return {
    move: MADE,
    moves: values,
    other_bids: bids,
    other_calls: exact ? [{ type: "exact" }] : [],
  } as unknown as DecisionReview;
}

test("every move but the one that was made can be played on: by name what was compared and calls, then other bids", () => {
  const { named, bids } = otherMoves(decision([BETTER, MADE], [[4, 5]], true));
  expect(named).toEqual([BETTER, { type: "exact" }]);
  expect(bids).toEqual([{ type: "bid", quantity: 4, face: 5 }]);
});

test("where only one move was possible, or nothing can be played on, there is no other", () => {
  expect(hasOtherMoves(decision([], []))).toBe(false);
  expect(hasOtherMoves(decision([MADE], []))).toBe(false);
  expect(hasOtherMoves(decision([], [[4, 5]]))).toBe(true);
});

test("values say whether they are exact, follow from both playing on, or were drawn", () => {
  expect(worthNote({ source: "solved" })).toContain("solved exactly");
  expect(worthNote({ source: "blueprint" })).toContain("if both play on like the champion");
  expect(worthNote({ source: "playouts" })).toContain("on the same dice");
});

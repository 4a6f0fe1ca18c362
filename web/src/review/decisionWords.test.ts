import { expect, test } from "vitest";
import type { DecisionFacts, DecisionReview } from "../lib/protocol";
import type { Narrator } from "../lib/narrator";
import { describeMove, hasOtherMoves, moveName, otherMoves, worthNote } from "./decisionWords";

const MADE = { type: "bid", quantity: 2, face: 3 } as const;
const BETTER = { type: "challenge" } as const;

function decision(moves: (typeof MADE | typeof BETTER)[], bids: [number, number][], exact = false): DecisionReview {
  const values = moves.map((move) => ({ move, value: 0.5, error: 0, p_right: null }));
  return {
    move: MADE,
    moves: values,
    other_bids: bids,
    other_moves: exact ? [{ type: "exact" }] : [],
  } as unknown as DecisionReview;
}

test("every move but the one that was made can be played on: by name what was compared and calls, then other bids", () => {
  const { named, bids } = otherMoves(decision([BETTER, MADE], [[4, 5]], true));
  expect(named).toEqual([BETTER, { type: "exact" }]);
  expect(bids).toEqual([{ type: "bid", quantity: 4, face: 5 }]);
});

test("pure bids are listed with the other bids", () => {
  const pure = { type: "bid", quantity: 3, face: 2, pure: true } as const;
  const { named, bids } = otherMoves({ ...decision([BETTER, MADE], []), other_moves: [pure, { type: "pass" }] });
  expect(named).toEqual([BETTER, { type: "pass" }]);
  expect(bids).toEqual([pure]);
});

const MOVES: [DecisionFacts["move"], string, string][] = [
  [{ type: "pass" }, "Bo passed", "passing"],
  [{ type: "challenge_pass" }, "Bo doubted the pass", "doubting the pass"],
  [{ type: "challenge", double: true }, "Bo called “Liar!” for double stakes", "“Liar!” for double stakes"],
  [{ type: "answer_double", answer: "fold" }, "Bo folded", "folding"],
  [{ type: "choose_kind", kind: "open" }, "Bo chose an open round", "an open round"],
  [{ type: "declare_special" }, "Bo declared “Special Round!”", "“Special Round!”"],
  [
    { type: "bid_and_show", bid: { type: "bid", quantity: 2, face: 4, pure: true }, shown: [4, 4] },
    "Bo bid two fours zhai and showed dice",
    "two fours zhai, showing two dice",
  ],
];

test.each(MOVES)("moves that only some rules know have words: %s", (move, sentence, noun) => {
  const narrator: Narrator = { rules: undefined, names: ["Ann", "Bo"], viewerSeat: 0 };
  expect(describeMove(narrator, { seat: 1, move })).toBe(sentence);
  expect(moveName(narrator, move)).toBe(noun);
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

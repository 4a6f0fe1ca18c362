import { expect, test } from "vitest";
import type { BidCount, DecisionFacts, MatchFacts } from "../lib/protocol";
import { decisionFacts } from "../testing/tableFrames";
import { findBluffs } from "./report";

const FOUR = { type: "bid", quantity: 4, face: 4 } as const;

const count = (own: number, held: boolean): BidCount => ({ own, counted: [own, 1], held });

function bluffs(seat: number, ...decisions: DecisionFacts[]): unknown {
  return findBluffs({ decisions } as unknown as MatchFacts, seat);
}

test("a bid above what the own hand counts for is a bluff, by how much it says more", () => {
  const facts = [
    decisionFacts({ number: 0, seat: 0, move: FOUR, made_count: count(4, true) }),
    decisionFacts({ number: 1, seat: 1, move: { ...FOUR, quantity: 5 }, made_count: count(2, true) }),
    decisionFacts({ number: 2, seat: 0, move: { ...FOUR, quantity: 6 }, made_count: count(5, false) }),
    decisionFacts({ number: 3, seat: 1, move: { type: "challenge" }, made_count: null }),
  ];
  expect(bluffs(0, ...facts)).toEqual([{ number: 2, round: 1, above: 1, held: false }]);
  expect(bluffs(1, ...facts)).toEqual([{ number: 1, round: 1, above: 3, held: true }]);
});

test("a bid with shown dice is one, too", () => {
  const shown = decisionFacts({
    number: 0,
    seat: 0,
    move: { type: "bid_and_show", bid: FOUR, shown: [4] },
    made_count: count(2, false),
  });
  expect(bluffs(0, shown)).toEqual([{ number: 0, round: 1, above: 2, held: false }]);
});

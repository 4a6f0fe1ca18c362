import { expect, test } from "vitest";
import type { DecisionFacts, MatchFacts } from "../lib/protocol";
import { findBluffs } from "./bluffs";

function bid(number: number, seat: number, quantity: number, hand: number[], wilds = true): DecisionFacts {
  const move = { type: "bid", quantity, face: 4 } as const;
  return { number, round_number: 1, seat, hand, bid: null, bidder: null, wilds_count: wilds, on_turn: true, move };
}

function match(...decisions: DecisionFacts[]): MatchFacts {
  const rounds = [
    {
      number: 1,
      starter: 0,
      special_seat: null,
      hands: [
        [4, 1, 2],
        [4, 3, 6],
      ],
      caller: 0,
      exact: false,
      count: 3,
    },
  ];
  const ruleset = { dice: { special_face: 1 }, wilds: { special_is_wild: true } };
  return { names: ["Ann", "Bo"], ruleset, winners: [0], rounds, decisions } as unknown as MatchFacts;
}

test("a bid above the own dice is a bluff, by how many dice it says more", () => {
  const facts = match(bid(0, 0, 2, [4, 1, 2]), bid(1, 1, 3, [4, 3, 6]), bid(2, 0, 4, [4, 1, 2]));
  expect(findBluffs(facts, 0)).toEqual([{ number: 2, round: 1, above: 2, held: false }]);
  expect(findBluffs(facts, 1)).toEqual([{ number: 1, round: 1, above: 2, held: true }]);
});

test("wild dice count only where they are wild", () => {
  expect(findBluffs(match(bid(0, 0, 2, [4, 1, 2], false)), 0)).toEqual([{ number: 0, round: 1, above: 1, held: true }]);
});

import { expect, test } from "vitest";
import type { Ruleset } from "../lib/ruleset";
import { allowsPass } from "./bids";

function rules(bidding: Partial<Ruleset["bidding"]>): Ruleset {
  return { bidding, dice: { per_player: 5, faces: 6, special_face: 1 } } as Ruleset;
}

test("five alike, five different and a full house allow a pass, as they lie", () => {
  const all = rules({ pass_with: ["alike", "all_different", "full_house"] });
  for (const hand of [
    [4, 4, 4, 4, 4],
    [6, 2, 3, 4, 5],
    [2, 5, 2, 5, 2],
    [1, 1, 6, 6, 6],
  ])
    expect(allowsPass(all, hand)).toBe(true);
  for (const hand of [[4, 4, 4, 4, 1], [6, 2, 3, 4, 4], [2, 2, 2, 2, 5], [3, 3, 3, 3], []])
    expect(allowsPass(all, hand)).toBe(false);
});

test("rules may ask for fewer dice, and for one kind of hand alone", () => {
  const alike = rules({ pass_with: ["alike"], pass_dice: 2 });
  expect(allowsPass(alike, [3, 3])).toBe(true);
  expect(allowsPass(alike, [3])).toBe(false);
  expect(allowsPass(alike, [2, 2, 2, 5, 5])).toBe(false);
  expect(allowsPass(rules({}), [3, 3, 3, 3, 3])).toBe(false);
});

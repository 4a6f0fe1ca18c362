import { expect, test } from "vitest";

import type { Ruleset } from "./gameTypes";
import { facesAt, facesIfMixed } from "./diceFaces";

const withDice = (dice: Partial<Ruleset["dice"]>): Ruleset =>
  ({ dice: { per_player: 5, faces: 12, special_face: 1, ...dice } }) as Ruleset;

test("seats that are not listed have dice with as many faces as the rules say", () => {
  const mixed = withDice({ faces_by_seat: [4, 6] });
  expect([0, 1, 2].map((seat) => facesAt(mixed, seat))).toEqual([4, 6, 12]);
  expect([0, 1, 2].map((seat) => facesIfMixed(mixed, seat))).toEqual([4, 6, 12]);
  expect(facesAt(withDice({}), 0)).toBe(12);
});

test("nothing is said of faces if all dice have as many", () => {
  expect(facesIfMixed(withDice({}), 0)).toBeNull();
  expect(facesIfMixed(undefined, 0)).toBeNull();
});

import { expect, test } from "vitest";
import { RULES } from "../testing/tableFrames";
import { type Ruleset, facesAt, facesIfMixed, wordOfOnes, isFaceOff } from "./ruleset";

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

test("only the face of one pip has a word for its sign", () => {
  const aces = { ...RULES, labels: { ...RULES.labels, special_face: "aces" } };
  const sixes = { ...aces, dice: { ...RULES.dice, special_face: 6 } };
  expect([undefined, RULES, aces, sixes].map(wordOfOnes)).toEqual([undefined, undefined, "aces", undefined]);
});

const rules = (face_off?: "sum"): Ruleset => ({ bidding: { face_off } }) as Ruleset;

test.each([
  [[1, 0, 1], true],
  [[1, 1], true],
  [[1, 2], false],
  [[2, 0], false],
  [[1, 1, 1], false],
])("dice %j make a face-off: %s", (dice, expected) => {
  expect(isFaceOff(rules("sum"), dice)).toBe(expected);
});

test("there is none by rules without it", () => {
  expect(isFaceOff(rules(), [1, 1])).toBe(false);
  expect(isFaceOff(undefined, [1, 1])).toBe(false);
});

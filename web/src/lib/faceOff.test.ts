import { expect, test } from "vitest";
import { isFaceOff, type Ruleset } from "./ruleset";

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

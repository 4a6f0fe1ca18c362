/** The number of faces of a seat's dice (`Dice.faces_at` of the package). */
import type { Ruleset } from "./gameTypes";

export function facesAt(rules: Ruleset, seat: number): number {
  return rules.dice.faces_by_seat?.[seat] ?? rules.dice.faces;
}

/** The number of faces of a seat's dice, null if all dice have as many. */
export function facesIfMixed(rules: Ruleset | undefined, seat: number): number | null {
  return rules?.dice.faces_by_seat ? facesAt(rules, seat) : null;
}

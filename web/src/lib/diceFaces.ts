import type { Ruleset } from "./gameTypes";

/** The number of faces of a seat's dice (`Dice.faces_at` of the package). */
export function facesAt(rules: Ruleset, seat: number): number {
  return rules.dice.faces_by_seat?.[seat] ?? rules.dice.faces;
}

/** The number of faces of a seat's dice, null if all dice have as many. */
export function facesIfMixed(rules: Ruleset | undefined, seat: number): number | null {
  return rules?.dice.faces_by_seat ? facesAt(rules, seat) : null;
}

/** The rules' word for the face of one pip, if that is the special face: dice may show a sign in place of the pip. */
export function wordOfOnes(rules: Ruleset | undefined): string | undefined {
  return rules?.dice.special_face === 1 ? (rules.labels.special_face ?? undefined) : undefined;
}

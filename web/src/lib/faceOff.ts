/** The face-off: two players with one die each bid on the sum of both dice (`core/rules/bid_space.py`). */
import type { Ruleset } from "./gameTypes";

/** The face of a bid on the sum of all dice in play. */
export const SUM_FACE = 0;

/** Whether a round that opens with these numbers of dice by seat is a face-off. */
export function isFaceOff(rules: Ruleset | undefined, dice: readonly number[]): boolean {
  const held = dice.filter((count) => count > 0);
  return rules?.bidding.face_off === "sum" && held.length === 2 && held.every((count) => count === 1);
}

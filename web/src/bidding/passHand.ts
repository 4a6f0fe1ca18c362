/** Whether a hand allows a pass, as `core/rules/meaning.py` says. */
import type { Ruleset } from "../lib/gameTypes";

/** Whether these dice, as they lie, are one of the hands with which players may pass. */
export function allowsPass({ bidding, dice }: Ruleset, hand: readonly number[]): boolean {
  if (!bidding.pass_with || hand.length < (bidding.pass_dice ?? dice.per_player)) return false;
  const counts = [...new Set(hand)].map((face) => hand.filter((die) => die === face).length).sort();
  return bidding.pass_with.some((kind) => {
    switch (kind) {
      case "alike":
        return counts.length === 1;
      case "all_different":
        return counts.length === hand.length;
      case "full_house":
        return counts.length === 2 && counts[0] === 2 && counts[1] === 3;
    }
  });
}

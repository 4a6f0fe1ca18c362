import type { Ruleset } from "./gameTypes";

/** Whether the server simulates matches by these rules (`core/rules/rule_costs.py`). */
export function areSimulated(rules: Ruleset | undefined): boolean {
  if (!rules) return true;
  const { scope, hand_bonus, all_different } = rules.count;
  if (scope === "bidder" || rules.dice.faces_by_seat) return false;
  if (rules.special_round && rules.special_round.trigger !== "loses_down_to_one") return false;
  if (rules.bidding.to_pure || rules.bidding.min_open_special || rules.bidding.show_dice) return false;
  if (rules.challenge.double || rules.bidding.pass_with || rules.bidding.face_off) return false;
  if (rules.loss.opening_factor || rules.wilds.suspended_by.includes("opening_challenge")) return false;
  if (rules.exact_call?.min_dice || rules.special_round?.visibility) return false;
  return (
    !rules.loss.lives &&
    !rules.loss.out_below &&
    rules.end === "last_player_with_dice" &&
    hand_bonus !== "alike" &&
    !all_different
  );
}

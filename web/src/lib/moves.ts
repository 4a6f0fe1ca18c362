/** What the page says of a move: the last part of the keys of its texts, and the words that these texts contain. */
import { callLabel, formatBid, formatDice, formatProbability } from "./formatting";
import { t } from "./i18n.svelte";
import type { Answer, Direction, PlayerAction, RoundKind } from "./protocol";
import { bidPair, type Ruleset } from "./ruleset";

/** A bid or a call is said at the table; other moves have their names in the words of the page alone. */
type MoveWords =
  | { key: "bid" | "show"; bid: string; dice?: string }
  | { key: "call" | "claim" | "double" | "declare"; label: string }
  | { key: Answer | Direction | RoundKind | "pass" | "challenge_pass" | "direction" | "reroll" | "silence" };

/** How likely a bid is true or a call right, empty for other moves. */
export function chanceWords(move: PlayerAction | null, chance: number | null): string {
  if (chance === null) return "";
  return t(move?.type.startsWith("bid") ? "move.true" : "move.right", { p: formatProbability(chance) });
}

/** The words of a move; null is silence. */
export function moveWords(rules: Ruleset | undefined, move: PlayerAction | null): MoveWords {
  switch (move?.type) {
    case "bid":
      return { key: "bid", bid: formatBid(rules, bidPair(move)) };
    case "bid_and_show":
      return { key: "show", bid: formatBid(rules, bidPair(move.bid)), dice: formatDice(move.shown.length) };
    case "challenge":
      return { key: move.double ? "double" : "call", label: callLabel(rules, "challenge") };
    case "exact":
      return { key: "call", label: callLabel(rules, "exact") };
    case "claim_exact":
      return { key: "claim", label: callLabel(rules, "exact") };
    case "declare_special":
      return { key: "declare", label: callLabel(rules, "special_round") };
    case "answer_double":
      return { key: move.answer };
    case "choose_kind":
      return { key: move.kind };
    case "pass":
    case "reroll":
    case "challenge_pass":
      return { key: move.type };
    case "set_direction":
      return { key: move.direction };
    case "penalise":
      return { key: "direction" };
    case undefined:
      return { key: "silence" };
  }
}

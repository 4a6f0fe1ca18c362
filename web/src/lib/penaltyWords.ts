/** What a player is said to have done that costs a penalty. */
import type { PenaltyTrigger } from "./protocol";

/** The keys of the words that say it of another player. */
export const ACCUSED = {
  asks_dice_left: "table.accused.dice",
  asks_whose_turn: "table.accused.turn",
  commits_offence: "table.accused.offence",
} as const satisfies Record<PenaltyTrigger, string>;

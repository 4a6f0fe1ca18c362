/** What a player is said to have done that costs a penalty. */
import { t } from "./i18n.svelte";
import type { PenaltyTrigger } from "./protocol";

/** The keys of the words that say it of another player. */
const ACCUSED = {
  asks_dice_left: "table.accused.dice",
  asks_whose_turn: "table.accused.turn",
  commits_offence: "table.accused.offence",
} as const satisfies Record<PenaltyTrigger, string>;

/** What a player is said to have done, in the words of the table if they name it. */
export function accusedText(trigger: PenaltyTrigger, offence: string | undefined, name: string): string {
  return offence ? t("table.accused.own", { name, offence }) : t(ACCUSED[trigger], { name });
}

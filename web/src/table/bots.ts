/** The bots as players know them: what they are called, and how they play. */
import { t, type Key } from "../lib/i18n.svelte";

/** As the server knows them, from the strongest to the wildest. */
export const BOTS = [
  "champion",
  "sharp",
  "regular",
  "novice",
  "inference",
  "threshold:0.4",
  "greedy",
  "random",
] as const;
const KNOWN: readonly string[] = BOTS.map(kind);

function kind(bot: string): string {
  return bot.split(":")[0] ?? bot;
}

/** "Sharp". */
export function botName(bot: string): string {
  return KNOWN.includes(kind(bot)) ? t(`table.bot.${kind(bot)}` as Key) : kind(bot);
}

/** "also reads what the others bid", "" for a bot that this page does not know. */
export function botHow(bot: string): string {
  return KNOWN.includes(kind(bot)) ? t(`table.bot_how.${kind(bot)}` as Key) : "";
}

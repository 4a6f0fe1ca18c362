/** The bots as players know them: what they are called, and how they play. */
import { t, type Key } from "../lib/i18n.svelte";

/** As the server knows them, from the strongest to the wildest. */
export const BOTS = [
  "champion",
  "champion:cautious",
  "champion:bold",
  "champion:trusting",
  "champion:suspicious",
  "sharp",
  "regular",
  "novice",
  "inference",
  "threshold:0.4",
  "greedy",
  "random",
] as const;
const KNOWN: readonly string[] = BOTS.map(kind);

/** What its words go by: a champion's temper, else the name without its parameter. */
function kind(bot: string): string {
  const [name = bot, more] = bot.split(":");
  return name === "champion" && more !== undefined ? more : name;
}

/** "Sharp". */
export function botName(bot: string): string {
  return KNOWN.includes(kind(bot)) ? t(`table.bot.${kind(bot)}` as Key) : bot;
}

/** "also reads what the others bid", "" for a bot that this page does not know. */
export function botDescription(bot: string): string {
  return KNOWN.includes(kind(bot)) ? t(`table.bot_how.${kind(bot)}` as Key) : "";
}

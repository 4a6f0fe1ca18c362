/** Names and descriptions of bots for players. */
import { t, type Key } from "../lib/i18n.svelte";

/** The bots that a host can add, as the server names them; strongest first. */
export const BOTS = [
  "master",
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
const KNOWN: readonly string[] = BOTS.map(labelKey);

/** The last part of a bot's keys in the words: the temper of a champion, else the name without its parameter. */
function labelKey(bot: string): string {
  const [name = bot, parameter] = bot.split(":");
  return name === "champion" && parameter !== undefined ? parameter : name;
}

/** The name of a bot, for example "Sharp". Bots unknown to the page keep the name that the server uses. */
export function botName(bot: string): string {
  return KNOWN.includes(labelKey(bot)) ? t(`table.bot.${labelKey(bot)}` as Key) : bot;
}

/** How a bot plays, in a few words; "" if the page does not know it. */
export function botDescription(bot: string): string {
  return KNOWN.includes(labelKey(bot)) ? t(`table.bot_how.${labelKey(bot)}` as Key) : "";
}

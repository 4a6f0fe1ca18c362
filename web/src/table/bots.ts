/** The bots as players know them: how they play, from the strongest to the wildest. */
import { t, type Key } from "../lib/i18n.svelte";
import type { PlayerSeen } from "../lib/protocol";

export const BOTS = ["inference", "threshold", "greedy", "random"] as const;

export function botName(bot: string): string {
  const name = bot.split(":")[0] ?? bot;
  return (BOTS as readonly string[]).includes(name) ? t(`table.bot.${name}` as Key) : name;
}

export function isBot(player: PlayerSeen): boolean {
  return (player.bot ?? null) !== null;
}

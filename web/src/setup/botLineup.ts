/** The bots of a new table by their strength. */

/** The choices of a player. */
export const STRENGTHS = [
  "novice",
  "regular",
  "sharp",
  "champion",
  "master",
  "cautious",
  "bold",
  "trusting",
  "suspicious",
  "tempers",
  "mixed",
] as const;
export type Strength = (typeof STRENGTHS)[number];

const BOT_NAMES: Record<Strength, readonly [string, ...string[]]> = {
  novice: ["novice"],
  regular: ["regular"],
  sharp: ["sharp"],
  champion: ["champion"],
  master: ["master"],
  cautious: ["champion:cautious"],
  bold: ["champion:bold"],
  trusting: ["champion:trusting"],
  suspicious: ["champion:suspicious"],
  tempers: ["champion:bold", "champion:suspicious", "champion:cautious", "champion:trusting"],
  mixed: ["champion", "regular", "sharp", "novice"],
};

/** The names of `count` bots on the server. */
export function lineup(strength: Strength, count: number): string[] {
  const names = BOT_NAMES[strength];
  return Array.from({ length: count }, (_, index) => names[index % names.length] ?? names[0]);
}

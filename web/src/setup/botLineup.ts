/** Bots by how strong they are, as people say it. */
export const STRENGTHS = [
  "novice",
  "regular",
  "sharp",
  "champion",
  "cautious",
  "bold",
  "trusting",
  "suspicious",
  "tempers",
  "mixed",
] as const;
export type Strength = (typeof STRENGTHS)[number];

const SPECS: Record<Strength, readonly [string, ...string[]]> = {
  novice: ["novice"],
  regular: ["regular"],
  sharp: ["sharp"],
  champion: ["champion"],
  cautious: ["champion:cautious"],
  bold: ["champion:bold"],
  trusting: ["champion:trusting"],
  suspicious: ["champion:suspicious"],
  tempers: ["champion:bold", "champion:suspicious", "champion:cautious", "champion:trusting"],
  mixed: ["champion", "regular", "sharp", "novice"],
};

/** So many bots as the server knows them. */
export function lineup(strength: Strength, count: number): string[] {
  const specs = SPECS[strength];
  return Array.from({ length: count }, (_, place) => specs[place % specs.length] ?? specs[0]);
}

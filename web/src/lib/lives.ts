/** Lives, which losses cost in some rules instead of dice, and how a table counts them (`core/rules/meaning.py`). */
import type { Ruleset } from "./gameTypes";

/** The number of lives at the start where they never run out, as `core/rules/parts.py` has it. */
const UNLIMITED_LIVES = 1e12;

/** The number of lives that each player starts with, null if losses cost dice. */
export function startingLives(rules: Ruleset | undefined): number | null {
  const lives = rules?.loss.lives;
  return lives === "unlimited" ? UNLIMITED_LIVES : (lives ?? null);
}

/** Whether the table counts the lives that are lost, from none upwards, and not those that are left. */
export function countsTaken(rules: Ruleset | undefined): boolean {
  return rules?.loss.lives === "unlimited" || (Boolean(rules?.loss.lives) && rules?.loss.tally === "taken");
}

/** The number that is shown at the table for a player with `left` dice or lives. */
export function shownStakes(rules: Ruleset | undefined, left: number): number {
  return countsTaken(rules) ? (startingLives(rules) ?? 0) - left : left;
}

/** A change of what the table shows, with its sign: "−1" for a die that is lost, "+1" for a drink that is taken. */
export function signedChange(rules: Ruleset | undefined, lost: number): string {
  return `${lost > 0 === countsTaken(rules) ? "+" : "−"}${String(Math.abs(lost))}`;
}

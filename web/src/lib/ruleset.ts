/** What the page reads from rules: names for their types, faces of dice, lives, and the face-off. */
import type { PlayerAction, Ruleset } from "./protocol";

export type { GameEvent, Ruleset, Verdict } from "./protocol";

/** A bid as [quantity, face], with true if it is pure: without wild dice (zhai). */
export type BidPair = [quantity: number, face: number, pure?: boolean];

/** The most seats at a table, as `server/table/table_config.py` has it. */
export const MAX_SEATS = 20;

/** Whether two moves are the same: null is silence, undefined no move at all. */
export function isSameMove(one: PlayerAction | null | undefined, other: PlayerAction | null | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A bid of an event as a pair. */
export function bidPair({ quantity, face, pure }: { quantity: number; face: number; pure?: boolean }): BidPair {
  return pure ? [quantity, face, true] : [quantity, face];
}

/** The number of lives at the start where they never run out, as `core/rules/parts.py` has it. */
const UNLIMITED_LIVES = 1e12;

/** The number of lives that each player starts with, null if losses cost dice. */
export function startingLives(rules: Ruleset | undefined): number | null {
  const lives = rules?.loss.lives;
  return lives === "unlimited" ? UNLIMITED_LIVES : (lives ?? null);
}

/** Whether winners put dice or lives away, of which everybody wants to get rid. */
export function sheds(rules: Ruleset | undefined): boolean {
  return Boolean(rules?.loss.shed_by);
}

/** Whether the table counts the lives that are lost, from none upwards, and not those that are left. */
export function countsTaken(rules: Ruleset | undefined): boolean {
  return rules?.loss.lives === "unlimited" || (Boolean(rules?.loss.lives) && rules?.loss.tally === "taken");
}

/** The number that is shown at the table for a player with `left` dice or lives. */
export function shownStakes(rules: Ruleset | undefined, left: number): number {
  return countsTaken(rules) ? (startingLives(rules) ?? 0) - left : left;
}

/** How many lives each player puts into the pot of a round, 0 without a pot (`ante_of` of the package). */
export function anteOf(rules: Ruleset | undefined): number {
  return typeof rules?.loss.lives === "number" ? (rules.loss.ante ?? 0) : 0;
}

/** A change of what the table shows, with its sign: "−1" for a die that is lost, "+1" for a drink that is taken. */
export function signedChange(rules: Ruleset | undefined, lost: number): string {
  return `${lost > 0 === countsTaken(rules) ? "+" : "−"}${String(Math.abs(lost))}`;
}

/** The face of a bid on the sum of all dice in play. */
export const SUM_FACE = 0;

/** Whether a round that opens with these numbers of dice by seat is a face-off. */
export function isFaceOff(rules: Ruleset | undefined, dice: readonly number[]): boolean {
  const held = dice.filter((count) => count > 0);
  return rules?.bidding.face_off === "sum" && held.length === 2 && held.every((count) => count === 1);
}

/** The number of faces of a seat's dice (`Dice.faces_at` of the package). */
export function facesAt(rules: Ruleset, seat: number): number {
  return rules.dice.faces_by_seat?.[seat] ?? rules.dice.faces;
}

/** How many of the dice of a hand count twice: its first ones (`Dice.double_count`). */
export function doubleDice(rules: Ruleset | undefined, held: number): number {
  if (!rules?.dice.double) return 0;
  const lost = rules.dice.double_lost === "first" ? Math.max(rules.dice.per_player - held, 0) : 0;
  return Math.min(Math.max(rules.dice.double - lost, 0), held);
}

/** The number of faces of a seat's dice, null if all dice have as many. */
export function facesIfMixed(rules: Ruleset | undefined, seat: number): number | null {
  return rules?.dice.faces_by_seat ? facesAt(rules, seat) : null;
}

/** The rules' word for the face of one pip, if that is the special face: dice may show a sign in place of the pip. */
export function wordOfOnes(rules: Ruleset | undefined): string | undefined {
  return rules?.dice.special_face === 1 ? (rules.labels.special_face ?? undefined) : undefined;
}

/** How many dice each player held over a match, as steps to draw. */
import { shownStakes } from "../lib/lives";
import type { Ruleset } from "../lib/gameTypes";

/** The numbers that the table shows for what was left, by round and seat. */
export function shownRows(rules: Ruleset | undefined, left: readonly (readonly number[])[]): number[][] {
  return left.map((row) => row.map((count) => shownStakes(rules, count)));
}

/**
 * The path of a seat's dice over the rounds: `x` and `y` give the place of a row and of a number of dice. `out`: the
 * round in which the path ends, null if it goes to the last.
 */
export function dicePath(
  rows: readonly (readonly number[])[],
  seat: number,
  out: number | null,
  x: (row: number) => number,
  y: (dice: number) => number,
): string {
  const held = rows.map((row) => row[seat] ?? 0);
  const shown = out === null ? held : held.slice(0, out + 1);
  return shown
    .map((dice, row) => (row === 0 ? `M${round(x(0))} ${round(y(dice))}` : `H${round(x(row))}V${round(y(dice))}`))
    .join("");
}

/** The most dice that anybody held. */
export function mostDice(rows: readonly (readonly number[])[]): number {
  return Math.max(1, ...rows.flat());
}

/** The round in which a seat lost its last die, null if it never did. */
export function outInRound(rows: readonly (readonly number[])[], seat: number): number | null {
  const row = rows.findIndex((dice) => dice[seat] === 0);
  return row < 0 ? null : row;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

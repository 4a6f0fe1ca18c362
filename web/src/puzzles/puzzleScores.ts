/** Which puzzles were found, and on which days: kept in this browser only. */
import { loadLocal, saveLocal } from "../lib/storage";
import { dayNumber, puzzleKey, type Puzzle, type Theme } from "./puzzleFile";

/** `days`: whether the puzzle of a day was found, by its number. `tries`: whether a puzzle was at the first try. */
export interface PuzzleScores {
  days: Record<string, boolean>;
  tries: Record<string, boolean>;
  best: number;
}

const KEY = "puzzles";

export function loadScores(): PuzzleScores {
  try {
    const { days, tries, best } = JSON.parse(loadLocal(KEY) ?? "{}") as Record<keyof PuzzleScores, unknown>;
    return { days: flags(days), tries: flags(tries), best: Number.isInteger(best) ? Number(best) : 0 };
  } catch {
    return { days: {}, tries: {}, best: 0 };
  }
}

/** The entries of a stored object that are true or false; none of anything else. */
function flags(stored: unknown): Record<string, boolean> {
  const entries = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"));
}

/** The scores with a puzzle, of a day if one is given; only first tries count. */
export function withAnswer(scores: PuzzleScores, puzzle: Puzzle, right: boolean, day: Date | null): PuzzleScores {
  const days = day ? { [dayNumber(day)]: right, ...scores.days } : scores.days;
  const next = { days, tries: { [puzzleKey(puzzle)]: right, ...scores.tries }, best: scores.best };
  return day ? { ...next, best: Math.max(next.best, streak(next, day)) } : next;
}

export function saveScores(scores: PuzzleScores): void {
  saveLocal(KEY, JSON.stringify(scores));
}

/** The days in a row, up to this day or the one before it, on which the puzzle was found. */
export function streak({ days }: PuzzleScores, day: Date): number {
  const today = dayNumber(day);
  const last = today in days ? today : today - 1;
  let count = 0;
  while (days[last - count]) count += 1;
  return count;
}

/** How many puzzles of a theme were tried, and found at the first try. */
export function themeScore(
  scores: PuzzleScores,
  puzzles: readonly Puzzle[],
  theme: Theme,
): [right: number, of: number] {
  const tries = puzzles.filter((puzzle) => puzzle.theme === theme).map((puzzle) => scores.tries[puzzleKey(puzzle)]);
  const done = tries.filter((right) => right !== undefined);
  return [done.filter(Boolean).length, done.length];
}

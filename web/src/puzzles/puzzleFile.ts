/** The puzzles of the package: the file of `analysis/puzzles`, one puzzle a line after a header. */
import type { Ruleset } from "../lib/gameTypes";
import url from "../../../src/liarsdice/analysis/puzzles/puzzles.jsonl?url";

export const THEMES = ["challenge", "raise", "bluff", "exact", "special", "opening"] as const;
export type Theme = (typeof THEMES)[number];

export interface BidMove {
  type: "bid";
  quantity: number;
  face: number;
}
export type PuzzleMove = BidMove | { type: "challenge" } | { type: "exact" };

/** A move that is offered; see `OfferedMove` in `analysis/puzzles/puzzle.py`. */
export interface OfferedMove {
  move: PuzzleMove;
  value: number;
  behind: number;
  error: number;
  p_right: number;
}

/** How many dice of a seat count for the standing bid, before and after its bids. */
export interface HeldCounts {
  seat: number;
  before: number[];
  after: number[];
}

/** A puzzle; see `Puzzle` in `analysis/puzzles/puzzle.py`. */
export interface Puzzle {
  rules: string;
  seed: number;
  match: number;
  decision: number;
  theme: Theme;
  certificate: "solved" | "playouts";
  deals: number;
  dice: number[];
  seat: number;
  hand: number[];
  bids: [number, BidMove][];
  wilds_count: boolean;
  special_seat: number | null;
  moves: OfferedMove[];
  counts: HeldCounts[];
  p_true_by_dice: number | null;
}

/** The puzzles and their rules by name. */
export interface PuzzleFile {
  rules: Record<string, Ruleset>;
  puzzles: Puzzle[];
}

/** Fetches the puzzles. Throws if there is neither a network nor a copy in the browser. */
export async function loadPuzzles(): Promise<PuzzleFile> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`no puzzles: ${response.status}`);
  return parsePuzzles(await response.text());
}

export function parsePuzzles(text: string): PuzzleFile {
  const [header = "{}", ...lines] = text.trimEnd().split("\n");
  const { rules } = JSON.parse(header) as Pick<PuzzleFile, "rules">;
  return { rules, puzzles: lines.map((line) => JSON.parse(line) as Puzzle) };
}

/** The name of a puzzle among all, also in later versions of the file. */
export function puzzleKey({ rules, seed, match, decision }: Puzzle): string {
  return `${rules}/${seed}/${match}/${decision}`;
}

/** The moves as they are offered: calls first, then bids from low to high. */
export function choicesOf({ moves }: Puzzle): OfferedMove[] {
  const place = ({ move }: OfferedMove): number =>
    move.type === "challenge" ? 0 : move.type === "exact" ? 1 : 2 + 100 * move.quantity + move.face;
  return [...moves].sort((a, b) => place(a) - place(b));
}

const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 60 * 60 * 1000;

/** A date of the player's calendar as the days since the first puzzle. */
export function dayNumber(date: Date): number {
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - FIRST_DAY) / DAY_MS);
}

/** The number (from 0) of the puzzle of a date: the same one as `liarsdice puzzles` asks. */
export function dailyNumber(date: Date, count: number): number {
  return ((dayNumber(date) % count) + count) % count;
}

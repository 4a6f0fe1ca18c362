/** The puzzles: their file, their words, and what a player scored. */
import rate from "glicko2-lite";
import type { MoveRow } from "../components/MoveTable.svelte";
import { chanceWords } from "../lib/moves";
import type { Bid, OfferedMove, Puzzle, Theme } from "../lib/protocol";
import type { Ruleset } from "../lib/ruleset";
import url from "../../../src/liarsdice/analysis/puzzles/puzzles.jsonl?url";
import { whyBest } from "../lib/reasonText";
import { loadLocal, saveLocal } from "../lib/storage";
import { callLabel, capitalize, faceName, formatBid } from "../lib/formatting";
import { i18n, t } from "../lib/i18n.svelte";
import type { Key } from "../words/wordFiles";
import { translateLabel } from "../lib/labels";

export const THEMES = ["challenge", "raise", "bluff", "exact", "special", "opening"] as const satisfies Theme[];

type PuzzleMove = OfferedMove["move"];

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

/** The name of a rule sheet in words: "Classic Liar's Dice: Exact call (calza)", by a name such as classic+calza. */
export function rulesTitle(name: string, { labels }: Ruleset): string {
  const game = translateLabel(labels.game);
  const options = name.split("+").slice(1);
  if (options.length === 0) return game;
  return `${game}: ${options.map((option) => t(`option.${option.replaceAll("-", "_")}` as Key)).join(", ")}`;
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

/** `days`: whether the puzzle of a day was found, by its number. `tries`: whether puzzles were at first, oldest first. */
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
  const key = puzzleKey(puzzle);
  const next = { ...scores, days, tries: { ...scores.tries, [key]: scores.tries[key] ?? right } };
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

/** How strong a player is, by Glicko-2, with half of its 95% interval. */
export interface PlayerRating {
  rating: number;
  error: number;
}

const START_RATING = 1500;
const START_DEVIATION = 350;
const START_VOLATILITY = 0.06;
const RATING_SPREAD = 600;
/** The deviation of a puzzle's rating: bots tell only roughly how hard a puzzle is for people. */
const PUZZLE_DEVIATION = 100;

/** The rating of a puzzle, by the share of the bots that miss it. */
export function puzzleRating({ missed: [missed, asked] }: Puzzle): number {
  return START_RATING + RATING_SPREAD * (missed / asked - 0.5);
}

/** The rating after all first tries, one after the other; null before the first one. */
export function playerRating({ tries }: PuzzleScores, puzzles: readonly Puzzle[]): PlayerRating | null {
  const byKey = new Map(puzzles.map((puzzle) => [puzzleKey(puzzle), puzzle]));
  let player = { rating: START_RATING, rd: START_DEVIATION, vol: START_VOLATILITY };
  let rated = false;
  for (const [key, right] of Object.entries(tries)) {
    const puzzle = byKey.get(key);
    if (!puzzle) continue;
    rated = true;
    player = rate(player.rating, player.rd, player.vol, [[puzzleRating(puzzle), PUZZLE_DEVIATION, Number(right)]]);
  }
  return rated ? { rating: player.rating, error: 1.96 * player.rd } : null;
}

const NAMES = ["Ann", "Bo", "Cy", "Di", "Ed"];

/** The name of a seat: "You", and the others from the left of the player round. */
export function seatName({ seat, dice }: Puzzle, other: number): string {
  if (other === seat) return capitalize(t("word.you"));
  return NAMES[(other - seat - 1 + dice.length) % dice.length] ?? "";
}

/** The seats with dice, from the one to the left of the player round to the player. */
export function seatsInOrder({ seat, dice }: Puzzle): number[] {
  return dice.map((_, step) => (seat + step + 1) % dice.length).filter((other) => (dice[other] ?? 0) > 0);
}

export function bidWords(rules: Ruleset, { quantity, face }: Bid): string {
  return formatBid(rules, [quantity, face]);
}

/** A move as on its button. */
export function moveName(rules: Ruleset, move: PuzzleMove): string {
  return move.type === "bid" ? bidWords(rules, move) : callLabel(rules, move.type);
}

/** A move inside a sentence: calls are quoted, since many end with a sign of their own. */
export function quotedMove(rules: Ruleset, move: PuzzleMove): string {
  return move.type === "bid" ? bidWords(rules, move) : t("puzzles.call", { label: moveName(rules, move) });
}

/** A share of the match in tenths of a point, rounded as in the terminal: halves go up. */
function tenths(share: number): number {
  return Math.floor(1000 * share + 0.5 + 1e-9);
}

/** A share of the match in points, with one decimal. */
export function points(share: number): string {
  return formatTenths(tenths(share));
}

/** By how many points a move is behind the best one: the difference of the figures that are shown. */
export function pointsBehind({ moves }: Puzzle, { value }: OfferedMove): string {
  return formatTenths(tenths(moves[0]?.value ?? value) - tenths(value));
}

function formatTenths(count: number): string {
  return (count / 10).toLocaleString(i18n.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** What each offered move wins, the best one first. */
export function moveRows(rules: Ruleset, puzzle: Puzzle, chosen: OfferedMove): MoveRow[] {
  return puzzle.moves.map((offered, rank) => {
    const { move, value, error, p_right } = offered;
    const behind = t("puzzles.behind", { points: pointsBehind(puzzle, offered) }).replaceAll(" ", "\u00a0");
    return {
      name: capitalize(moveName(rules, move)),
      value,
      error,
      isBest: rank === 0,
      own: offered === chosen ? t("puzzles.chosen") : "",
      odds: chanceWords(move, p_right),
      figure: points(value),
      note: rank === 0 ? "" : `${behind}${error > 0 ? ` ±${points(error)}` : ""}`,
    };
  });
}

/** Why the best move is best, compared with another one. */
export function reason(rules: Ruleset, puzzle: Puzzle): string {
  const { moves, reason: why, seat, dice } = puzzle;
  const [best, other] = [moves[0], moves[why?.other ?? -1]];
  if (!why || !best || !other) return "";
  const narrator = { rules, viewerSeat: seat, names: dice.map((_, place) => seatName(puzzle, place)) };
  return whyBest(why, quotedMove(rules, best.move), quotedMove(rules, other.move), narrator);
}

/** How many bots do not find the best move. */
export function missedWords({ missed: [missed, asked] }: Puzzle): string {
  return t("puzzles.missed", { missed, asked });
}

/** The rating after an answer, and what the answer changed. */
export function ratingWords(before: PlayerRating | null, after: PlayerRating): string {
  const rating = Math.round(after.rating);
  const format = new Intl.NumberFormat(i18n.language, { signDisplay: "always" });
  const change = format.format(rating - Math.round(before?.rating ?? START_RATING)).replace("-", "−");
  return t("puzzles.rating.change", { rating, change });
}

/** What is special about the round, as sentences. */
export function roundNotes(rules: Ruleset, puzzle: Puzzle): string[] {
  const notes: string[] = [];
  if (puzzle.special_seat !== null) notes.push(translateLabel(rules.labels.special_round));
  if (puzzle.special_seat !== null && rules.special_round?.face_locked) notes.push(t("puzzles.locked"));
  if (rules.wilds.special_is_wild) {
    const faces = capitalize(faceName(rules, rules.dice.special_face));
    notes.push(t(puzzle.wilds_count ? "puzzles.wild" : "puzzles.not_wild", { faces }));
  }
  return notes;
}

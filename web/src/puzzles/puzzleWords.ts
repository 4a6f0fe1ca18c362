/** A puzzle in words: its moves, its players, and why the best move is best. */
import { callLabel, capitalize, countWord, faceName, formatBid } from "../lib/formatting";
import type { Ruleset } from "../lib/gameTypes";
import { i18n, t } from "../lib/i18n.svelte";
import type { BidMove, OfferedMove, Puzzle, PuzzleMove } from "./puzzleFile";

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

export function bidWords(rules: Ruleset, { quantity, face }: BidMove): string {
  return formatBid(rules, [quantity, face]);
}

export function moveWords(rules: Ruleset, move: PuzzleMove): string {
  return move.type === "bid" ? bidWords(rules, move) : callLabel(rules, move.type);
}

/** A move inside a sentence: calls are quoted, since many end with a sign of their own. */
export function quotedMove(rules: Ruleset, move: PuzzleMove): string {
  return move.type === "bid" ? bidWords(rules, move) : t("puzzles.call", { label: callLabel(rules, move.type) });
}

/** A probability of 0..1 in per cent; never 0% or 100% for what is merely unlikely. */
export function percent(p: number): string {
  const format = (share: number) => new Intl.NumberFormat(i18n.language, { style: "percent" }).format(share);
  if (p > 0 && p < 0.01) return t("puzzles.under", { p: format(0.01) });
  if (p > 0.99 && p < 1) return t("puzzles.over", { p: format(0.99) });
  return format(p);
}

/** A share of the match in points, with one decimal. */
export function points(share: number): string {
  return (100 * share).toLocaleString(i18n.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** How likely a bid is true or a call right. */
export function rightWords({ move, p_right }: OfferedMove): string {
  return t(move.type === "bid" ? "puzzles.true" : "puzzles.right", { p: percent(p_right) });
}

/** How many own dice count for a bid. */
function ownCount(rules: Ruleset, puzzle: Puzzle, face: number): number {
  const special = rules.dice.special_face;
  return puzzle.hand.filter((die) => die === face || (puzzle.wilds_count && die === special)).length;
}

/** One sentence that says why the best move is best. */
export function reason(rules: Ruleset, puzzle: Puzzle): string {
  const [best] = puzzle.moves;
  const standing = puzzle.bids.at(-1)?.[1];
  if (!best) return "";
  if (best.move.type === "bid") {
    const bid = bidWords(rules, best.move);
    const call = puzzle.moves.find(({ move }) => move.type === "challenge");
    if (!call || !standing) return t("puzzles.why.opening", { bid: capitalize(bid), p: percent(best.p_right) });
    const key = best.p_right > call.p_right ? "puzzles.why.raise" : "puzzles.why.bluff";
    const label = callLabel(rules, "challenge");
    return t(key, { bid: capitalize(bid), p: percent(best.p_right), label, q: percent(call.p_right) });
  }
  if (!standing) return "";
  const own = ownCount(rules, puzzle, standing.face);
  const held = t("puzzles.why.held", { bid: bidWords(rules, standing), own: countWord(own) });
  if (best.move.type === "exact") return `${held} ${t("puzzles.why.exact", { p: percent(best.p_right) })}`;
  const before = percent(puzzle.p_true_by_dice ?? 0);
  return `${held} ${t("puzzles.why.challenge", { before, p: percent(1 - best.p_right) })}`;
}

/** What is special about the round, as sentences. */
export function roundNotes(rules: Ruleset, puzzle: Puzzle): string[] {
  const notes: string[] = [];
  if (puzzle.special_seat !== null && rules.special_round?.face_locked) notes.push(t("puzzles.locked"));
  if (rules.wilds.special_is_wild) {
    const faces = capitalize(faceName(rules, rules.dice.special_face));
    notes.push(t(puzzle.wilds_count ? "puzzles.wild" : "puzzles.not_wild", { faces }));
  }
  return notes;
}

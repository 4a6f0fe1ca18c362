/** What the report of a match says: headline, account of the result, line of chances, and bluffs. */
import { i18n, t } from "../lib/i18n.svelte";
import type { MatchFacts, PlayerParts, DecisionFacts, ResultAccount } from "../lib/protocol";
import { capitalize } from "../lib/formatting";
import { joinNames, say, type Narrator } from "../lib/narrator";
import type { SeatTotals } from "./reviewState.svelte";
import { describeContext, describeMove, formatAmount } from "./decisionWords";

/** Whether a part of a result was good or bad for the player; null if its error leaves that open. */
export function gainStep(gain: number, error: number): "loss" | "gain" | null {
  if (Math.abs(gain) <= error) return null;
  return gain < 0 ? "loss" : "gain";
}

/** A share of a match as points of 100 with a sign: "+44". */
export function formatGain(share: number): string {
  return new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0, signDisplay: "exceptZero" })
    .format(100 * share)
    .replace("-", "−");
}

/** The moves of everybody but one player: those of the only other one by name. */
export function nameOthersMoves(narrator: Narrator, seat: number): string {
  const others = [...narrator.names.keys()].filter((other) => other !== seat);
  const [other = 0] = others;
  return others.length === 1 ? say(narrator, "review.account.own", other) : t("review.account.others");
}

/** A bid above the bidder's own dice. `above`: how many more dice it says than the bidder's hand counts for. */
interface Bluff {
  number: number;
  round: number;
  above: number;
  /** Whether there were enough dice on the table. */
  held: boolean;
}

/** The bids of a seat above its own dice, in order. */
export function findBluffs({ decisions }: MatchFacts, seat: number): Bluff[] {
  return decisions.flatMap(({ number, round_number: round, seat: bidder, move, made_count: count }) => {
    const bid = move?.type === "bid_and_show" ? move.bid : move;
    if (bidder !== seat || !count || bid?.type !== "bid") return [];
    const above = bid.quantity - count.own;
    return above > 0 ? [{ number, round, above, held: count.held }] : [];
  });
}

/** Who won. */
export function resultText(narrator: Narrator, winners: readonly number[]): string {
  const [winner = 0] = winners;
  if (winners.length > 1) return t("review.shared", { players: joinNames(narrator, winners) });
  return say(narrator, "review.won", winner);
}

/** What the decisions cost, and, if that is certain, whether the dice helped the viewer (or the winner). */
export function reasonText(
  narrator: Narrator,
  parts: readonly PlayerParts[] | null,
  totals: readonly SeatTotals[],
  winners: readonly number[],
): string {
  const subject = narrator.viewerSeat ?? winners[0] ?? 0;
  const part = parts?.[subject];
  const step = part ? gainStep(part.luck, part.luck_error) : null;
  const sentences = [
    costText(narrator, totals, subject),
    ...(step ? [say(narrator, `review.dice.${step}`, subject)] : []),
  ];
  return sentences.map((sentence) => `${capitalize(sentence)}.`).join(" ");
}

/** What the decisions of a player cost in the figures of the lists, and those of the other players. */
function costText(narrator: Narrator, totals: readonly SeatTotals[], subject: number): string {
  if (totals.every(({ cost }) => cost === 0)) return t("review.cost.free");
  const amountText = (cost: number): string =>
    cost > 0 ? t("review.amount.points", { points: formatAmount(cost) }) : t("review.amount.none");
  const ownText = say(narrator, "review.cost", subject, { amount: amountText(totals[subject]?.cost ?? 0) });
  const others = totals.filter(({ seat }) => seat !== subject);
  const [other] = others;
  if (!other) return ownText;
  const amount = amountText(others.reduce((sum, { cost }) => sum + cost, 0) / others.length);
  const rest =
    others.length === 1
      ? say(narrator, "review.cost.other", other.seat, { amount })
      : t("review.cost.others", { amount });
  return `${ownText}, ${rest}`;
}

/** The share of the match that a player wins, after a roll or a move. */
export interface LinePoint {
  /** The place on the axis: how many decisions had been made. */
  at: number;
  /** From 0 to 1. */
  share: number;
  round: number;
  cause: ResultAccount["win_line"][number]["cause"];
  /** The move that led here, null for chance. */
  decision: DecisionFacts | null;
}

/** One of the largest changes of a share. `number`: from 1. `from`: the place on the axis of the share `before`. */
export interface TurningPoint extends LinePoint {
  number: number;
  before: number;
  from: number;
}

/** Where the middle of a marker is in the plot, in pixels. */
interface MarkerPlace {
  left: number;
  top: number;
}

/** The width and the height of a marker with a little space, in pixels. */
export const MARKER_PX = 24;

/** The win line of a seat. */
export function linePoints({ win_line: line }: ResultAccount, { decisions }: MatchFacts, seat: number): LinePoint[] {
  const moves = decisions.filter(({ move }) => move !== null).values();
  let at = 0;
  return line.map(({ cause, round_number: round, shares }) => {
    const decision = cause === "move" ? (moves.next().value ?? null) : null;
    at = decision ? decision.number + 1 : at;
    return { at, share: shares[seat] ?? 0, round, cause, decision };
  });
}

/** Where the share of a seat changed most, in the order of the match. */
export function turningPoints(account: ResultAccount, points: readonly LinePoint[], seat: number): TurningPoint[] {
  return (account.turning_points[seat] ?? []).flatMap((place, index) => {
    const [before, point] = [points[place - 1], points[place]];
    return before && point ? [{ ...point, number: index + 1, before: before.share, from: before.at }] : [];
  });
}

/**
 * Where the markers of turning points are in a plot of this size in pixels: each in the middle of its change, or as near
 * above or below as it does not cover one before it. `count`: the length of the axis.
 */
export function markerPlaces(
  turns: readonly TurningPoint[],
  count: number,
  { width, height }: { width: number; height: number },
): MarkerPlace[] {
  const places: MarkerPlace[] = [];
  for (const { from, at, before, share } of turns) {
    const left = (width * (from + at)) / (2 * count);
    const middle = height * (1 - (before + share) / 2);
    const near = places.filter((place) => Math.abs(place.left - left) < MARKER_PX);
    const free = [middle, ...near.flatMap(({ top }) => [top - MARKER_PX, top + MARKER_PX])]
      .filter((top) => top >= 0 && top <= height && near.every((place) => Math.abs(place.top - top) >= MARKER_PX))
      .sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    places.push({ left, top: free[0] ?? middle });
  }
  return places;
}

/** What happened at a turning point: “Bo called “Dudo!” on your four twos: 2 counted”. */
export function turnText(narrator: Narrator, { rounds }: MatchFacts, { cause, decision, round }: TurningPoint): string {
  if (!decision) return t(cause === "roll" || cause === "leaver" ? `review.turn.${cause}` : "review.turn.chance");
  const text = `${describeMove(narrator, decision)} ${describeContext(narrator, decision)}`;
  const count = rounds.find(({ number }) => number === round)?.count;
  const isCall = decision.move?.type === "challenge" || decision.move?.type === "exact";
  return isCall && typeof count === "number" ? t("review.turn.counted", { text, count }) : text;
}

/** The number of the decision that a turning point shows: the move itself, or the next decision after a roll. */
export function turnDecision({ at, decision }: TurningPoint, { decisions }: MatchFacts): number {
  return decision?.number ?? Math.min(decisions.length - 1, at);
}

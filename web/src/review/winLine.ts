/** The win line of one player, on the same axis as the decisions of the match. */
import { t } from "../lib/i18n.svelte";
import type { Narrator } from "../lib/narrator";
import type { DecisionFacts, MatchFacts, ResultAccount } from "../lib/protocol";
import { describeContext, describeMove } from "./decisionWords";

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

/** One of the largest changes of a share. `number`: from 1. */
export interface TurningPoint extends LinePoint {
  number: number;
  before: number;
}

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
    return before && point ? [{ ...point, number: index + 1, before: before.share }] : [];
  });
}

/** What happened at a turning point: “Bo called “Dudo!” on your four twos: 2 counted”. */
export function turnText(narrator: Narrator, { rounds }: MatchFacts, { cause, decision, round }: TurningPoint): string {
  if (!decision) return t(cause === "roll" ? "review.turn.roll" : "review.turn.chance");
  const text = `${describeMove(narrator, decision)} ${describeContext(narrator, decision)}`;
  const count = rounds.find(({ number }) => number === round)?.count;
  const isCall = decision.move?.type === "challenge" || decision.move?.type === "exact";
  return isCall && typeof count === "number" ? t("review.turn.counted", { text, count }) : text;
}

/** The number of the decision that a turning point shows: the move itself, or the next decision after a roll. */
export function turnDecision({ at, decision }: TurningPoint, { decisions }: MatchFacts): number {
  return decision?.number ?? Math.min(decisions.length - 1, at);
}

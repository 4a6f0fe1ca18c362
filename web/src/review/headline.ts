/** The result of a match in one line: who won, how kind the dice were, and what the moves cost. */
import { t } from "../lib/i18n.svelte";
import { capitalize } from "../lib/formatting";
import { joinNames, say, type Narrator } from "../lib/narrator";
import type { PlayerParts } from "../lib/protocol";
import type { SeatTotals } from "./reviewState.svelte";

/** From which cost of a decision on, at two seats, moves cost something, or a lot: bots at `novice` give away 0.033. */
const SOME = 0.015;
const MUCH = 0.03;

/** From how many times the cost of a decision on, costs of one size are told apart. */
const FAR_APART = 2;

/** Who won. */
export function resultText(narrator: Narrator, winners: readonly number[]): string {
  const [winner = 0] = winners;
  if (winners.length > 1) return t("review.shared", { players: joinNames(narrator, winners) });
  return say(narrator, "review.won", winner);
}

/** How kind the dice were to the viewer (or the winner), and what the moves cost; parts that are not known are left out. */
export function reasonText(
  narrator: Narrator,
  parts: readonly PlayerParts[] | null,
  totals: readonly SeatTotals[] | null,
  winners: readonly number[],
): string {
  const subject = narrator.viewerSeat ?? winners[0] ?? 0;
  const step = parts?.[subject]?.dice;
  const clauses = [
    ...(step ? [say(narrator, `review.dice.${step}`, subject)] : []),
    totals && costText(narrator, totals, subject),
  ];
  return `${capitalize(clauses.filter(Boolean).join("; "))}.`;
}

/** What the moves of a player cost, and those of the other players. */
function costText(narrator: Narrator, totals: readonly SeatTotals[], subject: number): string {
  const seats = narrator.names.length;
  const others = totals.filter(({ seat }) => seat !== subject);
  if (totals.every(({ cost }) => cost === 0)) return t("review.cost.free");
  const [own, theirs] = [costRate(totals.slice(subject, subject + 1), seats), costRate(others, seats)];
  const [first, second] = [amountStep(own), amountStep(theirs)];
  const amount = t(`review.amount.${first === second ? comparison(own, theirs) : second}`);
  const ownText = say(narrator, "review.cost", subject, { amount: t(`review.amount.${first}`) });
  const [other] = others;
  if (!other) return ownText;
  const rest =
    others.length === 1
      ? say(narrator, "review.cost.other", other.seat, { amount })
      : t("review.cost.others", { amount });
  return `${ownText}, ${rest}`;
}

/** How much a decision of players costs on average. At more seats, less of the match is at stake in each. */
function costRate(totals: readonly SeatTotals[], seats: number): number {
  const cost = totals.reduce((sum, each) => sum + each.cost, 0);
  const decisions = totals.reduce((sum, each) => sum + each.decisions, 0);
  return (cost / Math.max(1, decisions)) * (seats / 2);
}

/** How others' costs compare with the own ones, which are of the same size. */
function comparison(own: number, theirs: number): "same" | "more" | "less" {
  if (theirs >= FAR_APART * own) return "more";
  return own >= FAR_APART * theirs ? "less" : "same";
}

function amountStep(rate: number): "none" | "little" | "some" | "much" {
  if (rate === 0) return "none";
  if (rate < SOME) return "little";
  return rate < MUCH ? "some" : "much";
}

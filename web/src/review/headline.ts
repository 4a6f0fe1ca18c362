/** The result of a match in one line: who won, how kind the dice were, and what the moves cost. */
import { t } from "../lib/i18n.svelte";
import { capitalize } from "../lib/formatting";
import { joinNames, say, type Narrator } from "../lib/narrator";
import type { PlayerParts } from "../lib/protocol";
import type { SeatTotals } from "./reviewState.svelte";

/** From which cost of a decision on, at two seats, moves cost something, or a lot: bots at `novice` give away 0.033. */
const SOME = 0.015;
const MUCH = 0.03;

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
  const [first, second] = [amountStep(totals.slice(subject, subject + 1), seats), amountStep(others, seats)];
  const amount = t(first === second ? "review.amount.same" : `review.amount.${second}`);
  const ownText = say(narrator, "review.cost", subject, { amount: t(`review.amount.${first}`) });
  const [other] = others;
  if (!other) return ownText;
  const rest =
    others.length === 1
      ? say(narrator, "review.cost.other", other.seat, { amount })
      : t("review.cost.others", { amount });
  return `${ownText}, ${rest}`;
}

/** How much the decisions of players cost on average. At more seats, less of the match is at stake in each. */
function amountStep(totals: readonly SeatTotals[], seats: number): "none" | "little" | "some" | "much" {
  const cost = totals.reduce((sum, each) => sum + each.cost, 0);
  const decisions = totals.reduce((sum, each) => sum + each.decisions, 0);
  const rate = (cost / Math.max(1, decisions)) * (seats / 2);
  if (cost === 0) return "none";
  if (rate < SOME) return "little";
  return rate < MUCH ? "some" : "much";
}

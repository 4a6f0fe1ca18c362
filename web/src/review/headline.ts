/** The result of a match in one line: who won, and what the moves cost. */
import { t } from "../lib/i18n.svelte";
import { joinNames, say, type Narrator } from "../lib/narrator";
import { formatPoints } from "./decisionWords";
import type { SeatTotals } from "./reviewState.svelte";

/** Who won. */
export function resultText(narrator: Narrator, winners: readonly number[]): string {
  const [winner = 0] = winners;
  if (winners.length > 1) return t("review.shared", { players: joinNames(narrator, winners) });
  return say(narrator, "review.won", winner);
}

/** What the moves of the viewer (or of the winner) cost, and those of the player who gave away most. */
export function costText(narrator: Narrator, totals: readonly SeatTotals[], winners: readonly number[]): string {
  const subject = narrator.viewerSeat ?? winners[0] ?? 0;
  const others = totals.filter(({ seat }) => seat !== subject).sort((a, b) => b.cost - a.cost);
  const [most] = others;
  const own = say(narrator, "review.cost", subject, { points: pointsText(totals[subject]?.cost ?? 0) });
  if (!most) return `${own}.`;
  return `${own}, ${say(narrator, "review.cost.more", most.seat, { points: pointsText(most.cost) })}.`;
}

function pointsText(cost: number): string {
  const n = formatPoints(cost);
  return n === formatPoints(0) ? t("review.nothing") : t("review.points", { n });
}

/** What a seat says that is no bid. */
import type { BoardState } from "../board/boardState.svelte";
import { callLabel } from "../lib/formatting";
import { t } from "../lib/i18n.svelte";

/** The word of the call of a seat in a reveal, or of its pass of the standing bid; null if it says neither. */
export function saidWord(board: BoardState, seat: number): string | null {
  const verdict = board.mode === "reveal" ? board.reveal.verdict : null;
  if (verdict?.caller === seat) return callLabel(board.narrator.rules, verdict.exact ? "exact" : "challenge");
  const passes = board.mode === "bidding" ? (board.table.match?.passes ?? []) : [];
  const passed =
    verdict?.reveal.pass_hand === undefined
      ? passes.some(([passer, bidCount]) => passer === seat && bidCount === board.bids.length)
      : verdict.bidder === seat;
  return passed ? t("table.pass.said") : null;
}

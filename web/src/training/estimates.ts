/** Estimates at a training table: fetching them, and choosing what the panel shows. */
import { getJson } from "../lib/http";
import type { MoveWorth, TrainingResponse } from "../lib/protocol";
import { isSameMove } from "../lib/ruleset";

/** The most moves that are listed besides calls. */
const MAX_BIDS_LISTED = 6;

/** Yields the estimates for the viewer's seat: a quick answer first, then the more certain one. Throws `ApiError`. */
export async function* fetchEstimates(code: string, signal: AbortSignal): AsyncGenerator<TrainingResponse> {
  const path = `/api/tables/${encodeURIComponent(code)}/training`;
  const first = await getJson<TrainingResponse>(`${path}?quick=true`, signal);
  yield first;
  if (first.source === "playouts") yield await getJson<TrainingResponse>(path, signal);
}

/**
 * The moves to list, by place and value: calls, the best bids, the champion's usual choice, the move that the reason
 * compares, and all that were listed `before` in the same situation. Places count listed moves alone. `inOrder`: keeps
 * the order from before.
 */
export function listedMoves(
  { moves, reason }: Pick<TrainingResponse, "moves" | "reason">,
  before: readonly MoveWorth[] = [],
  inOrder = false,
): MoveWorth[] {
  const usual = usualChoice(moves);
  const compared = reason ? moves[reason.other] : null;
  const placeOf = ({ move }: MoveWorth): number => before.findIndex((other) => isSameMove(other.move, move));
  let bids = 0;
  const listed = moves.filter(
    (worth) =>
      worth.move?.type !== "bid" ||
      ++bids <= MAX_BIDS_LISTED ||
      worth === usual ||
      worth === compared ||
      placeOf(worth) >= 0,
  );
  const sorted = listed
    .map((worth) => ({ ...worth, rank: 1 + listed.filter(({ rank }) => rank < worth.rank).length }))
    .sort((a, b) => a.rank - b.rank || b.value - a.value);
  if (!inOrder) return sorted;
  const place = (worth: MoveWorth): number => (placeOf(worth) + before.length + 1) % (before.length + 1);
  return sorted.sort((a, b) => place(a) - place(b));
}

/** The move that the champion makes most often, null without moves. */
export function usualChoice(moves: readonly MoveWorth[]): MoveWorth | null {
  return moves.reduce<MoveWorth | null>((best, worth) => (worth.played > (best?.played ?? 0) ? worth : best), null);
}

/** The expected count of a distribution in percent by count from 0 up, rounded to tenths. */
export function expectedCount(percents: readonly number[]): number {
  const total = percents.reduce((sum, percent) => sum + percent, 0) || 1;
  const weighted = percents.reduce((sum, percent, count) => sum + percent * count, 0);
  return Math.round((10 * weighted) / total) / 10;
}

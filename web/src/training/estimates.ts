/** Estimates at a training table: fetching them, and choosing what the panel shows. */
import { getJson } from "../lib/http";
import type { MoveWorth, TrainingResponse } from "../lib/protocol";

/** The most moves that are listed besides calls. */
const MAX_BIDS_LISTED = 6;

/** Yields the estimates for the viewer's seat: a quick answer first, then the more certain one. Throws `ApiError`. */
export async function* fetchEstimates(code: string, signal: AbortSignal): AsyncGenerator<TrainingResponse> {
  const path = `/api/tables/${encodeURIComponent(code)}/training`;
  const first = await getJson<TrainingResponse>(`${path}?quick=true`, signal);
  yield first;
  if (first.source === "playouts") yield await getJson<TrainingResponse>(path, signal);
}

/** The best bids and all other moves, the most valuable first. The champion's usual choice is among them. */
export function listedMoves(moves: readonly MoveWorth[]): MoveWorth[] {
  const usual = usualChoice(moves);
  let bids = 0;
  return moves.filter((worth) => worth.move?.type !== "bid" || ++bids <= MAX_BIDS_LISTED || worth === usual);
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

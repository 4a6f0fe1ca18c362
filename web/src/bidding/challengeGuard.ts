/** When a challenge is confirmed by a second tap: where it is almost certainly a mistake. */
import type { PlayerView } from "../lib/protocol";
import type { BidPair } from "../lib/gameTypes";

/** From this probability of the standing bid on, in percent, a challenge is confirmed. */
const NEARLY_CERTAIN = 95;

/** What speaks against a challenge: the own dice prove the bid, or it is nearly certain. */
export type Doubt = "proven" | "likely";

/**
 * What speaks against challenging a bid, null if nothing does. Only tables that show odds and players in their first
 * match are asked; `counts` and `standing_odds` come from the server.
 */
export function doubtAbout(
  own: Pick<PlayerView, "counts" | "standing_odds">,
  bid: BidPair | undefined,
  helped: boolean,
): Doubt | null {
  if (!helped || !bid) return null;
  if (own.counts.length >= bid[0]) return "proven";
  return (own.standing_odds ?? 0) >= NEARLY_CERTAIN ? "likely" : null;
}

/** What a newcomer is advised to do on their turn, by the odds that the server sends. */
import type { PlayerView } from "../lib/protocol";
import type { BidPair } from "../lib/gameTypes";
import type { OfferedBids } from "../bidding/offeredBids";

/** A call, or a bid with its chance in percent. 100 stands for a bid that the own dice prove. */
export type Advice = { type: "call" } | { type: "bid"; bid: BidPair; chance: number };

/** Below this probability in percent, the standing bid is challenged. */
const UNLIKELY = 50;

/** The advice for a turn, null if the server sent no odds. */
export function advise(own: OfferedBids & Pick<PlayerView, "standing_odds" | "challenge">): Advice | null {
  if (own.odds.length !== own.bids.length) return null;
  const chance = own.standing_odds ?? 100;
  if (own.challenge && chance < UNLIKELY) return { type: "call" };
  const best = likeliest(own);
  if (own.challenge && (best === null || 100 - chance > best.chance)) return { type: "call" };
  return best;
}

/** The likeliest bid. Among bids that the own dice prove it is the highest one, which says most. */
function likeliest({ bids, odds }: OfferedBids): (Advice & { type: "bid" }) | null {
  const best = Math.max(...odds);
  const index = best === 100 ? odds.lastIndexOf(best) : odds.indexOf(best);
  const bid = bids[index];
  return bid ? { type: "bid", bid, chance: best } : null;
}

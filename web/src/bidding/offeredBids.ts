/** The bids that the chart offers: all that are not pure, or, as zhai, those that are and those on the special face. */
import type { BidPair } from "../lib/gameTypes";
import type { PlayerView } from "../lib/protocol";

/** Legal bids as [quantity, face], and the odds of each in percent, none where they are not shown. */
export interface OfferedBids {
  bids: BidPair[];
  odds: number[];
}

/** The bids of one kind. Those on the special face are of both kinds, as they are zhai without saying so. */
export function offeredBids(own: PlayerView, zhai: boolean, specialFace: number): OfferedBids {
  const { bids, odds, pure_bids: pureBids = [], pure_odds: pureOdds = [] } = own;
  if (!zhai) return { bids, odds };
  const onSpecial = [...bids.keys()].filter((place) => bids[place]?.[1] === specialFace);
  return {
    bids: [...pureBids, ...onSpecial.flatMap((place) => bids.slice(place, place + 1))],
    odds: [...pureOdds, ...onSpecial.flatMap((place) => odds.slice(place, place + 1))],
  };
}

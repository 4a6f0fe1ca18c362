/** The bids that the chart offers: all that are not pure, or, as zhai, those that are and those on the special face. */
import type { BidPair } from "../lib/gameTypes";
import type { BidRange, PlayerView } from "../lib/protocol";

/** Legal bids as [quantity, face], and the odds of each in percent, none where they are not shown. */
export interface OfferedBids {
  bids: BidPair[];
  odds: number[];
}

/** The bids in ranges, lowest quantity first, and bids of one quantity in the order of the ranges: that of their odds. */
export function bidsIn(ranges: readonly BidRange[]): Required<BidPair>[] {
  const bids = ranges.flatMap(([lowest, highest, face, pure]) =>
    Array.from({ length: highest - lowest + 1 }, (_, above): Required<BidPair> => [lowest + above, face, pure]),
  );
  return bids.sort((a, b) => a[0] - b[0]);
}

/** The bids of one kind. Those on the special face are of both kinds, as they are zhai without saying so. */
export function offeredBids(own: PlayerView, zhai: boolean, specialFace: number): OfferedBids {
  const all = bidsIn(own.bids);
  const hasOdds = own.odds.length === all.length;
  const isOffered = ([, face, pure]: Required<BidPair>): boolean => (zhai ? pure || face === specialFace : !pure);
  return {
    bids: all.filter(isOffered).map(([quantity, face]) => [quantity, face]),
    odds: hasOdds ? own.odds.filter((_, place) => isOffered(all[place] ?? [0, 0, false])) : [],
  };
}

/** A decision of a reviewed match, for tests. */
import type { DecisionFacts } from "../lib/protocol";

/** An opening bid of one die in round 1, with these changes. */
export function decisionFacts(changes: Partial<DecisionFacts>): DecisionFacts {
  return {
    number: 0,
    round_number: 1,
    seat: 0,
    hand: [2, 4],
    bid: null,
    bidder: null,
    wilds_count: true,
    on_turn: true,
    move: { type: "bid", quantity: 1, face: 2 },
    standing_count: null,
    made_count: null,
    ...changes,
  };
}

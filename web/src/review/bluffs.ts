/** The bids of a player that were above their own dice: by how many, and whether they held. */
import type { MatchFacts } from "../lib/protocol";

/** A bid above the bidder's own dice. `above`: how many more dice it says than the bidder's hand counts for. */
export interface Bluff {
  number: number;
  round: number;
  above: number;
  /** Whether there were enough dice on the table. */
  held: boolean;
}

/** The bids of a seat above its own dice, in order. */
export function findBluffs({ decisions }: MatchFacts, seat: number): Bluff[] {
  return decisions.flatMap(({ number, round_number: round, seat: bidder, move, made_count: count }) => {
    const bid = move?.type === "bid_and_show" ? move.bid : move;
    if (bidder !== seat || !count || bid?.type !== "bid") return [];
    const above = bid.quantity - count.own;
    return above > 0 ? [{ number, round, above, held: count.held }] : [];
  });
}

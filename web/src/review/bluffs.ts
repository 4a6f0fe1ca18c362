/** The bids of a player that were above their own dice: by how many, and whether they held. */
import type { MatchFacts } from "../lib/protocol";

/** A bid above the bidder's own dice. `above`: how many more dice it says than the bidder held of it. */
export interface Bluff {
  number: number;
  round: number;
  above: number;
  /** Whether there were enough dice on the table. */
  held: boolean;
}

/** The bids of a seat above its own dice, in order. */
export function findBluffs({ decisions, rounds, ruleset }: MatchFacts, seat: number): Bluff[] {
  const special = ruleset.dice.special_face;
  return decisions.flatMap(({ number, round_number, seat: bidder, hand, move, wilds_count }) => {
    if (bidder !== seat || move?.type !== "bid") return [];
    const hands = rounds.find((round) => round.number === round_number)?.hands ?? [];
    const wild = wilds_count && ruleset.wilds.special_is_wild;
    const count = (dice: readonly number[]): number =>
      dice.filter((face) => face === move.face || (wild && face === special)).length;
    const above = move.quantity - count(hand);
    const total = hands.reduce((sum, dice) => sum + count(dice), 0);
    return above > 0 ? [{ number, round: round_number, above, held: total >= move.quantity }] : [];
  });
}

/** The best moments of a player in a match: what a story would be told about. */
import { bidPair, type BidPair } from "../lib/gameTypes";
import { SUM_FACE } from "../lib/faceOff";
import type { MatchRecord } from "../replay/matchRecord";

interface Found {
  /** Higher for the better one of the same kind. */
  score: number;
  /** The step of the replay that shows it. */
  step: number;
  round: number;
}

/** A called bid that was true although others had to hold most of it; `held` are the player's own dice of it. */
export interface BoldBid extends Found {
  kind: "bold";
  bid: BidPair;
  held: number;
}

/** A right challenge; `count` dice were there. */
export interface CloseDoubt extends Found {
  kind: "doubt";
  bid: BidPair;
  count: number;
}

/** A roll in which all dice show one face. */
export interface EqualRoll extends Found {
  kind: "roll";
  dice: readonly number[];
}

/** A win after `rounds` rounds with a single die. */
export interface Comeback extends Found {
  kind: "comeback";
  rounds: number;
}

export type Moment = BoldBid | CloseDoubt | EqualRoll | Comeback;

const MIN_EQUAL_DICE = 3;
const MIN_OTHERS_DICE = 2;
const MIN_SINGLE_ROUNDS = 2;

/** The moments of a seat in a match that is over, at most one of each kind. */
export function findMoments({ start, events }: MatchRecord, seat: number): Moment[] {
  const best = new Map<Moment["kind"], Moment>();
  const offer = (moment: Moment): void => {
    if (moment.score > (best.get(moment.kind)?.score ?? 0)) best.set(moment.kind, moment);
  };
  let [step, round, singleRounds] = [-1, 0, 0];
  let caller = -1;
  let bidder = -1;
  let exact = false;
  for (const event of events) {
    if (event.type !== "round_ended") step += 1; // as in the timeline of the replay
    switch (event.type) {
      case "round_started":
        round = event.number;
        if (event.dice[seat] === 1 && start.ruleset.dice.per_player > 1) singleRounds += 1;
        break;
      case "dealt": {
        const dice = event.hands[seat] ?? [];
        if (!event.blind?.includes(seat) && dice.length >= MIN_EQUAL_DICE && new Set(dice).size === 1)
          offer({ kind: "roll", score: dice.length, step, round, dice });
        break;
      }
      case "challenged":
      case "exact_called":
        [caller, bidder, exact] = [event.seat, event.bidder, event.type === "exact_called"];
        break;
      case "pass_challenged":
        [caller, bidder, exact] = [-1, -1, false];
        break;
      case "revealed": {
        const bid = bidPair(event.bid);
        const held = event.counted[seat] ?? 0;
        const fromOthers = bid[0] - held;
        const others = event.hands.reduce((sum, hand, index) => sum + (index === seat ? 0 : hand.length), 0);
        if (exact || bid[1] === SUM_FACE) break;
        if (bidder === seat && event.bid_true && fromOthers >= MIN_OTHERS_DICE)
          offer({ kind: "bold", score: fromOthers / Math.max(1, others), step, round, bid, held });
        if (caller === seat && !event.bid_true && event.count > 0)
          offer({ kind: "doubt", score: event.count / bid[0], step, round, bid, count: event.count });
        break;
      }
      case "match_ended":
        if (event.winners.includes(seat) && singleRounds >= MIN_SINGLE_ROUNDS)
          offer({ kind: "comeback", score: singleRounds, step, round, rounds: singleRounds });
        break;
      case "match_started":
      case "starter_rolled":
      case "starter_found":
      case "direction_set":
      case "special_declared":
      case "kind_chosen":
      case "bid_made":
      case "rolled_again":
      case "passed":
      case "doubled":
      case "double_answered":
      case "dice_lost":
      case "dice_gained":
      case "lives_lost":
      case "lives_gained":
      case "eliminated":
      case "penalised":
      case "round_ended":
        break;
    }
  }
  return [...best.values()];
}

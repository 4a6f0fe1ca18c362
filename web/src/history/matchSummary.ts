/** What the list of matches shows of one match, computed from its record. */
import { bidPair, type BidPair, SUM_FACE, type Ruleset } from "../lib/ruleset";
import { type MatchRecord, finalPlaces } from "../replay/matchRecord";
import type { FinishedRecord } from "./matchStore";

interface Found {
  /** Higher for the better one of the same kind. */
  score: number;
  /** The step of the replay that shows it. */
  step: number;
  round: number;
}

/** A called bid that was true although others had to hold most of it; `held` are the player's own dice of it. */
interface BoldBid extends Found {
  kind: "bold";
  bid: BidPair;
  held: number;
}

/** A right challenge; `count` dice were there. */
interface CloseDoubt extends Found {
  kind: "doubt";
  bid: BidPair;
  count: number;
}

/** A roll in which all dice show one face. */
interface EqualRoll extends Found {
  kind: "roll";
  dice: readonly number[];
}

/** A win after `rounds` rounds with a single die. */
interface Comeback extends Found {
  kind: "comeback";
  rounds: number;
}

export type Moment = BoldBid | CloseDoubt | EqualRoll | Comeback;

const MIN_EQUAL_DICE = 3;
const MIN_OTHERS_DICE = 2;
const MIN_SINGLE_ROUNDS = 2;

/** The moments of a seat in a match that is over, at most one of each kind. */
function findMoments({ start, events }: MatchRecord, seat: number): Moment[] {
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
      default:
        break;
    }
  }
  return [...best.values()];
}

/** What the browser knows of a match besides its record. `seat` is the one of this browser's player. */
export interface MatchContext {
  seat: number;
  title: string;
  /** The preset of the rules, "" for house rules. */
  rulesName: string;
  /** The preset that house rules were derived from, "" if unknown. */
  rulesBase: string;
  /** The bots as the server names them, by seat; null for people. */
  bots: readonly (string | null)[];
  /** When the match began, in milliseconds since 1970. */
  playedAt: number;
}

/** A match in the list of this browser. Its record is kept apart. */
export interface KeptMatch extends MatchContext {
  id: string;
  code: string;
  number: number;
  ruleset: Ruleset;
  names: readonly string[];
  /** The place of each seat, 1 for the winners. */
  places: readonly number[];
  /** The seats of people for whom a bot played when they went out or the match ended. */
  standIns: readonly number[];
  rounds: number;
  /** How many calls the player made, and how many of them were right. */
  calls: number;
  rightCalls: number;
  moments: readonly Moment[];
}

/** The list entry of a match. */
export function summarizeMatch(record: FinishedRecord, context: MatchContext): KeptMatch {
  const { start, events, fairness } = record;
  const { seat } = context;
  const reveals = events.flatMap((event, index) =>
    event.type === "revealed" ? [{ event, call: events[index - 1] }] : [],
  );
  const calls = reveals.flatMap(({ event, call }) => {
    if (call?.type === "pass_challenged") return call.seat === seat ? [event.pass_hand === null] : [];
    if ((call?.type !== "challenged" && call?.type !== "exact_called") || call.seat !== seat) return [];
    return [call.type === "challenged" ? !event.bid_true : event.count === event.bid.quantity];
  });
  return {
    ...context,
    id: `${fairness.code}/${fairness.number}/${fairness.commitment}`,
    code: fairness.code,
    number: fairness.number,
    ruleset: start.ruleset,
    names: start.names,
    places: finalPlaces(record),
    standIns: record.standIns,
    rounds: events.filter(({ type }) => type === "round_started").length,
    calls: calls.length,
    rightCalls: calls.filter(Boolean).length,
    moments: findMoments(record, seat),
  };
}

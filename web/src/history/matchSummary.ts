/** What the list of matches shows of one match, computed from its record. */
import type { Ruleset } from "../lib/gameTypes";
import { finalPlaces } from "../replay/finalPlaces";
import { findMoments, type Moment } from "./moments";
import type { FinishedRecord } from "./recordShape";

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

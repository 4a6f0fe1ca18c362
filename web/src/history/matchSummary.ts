/** What the list of matches shows of one match, computed from its record. */
import { startingLives } from "../lib/lives";
import type { Ruleset } from "../lib/gameTypes";
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
    rounds: events.filter(({ type }) => type === "round_started").length,
    calls: calls.length,
    rightCalls: calls.filter(Boolean).length,
    moments: findMoments(record, seat),
  };
}

/** The place of each seat: winners, survivors by their dice or lives, then the others by when they went out. */
export function finalPlaces({ start, events }: FinishedRecord): number[] {
  let round = 0;
  const stakes = start.names.map(() => startingLives(start.ruleset) ?? start.ruleset.dice.per_player);
  const ranks = start.names.map(() => 0);
  for (const event of events) {
    if (event.type === "round_started") round = event.number;
    else if ("left" in event) {
      stakes[event.seat] = event.left;
      const to = "to" in event ? event.to : null;
      if (to !== null) stakes[to] = (stakes[to] ?? 0) + ("lives" in event ? event.lives : event.dice);
    } else if (event.type === "eliminated") ranks[event.seat] = round - 1e6;
    else if (event.type === "match_ended") {
      for (const [seat, rank] of ranks.entries()) if (rank === 0) ranks[seat] = stakes[seat] ?? 0;
      for (const seat of event.winners) ranks[seat] = 1e6;
    }
  }
  return ranks.map((rank) => 1 + ranks.filter((other) => other > rank).length);
}

/** Checks that a record from a file, or an entry of the stored list of matches, has the form that the page can show. */
import type { Ruleset } from "../lib/gameTypes";
import type { Fairness, MatchRecord } from "../replay/matchRecord";
import type { KeptMatch } from "./matchSummary";
import type { Moment } from "./moments";

const MAX_SEATS = 10;
const MAX_NAME_LENGTH = 200;
const MAX_EVENTS = 20_000;

type Check = (value: unknown, seats: number) => boolean;
type Fields = Record<string, Check>;

const isInt: Check = (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1e6;
const isFlag: Check = (value) => typeof value === "boolean";
const isWord: Check = (value) => typeof value === "string" && value.length <= MAX_NAME_LENGTH;
const isSeat: Check = (value, seats) => isInt(value, seats) && (value as number) < seats;
const isBid: Check = (value, seats) => hasFields(value, { quantity: isInt, face: isInt }, seats);

function isMaybe(check: Check): Check {
  return (value, seats) => value === null || check(value, seats);
}

function isOptional(check: Check): Check {
  return (value, seats) => value === undefined || check(value, seats);
}

function isList(check: Check): Check {
  return (value, seats) => Array.isArray(value) && value.length <= 1000 && value.every((item) => check(item, seats));
}

/** A list with an item for each seat. */
function isBySeat(check: Check): Check {
  return (value, seats) => isList(check)(value, seats) && (value as unknown[]).length === seats;
}

const CALL: Fields = { seat: isSeat, bidder: isSeat, bid: isBid };
const LIVES: Fields = { seat: isSeat, lives: isInt, left: isInt, cause: isWord };
const CHANGE: Fields = { seat: isSeat, dice: isInt, left: isInt, cause: isWord };

/** The fields that the page reads of each event. */
const EVENTS: Record<string, Fields> = {
  match_started: { names: isBySeat(isWord), ruleset: (value) => isRuleset(value) },
  starter_rolled: { rolls: isBySeat(isList(isInt)), tied: isList(isSeat) },
  starter_found: { seat: isSeat, method: isWord },
  round_started: { number: isInt, starter: isSeat, dice: isBySeat(isInt), special_seat: isMaybe(isSeat) },
  dealt: { hands: isBySeat(isList(isInt)) },
  direction_set: { seat: isSeat, direction: isWord },
  special_declared: { seat: isSeat },
  kind_chosen: { seat: isSeat, kind: isWord, blind: isList(isSeat) },
  bid_made: { seat: isSeat, bid: isBid, shown: isOptional(isList(isInt)) },
  rolled_again: { seat: isSeat, hand: isList(isInt) },
  challenged: CALL,
  exact_called: CALL,
  passed: { seat: isSeat },
  pass_challenged: { seat: isSeat, passer: isSeat },
  revealed: {
    pass_hand: isOptional(isMaybe(isWord)),
    bid: isBid,
    hands: isBySeat(isList(isInt)),
    marked: isBySeat(isList(isInt)),
    counted: isBySeat(isInt),
    count: isInt,
    bid_true: isFlag,
  },
  dice_lost: { ...CHANGE, to: isMaybe(isSeat) },
  dice_gained: CHANGE,
  lives_lost: { ...LIVES, to: isMaybe(isSeat) },
  lives_gained: LIVES,
  eliminated: { seat: isSeat },
  penalised: {
    seat: isSeat,
    trigger: isWord,
    dice: isInt,
    immediate: isFlag,
    taken: isList(isInt),
    offence: isOptional(isWord),
  },
  round_ended: { number: isInt, next_starter: isSeat },
  match_ended: { winners: isList(isSeat), reason: isWord },
};

const FAIRNESS: Fields = { code: isWord, number: isInt, commitment: isWord, seeds: isBySeat(isWord) };

/** A record of a match that is over, with the seeds of its dice. */
export type FinishedRecord = MatchRecord & { fairness: Fairness };

/** Whether a record is one of a match that is over, with all that the page shows of it. */
export function isFinishedRecord(record: MatchRecord): record is FinishedRecord {
  const { events, fairness, standIns } = record;
  const names: unknown = record.start.names;
  if (!Array.isArray(names) || names.length < 2 || names.length > MAX_SEATS || events.length > MAX_EVENTS) return false;
  if (events.at(-1)?.type !== "match_ended" || !hasFields(fairness, FAIRNESS, names.length)) return false;
  if (!isList(isSeat)(standIns, names.length)) return false;
  return events.every((event, index) => {
    const fields = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined;
    return (
      fields !== undefined &&
      hasFields(event, fields, names.length) &&
      (event.type === "match_started") === (index === 0)
    );
  });
}

const isNumber: Check = (value) => Number.isFinite(value);

/** The fields of a moment, by its kind. */
const FOUND: Fields = { score: isNumber, step: isInt, round: isInt };
const MOMENTS: Record<Moment["kind"], Fields> = {
  bold: { ...FOUND, bid: isBidPair, held: isInt },
  doubt: { ...FOUND, bid: isBidPair, count: isInt },
  roll: { ...FOUND, dice: isList(isInt) },
  comeback: { ...FOUND, rounds: isInt },
};

const KEPT: Fields = {
  id: isWord,
  code: isWord,
  number: isInt,
  seat: isSeat,
  title: isWord,
  rulesName: isWord,
  rulesBase: isWord,
  bots: isBySeat(isMaybe(isWord)),
  playedAt: isNumber,
  ruleset: (value) => isRuleset(value),
  names: isBySeat(isWord),
  places: isBySeat(isInt),
  standIns: isList(isSeat),
  rounds: isInt,
  calls: isInt,
  rightCalls: isInt,
  moments: isList(isMoment),
};

/** An entry of the stored list of matches, null for one that cannot be shown. An older one lacks `standIns`. */
export function readKeptMatch(stored: unknown): KeptMatch | null {
  if (typeof stored !== "object" || stored === null) return null;
  const match = { standIns: [], ...stored } as Partial<KeptMatch>;
  const seats = Array.isArray(match.names) ? match.names.length : 0;
  return hasFields(match, KEPT, seats) ? (match as KeptMatch) : null;
}

function isMoment(value: unknown, seats: number): boolean {
  const kind = typeof value === "object" && value !== null && "kind" in value ? String(value.kind) : "";
  return Object.hasOwn(MOMENTS, kind) && hasFields(value, MOMENTS[kind as Moment["kind"]], seats);
}

/** A bid as a quantity and a face, and perhaps whether it is pure. */
function isBidPair(value: unknown, seats: number): boolean {
  return Array.isArray(value) && value.length >= 2 && isList(isInt)(value.slice(0, 2), seats);
}

function hasFields(value: unknown, fields: Fields, seats: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  const object = value as Record<string, unknown>;
  return Object.entries(fields).every(([name, check]) => check(object[name], seats));
}

function isRuleset(value: unknown): value is Ruleset {
  const isPart: Check = (part) => typeof part === "object" && part !== null;
  return (
    hasFields(value, { dice: isPart, labels: isPart, loss: isPart }, 0) &&
    hasFields((value as Ruleset).dice, { per_player: isInt, faces: isInt, special_face: isInt }, 0) &&
    hasFields(
      (value as Ruleset).labels,
      { game: isWord, challenge: isWord, exact: isWord, special_round: isWord },
      0,
    ) &&
    hasFields((value as Ruleset).labels, { special_face: isMaybe(isWord) }, 0)
  );
}

/** The matches of this browser, in its IndexedDB. All functions throw where the browser has none, as in some private windows. */
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { MAX_SEATS, type Ruleset } from "../lib/ruleset";
import type { MatchRecord, RecordedEvent } from "../replay/matchRecord";
import type { KeptMatch, Moment, MatchContext } from "./matchSummary";
import { loadLocal, saveLocal } from "../lib/storage";
import type { RecordedMatch } from "./historyFile";
import type { DecisionReview, Fairness, ReviewedMatch } from "../lib/protocol";

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
const EVENTS: Record<RecordedEvent["type"], Fields> = {
  match_started: { names: isBySeat(isWord), ruleset: (value) => isRuleset(value) },
  starter_rolled: { rolls: isBySeat(isList(isInt)), tied: isList(isSeat) },
  starter_found: { seat: isSeat, method: isWord },
  round_started: { number: isInt, starter: isSeat, dice: isBySeat(isInt), special_seat: isMaybe(isSeat) },
  dealt: { hands: isBySeat(isList(isInt)) },
  direction_set: { seat: isSeat, direction: isWord },
  special_declared: { seat: isSeat },
  kind_chosen: { seat: isSeat, kind: isWord, blind: isList(isSeat) },
  bid_made: { seat: isSeat, bid: isBid, shown: isOptional(isList(isInt)) },
  rerolled: { seat: isSeat },
  rolled_again: { seat: isSeat, hand: isList(isInt) },
  challenged: CALL,
  exact_called: CALL,
  exact_claimed: { seat: isSeat, bidder: isSeat, bid: isBid },
  passed: { seat: isSeat },
  doubled: CALL,
  double_answered: { seat: isSeat, opponent: isSeat, answer: isWord },
  pass_challenged: { seat: isSeat, passer: isSeat },
  revealed: {
    pass_hand: isOptional(isMaybe(isWord)),
    bid: isBid,
    hands: isBySeat(isList(isInt)),
    marked: isBySeat(isList(isInt)),
    counted: isBySeat(isInt),
    count: isInt,
    bid_true: isFlag,
    claim: isOptional(isFlag),
  },
  dice_lost: { ...CHANGE, to: isMaybe(isSeat) },
  dice_gained: CHANGE,
  lives_lost: { ...LIVES, to: isMaybe(isSeat) },
  lives_gained: LIVES,
  withdrawn: { seat: isSeat },
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
    const fields: Fields | undefined = Object.hasOwn(EVENTS, event.type) ? EVENTS[event.type] : undefined;
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
function readKeptMatch(stored: unknown): KeptMatch | null {
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

/** How many matches are kept, the newest ones. */
export const MAX_MATCHES = 500;

/** A match that has begun and of which this browser has no record yet. */
export interface StartedMatch extends MatchContext {
  code: string;
  number: number;
}

interface Schema extends DBSchema {
  /** By code and number. */
  started: { key: [string, number]; value: StartedMatch };
  matches: { key: string; value: KeptMatch; indexes: { playedAt: number } };
  /** Records by the id of their match. */
  records: { key: string; value: string };
}

/** How many deleted matches are remembered, the latest ones. */
const MAX_DELETED = 200;

let database: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>("liarsdice", 1, {
    upgrade(db) {
      db.createObjectStore("started", { keyPath: ["code", "number"] });
      db.createObjectStore("matches", { keyPath: "id" }).createIndex("playedAt", "playedAt");
      db.createObjectStore("records");
    },
    terminated() {
      database = undefined;
    },
  });
  database.catch(() => (database = undefined));
  return database;
}

/** Keeps that a match has begun. The first entry counts. */
export async function keepStarted(match: StartedMatch): Promise<void> {
  const transaction = (await open()).transaction("started", "readwrite");
  if (!(await transaction.store.get([match.code, match.number]))) await transaction.store.put(match);
  await transaction.done;
}

/** The matches that have begun, the newest first. */
export async function startedMatches(): Promise<StartedMatch[]> {
  const matches = await (await open()).getAll("started");
  return matches.sort((a, b) => b.playedAt - a.playedAt);
}

/** Forgets that a match has begun. */
export async function forgetStarted(code: string, number: number): Promise<void> {
  await (await open()).delete("started", [code, number]);
}

/** Keeps matches that it does not have yet, and returns how many. Only the newest `MAX_MATCHES` of all stay. */
export async function keepMatches(recorded: readonly RecordedMatch[]): Promise<number> {
  const transaction = (await open()).transaction(["matches", "records"], "readwrite");
  const [matches, records] = [transaction.objectStore("matches"), transaction.objectStore("records")];
  let added = 0;
  for (const { match, record } of recorded) {
    if (await matches.getKey(match.id)) continue;
    added += 1;
    void matches.put(match);
    void records.put(record, match.id);
  }
  let surplus = (await matches.count()) - MAX_MATCHES;
  for (let cursor = await matches.index("playedAt").openCursor(); cursor && surplus > 0; surplus -= 1) {
    void records.delete(cursor.value.id);
    void cursor.delete();
    cursor = await cursor.continue();
  }
  await transaction.done;
  return added;
}

/** Deletes matches with their records, and returns them, so that `keepMatches` can bring them back. */
export async function deleteMatches(ids: readonly string[]): Promise<RecordedMatch[]> {
  const transaction = (await open()).transaction(["matches", "records"], "readwrite");
  const [matches, records] = [transaction.objectStore("matches"), transaction.objectStore("records")];
  const deleted: RecordedMatch[] = [];
  for (const id of ids) {
    const [match, record] = await Promise.all([matches.get(id), records.get(id)]);
    if (match) deleted.push({ match, record: record ?? "" });
    void matches.delete(id);
    void records.delete(id);
  }
  await transaction.done;
  saveLocal("history.deleted", [...new Set([...ids, ...deletedIds()])].slice(0, MAX_DELETED).join(" "));
  return deleted;
}

/** Whether a match was deleted here. A table that is over would bring it back when it is shown again. */
export function wasDeleted(id: string): boolean {
  return deletedIds().includes(id);
}

function deletedIds(): string[] {
  return (loadLocal("history.deleted") ?? "").split(" ").filter(Boolean);
}

/** All matches that can be shown, the newest first. */
export async function keptMatches(): Promise<KeptMatch[]> {
  const stored = await (await open()).getAllFromIndex("matches", "playedAt");
  return stored.reverse().flatMap((match) => readKeptMatch(match) ?? []);
}

/** All matches with their records, the newest first. */
export async function recordedMatches(): Promise<RecordedMatch[]> {
  const db = await open();
  const matches = await keptMatches();
  const records = await Promise.all(matches.map(({ id }) => db.get("records", id)));
  return matches.map((match, index) => ({ match, record: records[index] ?? "" }));
}

/** The record of a match, undefined if this browser has none. */
export async function recordOf(id: string): Promise<string | undefined> {
  return (await open()).get("records", id);
}

/** The record of a match by the code of its table and its number, undefined if this browser has none. */
export async function recordOfMatch(code: string, number: string): Promise<string | undefined> {
  const id = `${code.toUpperCase()}/${number}/`;
  return (await open()).get("records", IDBKeyRange.bound(id, `${id}\uffff`));
}

/** The matches of this browser at a table, the newest first. */
export async function matchesAt(code: string): Promise<KeptMatch[]> {
  return (await keptMatches()).filter((match) => match.code === code.toUpperCase());
}

/** What the review of a match has shown of one player, with the decisions of the match that cost most. */
export interface CoachedMatch extends ReviewedMatch {
  dearest: DecisionReview[];
}

/** What reviews have shown of the habits of this browser's player, in a database of its own, by the id of the match. */
interface HabitSchema extends DBSchema {
  reviewed: { key: string; value: CoachedMatch };
}

let habitDatabase: Promise<IDBPDatabase<HabitSchema>> | undefined;

function openHabits(): Promise<IDBPDatabase<HabitSchema>> {
  habitDatabase ??= openDB<HabitSchema>("liarsdice.habits", 3, {
    upgrade(db, oldVersion) {
      if (oldVersion > 0) db.deleteObjectStore("reviewed"); // of another form: these matches are reviewed again
      db.createObjectStore("reviewed");
    },
    terminated() {
      habitDatabase = undefined;
    },
  });
  habitDatabase.catch(() => (habitDatabase = undefined));
  return habitDatabase;
}

/** What is known of these matches. What is known of others, or cannot be read, is forgotten. Throws where the browser has no database. */
export async function reviewedMatches(ids: readonly string[]): Promise<Map<string, CoachedMatch>> {
  const transaction = (await openHabits()).transaction("reviewed", "readwrite");
  const [keys, values] = await Promise.all([transaction.store.getAllKeys(), transaction.store.getAll()]);
  const known = new Map<string, CoachedMatch>();
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (isReviewed(value) && ids.includes(key)) known.set(key, value);
    else void transaction.store.delete(key);
  }
  await transaction.done;
  return known;
}

function isReviewed(value: Partial<CoachedMatch> | undefined): value is CoachedMatch {
  const lists = [value?.costs, value?.observations, value?.dearest];
  return typeof value?.gain === "number" && lists.every(Array.isArray);
}

/** Keeps what the review of a match has shown. Throws where the browser has no database. */
export async function keepReviewed(id: string, match: CoachedMatch): Promise<void> {
  await (await openHabits()).put("reviewed", match, id);
}

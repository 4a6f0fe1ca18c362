/** The matches of this browser, in its IndexedDB. All functions throw where the browser has none, as in some private windows. */
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import { loadLocal, saveLocal } from "../lib/storage";
import type { RecordedMatch } from "./historyFile";
import type { KeptMatch, MatchContext } from "./matchSummary";
import { readKeptMatch } from "./recordShape";

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

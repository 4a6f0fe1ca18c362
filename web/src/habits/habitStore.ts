/** What reviews have shown of the habits of this browser's player, in an IndexedDB of its own, by the id of the match. */
import { openDB, type DBSchema, type IDBPDatabase } from "idb";
import type { ReviewedMatch } from "../lib/protocol";

interface Schema extends DBSchema {
  reviewed: { key: string; value: ReviewedMatch };
}

let database: Promise<IDBPDatabase<Schema>> | undefined;

function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>("liarsdice.habits", 2, {
    upgrade(db, oldVersion) {
      if (oldVersion > 0) db.deleteObjectStore("reviewed"); // without luck: these matches are reviewed again
      db.createObjectStore("reviewed");
    },
    terminated() {
      database = undefined;
    },
  });
  database.catch(() => (database = undefined));
  return database;
}

/** What is known of these matches. What is known of others, or cannot be read, is forgotten. Throws where the browser has no database. */
export async function reviewedMatches(ids: readonly string[]): Promise<Map<string, ReviewedMatch>> {
  const transaction = (await open()).transaction("reviewed", "readwrite");
  const [keys, values] = await Promise.all([transaction.store.getAllKeys(), transaction.store.getAll()]);
  const known = new Map<string, ReviewedMatch>();
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (isReviewed(value) && ids.includes(key)) known.set(key, value);
    else void transaction.store.delete(key);
  }
  await transaction.done;
  return known;
}

function isReviewed(value: Partial<ReviewedMatch> | undefined): value is ReviewedMatch {
  return typeof value?.gain === "number" && Array.isArray(value.costs) && Array.isArray(value.observations);
}

/** Keeps what the review of a match has shown. Throws where the browser has no database. */
export async function keepReviewed(id: string, match: ReviewedMatch): Promise<void> {
  await (await open()).put("reviewed", match, id);
}

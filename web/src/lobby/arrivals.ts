/** Why this tab came to a table: to play again with the same people, or for a quick match. */
import { loadSession, saveSession } from "../lib/storage";

const AGAIN = "again";

/** Remembers the names of the people for whom a table was opened. */
export function inviteAgain(code: string, people: readonly string[]): void {
  saveSession(AGAIN, [code, ...people].join("\n"));
}

/** The names of the people for whom this tab opened a table, empty if it did not. */
export function invitedAgain(code: string): readonly string[] {
  const [opened, ...people] = (loadSession(AGAIN) ?? "").split("\n");
  return opened === code ? people : [];
}

const QUICK = "quick";
/** How long somebody waits for people before bots are offered. */
export const BOTS_AFTER_MS = 20_000;

/** Remembers that a quick match led to a table. */
export function startWaiting(code: string): void {
  saveSession(QUICK, `${code} ${Date.now()}`);
}

/** When this tab came to a table for a quick match, in milliseconds since 1970; null if it did not. */
export function waitingSince(code: string): number | null {
  const [waitingFor, since] = (loadSession(QUICK) ?? "").split(" ");
  return waitingFor === code && Number(since) > 0 ? Number(since) : null;
}

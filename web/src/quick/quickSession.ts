/** Which table this tab waits at for a quick match, and since when. */
import { loadSession, saveSession } from "../lib/storage";

const KEY = "quick";
/** How long somebody waits for people before bots are offered. */
export const BOTS_AFTER_MS = 20_000;

/** Remembers that a quick match led to a table. */
export function startWaiting(code: string): void {
  saveSession(KEY, `${code} ${Date.now()}`);
}

/** When this tab came to a table for a quick match, in milliseconds since 1970; null if it did not. */
export function waitingSince(code: string): number | null {
  const [waitingFor, since] = (loadSession(KEY) ?? "").split(" ");
  return waitingFor === code && Number(since) > 0 ? Number(since) : null;
}
